// The peer of the session: a client on a good connection that counts received messages, answers, and sends.

import Foundation
import ServerSupport
import StreamManagement
import TestSupport
import XMLTree
import XMPPTransport

/// Bob's knowledge at the end of a run.
package struct BobsView: Sendable {
    /// How often each message arrived.
    package fileprivate(set) var received: [String: Int] = [:]
    /// The sent messages that the server has certainly accepted: it has answered a later ping, and has not returned
    /// them since.
    fileprivate(set) var taken: Set<String> = []
    /// The messages that bob has sent, or tried to send.
    fileprivate(set) var sent: [String] = []
    /// The messages that arrived again before the session reported them to the app as unknown.
    fileprivate(set) var unannounced: Set<String> = []
}

/// bob@localhost/desk.
package actor Bob {
    /// A timeout that only ends hanging calls: bob's tasks may have to wait long for a thread.
    private static let patience = Duration.seconds(1200)

    private let connector: XMPPConnector
    private let prefix: String
    private var random: SeededGenerator
    private var transport: (any StanzaTransport)?
    private var view = BobsView()
    /// The messages that the server may not have accepted.
    private var underWay: [String] = []
    private var isSending = true
    private var count = 0
    private var readers: [Task<Void, Never>] = []
    /// Messages that the server has returned.
    private var returned: Set<String> = []
    /// The answered pings.
    private var answered: Set<String> = []
    /// The path of the app's log; `nil` if bob does not read it.
    private let log: String?

    /// - Parameters:
    ///   - authority: The certificate authority to trust, as PEM; `nil` for no encryption.
    ///   - log: The path of the app's `RunLog`.
    package init(port: UInt16, authority: String? = nil, prefix: String, seed: UInt64, log: String? = nil) throws {
        var configuration = XMPPConnectorConfiguration()
        configuration.server = ServerEndpoint(
            host: "127.0.0.1", port: port, security: authority == nil ? .unencrypted : .startTLS)
        if let authority { configuration.trustRoots = .certificates(pem: authority) }
        configuration.timeouts.attempt = Self.patience
        configuration.resource = "desk"
        configuration.timeouts.bind = Self.patience
        configuration.timeouts.close = Self.patience
        configuration.keepAlive.pingTimeout = Self.patience
        connector = try XMPPConnector(
            account: "bob@localhost", password: Password("secret"), configuration: configuration)
        self.prefix = prefix
        random = SeededGenerator(seed: seed)
        self.log = log
    }

    /// Connects, and returns when the server has delivered the messages that it kept for bob.
    package func connect() async throws {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do {
                let connected = try await connector.connect()
                _ = try await connected.transport.bind()
                transport = connected.transport
                try await connected.transport.send(Array("<presence/>".utf8))
                readers.append(Task { await read(connected.transport) })
                try await synchronize()
                return
            } catch  where ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Sends messages at random moments, until `stopTalking()`.
    package func talk() async {
        while isSending {
            try? await Task.sleep(for: .milliseconds(Int.random(in: 1...80, using: &random)))
            if isSending { await say() }
        }
    }

    /// Sends a message.
    /// - Returns: Its `id`.
    @discardableResult
    package func say() async -> String? {
        guard let transport else { return nil }
        count += 1
        let id = "b-\(prefix)-\(count)"
        view.sent.append(id)
        underWay.append(id)
        try? await write("<message to='alice@localhost' type='chat' id='\(id)'><body>hello</body></message>", transport)
        return id
    }

    /// Bob's current knowledge.
    package var knows: BobsView { view }

    package func stopTalking() { isSending = false }

    /// Returns when the server has accepted all messages that were sent before.
    package func synchronize() async throws {
        guard let transport else { throw CancellationError() }
        let before = underWay
        count += 1
        let id = "ping-\(prefix)-\(count)"
        try await write("<iq type='get' to='localhost' id='\(id)'><ping xmlns='urn:xmpp:ping'/></iq>", transport)
        let deadline = ContinuousClock.now + Self.patience
        while !answered.contains(id) {
            if self.transport == nil || ContinuousClock.now > deadline { throw CancellationError() }
            try await Task.sleep(for: .milliseconds(5))
        }
        view.taken.formUnion(before)
        view.taken.subtract(returned)
        underWay.removeAll { before.contains($0) }
    }

    /// Resets the accepted messages: a killed server may have lost those that it had not delivered.
    package func serverHasDied() async -> BobsView {
        for reader in readers { await reader.value }
        readers = []
        view.taken = []
        underWay = []
        return view
    }

    /// Closes the connection, and returns bob's knowledge.
    package func leave() async -> BobsView {
        isSending = false
        await transport?.close()
        for reader in readers { await reader.value }
        return view
    }

    // MARK: Receiving

    private func read(_ transport: any StanzaTransport) async {
        while let stanza = try? await transport.receive() { await handle(stanza, transport) }
        // Either `connect()` follows and sets a new transport, or the run is over.
        self.transport = nil
    }

    private func handle(_ stanza: Element, _ transport: any StanzaTransport) async {
        guard let id = stanza["id"] else { return }
        switch (stanza.name, stanza["type"]) {
        case ("message", "error"?):
            returned.insert(id)
            view.taken.remove(id)
        case ("message", _):
            view.received[id, default: 0] += 1
            noteRepetition(of: id)
            if id.hasPrefix("marker") {
                try? await write(
                    "<message to='alice@localhost' type='chat' id='\(id)'><body>so be it</body></message>", transport)
            }
        case ("iq", "get"?): await answer(id, to: stanza["from"] ?? "", transport)
        default: answered.insert(id)
        }
    }

    /// Checks that the session reported a repeated message as unknown before it sent it again. Receipts are exempt: a
    /// repeated message causes another receipt.
    private func noteRepetition(of id: String) {
        guard let log, id.hasPrefix("m-"), let count = view.received[id], count > 1 else { return }
        if RunLog(contentsOf: log).count("unknown", id) < count - 1 { view.unannounced.insert(id) }
    }

    /// Answers a request in the way that the end of its `id` names.
    private func answer(_ id: String, to sender: String, _ transport: any StanzaTransport) async {
        let result = "<iq type='result' to='\(sender)' id='\(id)'/>"
        let error = """
            <iq type='error' to='\(sender)' id='\(id)'><error type='auth'>\
            <forbidden xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
            """
        switch id.split(separator: "-").last {
        case "forget": break
        case "error": try? await write(error, transport)
        case "twice": try? await write(result + result, transport)
        default: try? await write(result, transport)
        }
    }

    private func write(_ text: String, _ transport: any StanzaTransport) async throws {
        try await transport.send(Array(text.utf8))
    }
}
