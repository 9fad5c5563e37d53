// The smallest client that real servers accept: plain TCP, SASL PLAIN, one resource.

import Foundation
import ServerSupport
import StreamManagement
import StreamSimulator
import XMLTree

/// An authenticated stream to a server on the loopback interface.
///
/// Sendable without being checked: the parser is only used on the reading queue.
final class SocketTransport: StanzaTransport, @unchecked Sendable {
    private let socket: Socket
    private var parser = XMLStreamParser(mode: .stream)
    private let reading = DispatchQueue(label: "reading")
    private let writing = DispatchQueue(label: "writing")

    private init(port: UInt16) throws {
        socket = try Socket(port: port)
    }

    struct Lost: Error {}

    /// Connects and authenticates.
    static func connect(_ server: RunningServer, as user: String) async throws -> (SocketTransport, StreamFeatures) {
        let deadline = ContinuousClock.now + .seconds(600)
        while true {
            let transport = try SocketTransport(port: server.port)
            if let features = try await transport.authenticate(user) { return (transport, features) }
            // The server makes its accounts after it has opened its port.
            if ContinuousClock.now > deadline { throw ServerFailure.notStarted(server.kind, log: "no account \(user)") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func authenticate(_ user: String) async throws -> StreamFeatures? {
        try await open()
        let credentials = Data("\0\(user)\0secret".utf8).base64EncodedString()
        try await send("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(credentials)</auth>")
        guard try await next().name == "success" else { return nil }
        return StreamFeatures(try await open())
    }

    /// Opens a stream, and returns its features.
    @discardableResult
    private func open() async throws -> Element {
        await onReadingQueue { self.parser.reset() }
        try await send(
            """
            <?xml version='1.0'?><stream:stream to='localhost' version='1.0' xmlns='jabber:client' \
            xmlns:stream='http://etherx.jabber.org/streams'>
            """)
        return try await next()
    }

    private func next() async throws -> Element {
        guard let element = try await receive() else { throw Lost() }
        return element
    }

    private func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    // MARK: The transport

    func receive() async throws -> Element? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                reading.async { continuation.resume(with: Result { try self.readElement() }) }
            }
        } onCancel: {
            socket.shutDown()
        }
    }

    private func readElement() throws -> Element? {
        while true {
            while let event = try parser.next() {
                switch event {
                case .streamStart: continue
                case .element(let element, _): return element
                case .rejected(let stanza): throw stanza
                case .streamEnd: return nil
                }
            }
            guard let bytes = socket.read() else { throw Lost() }
            parser.feed(bytes)
        }
    }

    private func onReadingQueue(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            reading.async {
                body()
                continuation.resume()
            }
        }
    }

    func send(_ bytes: [UInt8]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            writing.async { continuation.resume(with: Result { try self.socket.write(bytes) }) }
        }
    }

    func bind() async throws -> String {
        try await send("<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>")
        while true {
            let answer = try await next()
            guard answer["id"] == "bind" else { continue }
            let bind = answer.child("bind", namespace: "urn:ietf:params:xml:ns:xmpp-bind")
            guard let address = bind?.child("jid")?.text else { throw Lost() }
            return address
        }
    }

    func close() async {
        try? await send("</stream:stream>")
        socket.shutDown()
    }

    func abort() async {
        socket.shutDown()
    }
}
