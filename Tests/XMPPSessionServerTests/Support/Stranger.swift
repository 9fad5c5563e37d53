// A client of a real server that is not under test.

import ServerSupport
import StreamManagement
import XMLTree
import XMPPCore
import XMPPTransport

/// A client that reads everything and sends the test's stanzas.
actor Stranger {
    private let transport: any StanzaTransport
    private(set) var received: [Element] = []
    let address: String

    init(_ connector: XMPPConnector) async throws {
        while true {
            // The server creates its accounts after it has opened its port.
            do {
                transport = try await connector.connect().transport
                break
            } catch {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        address = try await transport.bind()
        Task { await read() }
        try await say("<presence/>")
    }

    static func connector(
        _ user: String, _ server: RunningServer, limits: ParserLimits = .stanza
    ) throws -> XMPPConnector {
        try connector(user, port: server.port, limits: limits)
    }

    static func connector(_ user: String, port: UInt16, limits: ParserLimits = .stanza) throws -> XMPPConnector {
        var configuration = XMPPConnectorConfiguration()
        configuration.server = ServerEndpoint(host: "127.0.0.1", port: port, security: .unencrypted)
        configuration.parserLimits = limits
        configuration.timeouts.attempt = .seconds(120)
        return try XMPPConnector(
            account: JID(localpart: user, domain: "localhost"), password: Password("secret"),
            configuration: configuration)
    }

    private func read() async {
        while true {
            do {
                guard let stanza = try await transport.receive() else { return }
                received.append(stanza)
            } catch is RejectedStanza {
                continue
            } catch {
                return
            }
        }
    }

    func say(_ xml: String) async throws { try await transport.send(Array(xml.utf8)) }

    /// Waits for an answer of the server. All earlier stanzas from the server have then arrived.
    func synchronize(_ id: String = "sync") async throws {
        try await say("<iq type='get' id='\(id)' to='localhost'><ping xmlns='urn:xmpp:ping'/></iq>")
        while !received.contains(where: { $0["id"] == id }) { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Enters a room, and waits for its subject, which comes last.
    func join(_ room: String, as nick: String) async throws {
        try await say("<presence to='\(room)/\(nick)'><x xmlns='http://jabber.org/protocol/muc'/></presence>")
        while !received.contains(where: { $0.name == "message" }) { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// The identifiers of received messages of this type, in order.
    func messages(_ type: String) -> [String] {
        received.filter { $0.name == "message" && $0["type"] == type }.compactMap { $0["id"] }
    }

    func leave() async { await transport.close() }
}
