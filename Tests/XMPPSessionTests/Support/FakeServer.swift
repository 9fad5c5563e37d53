// A server in memory that implements stream management correctly, and everything else as the test configures it.

import Foundation
import Locking
import StreamManagement
import TestSupport
import XMLTree

/// One account's server. Connections to it come and go; its session stays, unless the test forgets it.
final class FakeServer: Sendable {
    fileprivate struct State {
        var connection: FakeConnection?
        /// Whether the connection can carry stanzas: a resource is bound, or the session is resumed.
        var isReady = false
        var sessions = 0
        /// Whether there is a session to resume.
        var hasSession = false
        /// How many stanzas the client has sent and acknowledged in this session, and the unacknowledged stanzas.
        var receivedCount: UInt32 = 0
        var acknowledgedCount = 0
        var unacknowledged: [Received] = []
        var stanzas: [Element] = []
        var binds = 0
        var resumptions = 0
        var isDown = false
        var acknowledges = true
        var closesConnections = true
        let management: Management
        /// The server's limit for stanzas, in bytes (XEP-0478).
        var limit: Int?
        var answer: @Sendable (Element) -> [String] = { _ in [] }
    }

    /// The part of stream management that the server offers.
    enum Management {
        case none, withoutResumption, full
    }

    private let state: Watched<State>

    init(_ management: Management = .full) { state = Watched(State(management: management)) }

    /// A server with the sessions of another one, to repeat what follows.
    init(copying other: FakeServer) { state = Watched(other.state.withLock(\.self)) }

    private static let features = StreamFeatures(xml("<stream:features><sm xmlns='urn:xmpp:sm:3'/></stream:features>"))

    /// The features of the next connection.
    private var features: StreamFeatures {
        state.withLock { state in
            var features = state.management == .none ? StreamFeatures() : Self.features
            features.limits.bytes = state.limit
            return features
        }
    }

    // MARK: The test's side

    /// The stanzas that arrived in all sessions, none of them twice in one session.
    var stanzas: [Element] { state.withLock { $0.stanzas } }
    /// The `id` of each of these stanzas.
    var ids: [String?] { stanzas.map { $0["id"] } }

    /// Waits until this many stanzas have arrived.
    func receives(_ count: Int) async throws {
        try await state.wait(for: "\(count) stanzas") { $0.stanzas.count >= count }
    }

    /// Waits until a stanza with this `id` has arrived.
    func receives(_ id: String) async throws {
        try await state.wait(for: "'\(id)'") { $0.stanzas.contains { $0["id"] == id } }
    }

    /// Waits until the client has asked to resume the session this often.
    func isResumed(_ count: Int) async throws {
        try await state.wait(for: "\(count) resumptions") { $0.resumptions >= count }
    }

    /// How many stanzas the client has not acknowledged.
    var unacknowledgedCount: Int { state.withLock { $0.unacknowledged.count } }
    /// How often a resource was bound.
    var binds: Int { state.withLock { $0.binds } }

    /// How often the client asked to resume the session.
    var resumptions: Int { state.withLock { $0.resumptions } }

    /// Sets the server's answers to a stanza.
    func answer(_ answer: @escaping @Sendable (Element) -> [String]) { state.withLock { $0.answer = answer } }

    /// Sends messages with these numbers to the client.
    func say(_ ids: ClosedRange<Int>) { for id in ids { say("<message id='\(id)'/>") } }

    /// Sends a stanza to the client.
    func say(_ text: String) {
        let stanza = received(text)
        state.withLock { state in
            if state.hasSession { state.unacknowledged.append(stanza) }
            // The server sends earlier stanzas when the session resumes.
            if state.isReady { state.connection?.deliver(stanza) }
        }
    }

    /// Breaks the connection.
    func cut() { state.withLock { $0.connection }?.cut() }

    /// Forgets the session, as a restart does.
    func forget() { state.withLock { $0.hasSession = false } }

    /// Sets whether the server refuses connections.
    func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

    /// Sets the limit for stanzas of the connections from now on, in bytes.
    func limit(to bytes: Int) { state.withLock { $0.limit = bytes } }

    /// Sets whether the server answers requests for acknowledgements.
    func setAcknowledging(_ acknowledges: Bool) { state.withLock { $0.acknowledges = acknowledges } }

    /// Sets whether a connection ends when the client closes it. Otherwise the connection has to be cut.
    func setClosing(_ closesConnections: Bool) { state.withLock { $0.closesConnections = closesConnections } }

    // MARK: The connection's side

    fileprivate var closesConnections: Bool { state.withLock { $0.closesConnections } }

    fileprivate func connect(_ connection: FakeConnection) throws {
        let old = try state.withLock { state in
            if state.isDown { throw FakeConnection.Gone() }
            defer {
                state.connection = connection
                state.isReady = false
            }
            return state.connection
        }
        old?.cut()
    }

    fileprivate func bind() {
        state.withLock { state in
            state.binds += 1
            state.isReady = true
        }
    }

    fileprivate func hear(_ element: Element, on connection: FakeConnection) {
        state.withLock { state in
            guard state.connection === connection else { return }
            // No other element comes between the answers.
            for answer in answers(to: element, &state) { connection.deliver(answer) }
        }
    }

    private func answers(to element: Element, _ state: inout State) -> [Received] {
        switch element.name {
        case "enable":
            state.sessions += 1
            state.hasSession = true
            state.receivedCount = 0
            state.acknowledgedCount = 0
            state.unacknowledged = []
            if state.management == .withoutResumption { return [received("<enabled xmlns='urn:xmpp:sm:3'/>")] }
            return [received("<enabled xmlns='urn:xmpp:sm:3' id='s\(state.sessions)' resume='true' max='600'/>")]
        case "resume":
            state.resumptions += 1
            let isKnown = state.hasSession && element["previd"] == "s\(state.sessions)"
            guard isKnown else { return [received("<failed xmlns='urn:xmpp:sm:3'/>")] }
            state.isReady = true
            state.acknowledge(element)
            let resumed = received(
                "<resumed xmlns='urn:xmpp:sm:3' previd='s\(state.sessions)' h='\(state.receivedCount)'/>")
            return [resumed] + state.unacknowledged
        case "r":
            return !state.acknowledges ? [] : [received("<a xmlns='urn:xmpp:sm:3' h='\(state.receivedCount)'/>")]
        case "a":
            state.acknowledge(element)
            return []
        default:
            state.receivedCount += 1
            state.stanzas.append(element)
            let answers = state.answer(element).map { received($0) }
            if state.hasSession { state.unacknowledged += answers }
            return answers
        }
    }
}

extension FakeServer.State {
    /// The client's counter begins at zero with each session, and so do the server's counters.
    fileprivate mutating func acknowledge(_ element: Element) {
        guard let h = element["h"].flatMap(Int.init) else { return }
        unacknowledged.removeFirst(max(0, min(h - acknowledgedCount, unacknowledged.count)))
        acknowledgedCount = h
    }
}

extension FakeServer: StreamConnector {
    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        let connection = FakeConnection(self)
        try connect(connection)
        return ConnectedStream(transport: connection, features: features, isEncrypted: true)
    }
}

/// One connection to the server.
final class FakeConnection: StanzaTransport {
    struct Gone: Error, CustomStringConvertible {
        let description = "the connection was lost"
    }

    private let server: FakeServer
    private let parser: Lock<ParserBox>
    private let items: AsyncThrowingStream<Received, any Error>
    private let continuation: AsyncThrowingStream<Received, any Error>.Continuation
    private let isGone = Watched(false)
    /// How many elements were delivered and not received.
    private let inputCount = Lock(0)

    private struct ParserBox: ~Copyable {
        var parser = XMLStreamParser(mode: .stream)
    }

    init(_ server: FakeServer) {
        self.server = server
        (items, continuation) = AsyncThrowingStream.makeStream()
        var box = ParserBox()
        box.parser.feed("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>")
        parser = Lock(box)
    }

    func deliver(_ item: Received) {
        inputCount.withLock { $0 += 1 }
        continuation.yield(item)
    }

    /// Whether a delivered element has not been received.
    var hasInput: Bool { inputCount.withLock { $0 > 0 } }

    func cut() {
        isGone.withLock { $0 = true }
        continuation.finish(throwing: Gone())
    }

    func receive() async throws -> Element? {
        for try await item in items {
            inputCount.withLock { $0 -= 1 }
            return try item.get()
        }
        throw Gone()
    }

    func send(_ bytes: [UInt8]) async throws {
        if isGone.withLock({ $0 }) { throw Gone() }
        let heard = try parser.withLock { box in
            box.parser.feed(bytes)
            var heard: [Element] = []
            while let event = try box.parser.next() {
                if case .element(let element, _) = event { heard.append(element) }
            }
            return heard
        }
        for element in heard { server.hear(element, on: self) }
    }

    func bind() async throws -> String {
        server.bind()
        return "juliet@example.org/balcony"
    }

    func close() async {
        if !server.closesConnections { try? await isGone.wait(for: "a cut") { $0 } }
        cut()
    }

    func abort() async { cut() }
}

/// An item of a stream: an element, or a stanza that exceeds a limit.
typealias Received = Result<Element, RejectedStanza>

/// Parses a stanza as a client does.
func received(_ text: String) -> Received {
    var parser = XMLStreamParser(mode: .stream)
    parser.feed("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>")
    parser.feed(text)
    while let event = try? parser.next() {
        switch event {
        case .element(let element, _): return .success(element)
        case .rejected(let stanza): return .failure(stanza)
        case .streamStart, .streamEnd: continue
        }
    }
    preconditionFailure("a test's XML is wrong: \(text)")
}

/// Parses an element of a client's stream.
func xml(_ text: String) -> Element {
    do {
        return try Element(stanza: text)
    } catch {
        preconditionFailure("a test's XML is wrong: \(error)")
    }
}

/// Connects when the journal has the line `word`.
struct HeldConnector: StreamConnector {
    let server: FakeServer
    let journal: Journal
    let word: String

    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        journal.note("connecting")
        try await journal.wait(for: word)
        return try await server.connect(to: location, inline: inline)
    }
}
