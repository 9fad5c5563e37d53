// Stanzas that exceed a limit of the parser. They do not end the stream, and such an answer ends its request.

import Handlers
import Persistence
import ServerSupport
import StreamManagement
import Synchronization
import TestSupport
import Testing
import XMLTree
import XMPPTransport

@testable import XMPPSession

@Suite(.fewAtOnce) struct BeyondLimitsTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    /// A stanza that begins with `start` and is deeper than a parser accepts.
    private static func deep(_ start: String) -> String {
        let name = start.prefix { $0 != " " }
        let depth = ParserLimits.defaultDepth
        return "<\(start)>" + String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
            + "</\(name)>"
    }

    @Test func anAnswerEndsTheTaskThatWaits() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            let request = Task { try await home.session.request(query) }
            try await eventually("the request was sent") { server.stanzas.count == 1 }
            // Neither of the first two senders is the recipient of the request.
            server.say(Self.deep("iq type='result' from='mallory@example.org' id='q1'"))
            server.say(Self.deep("iq type='result' id='q1'"))
            server.say(Self.deep("iq type='result' from='room@chat.example.org' id='q1'"))
            let error = await #expect(throws: RequestError.self) { try await request.value }
            guard case .answerRejected(let stanza)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(stanza.limit == .depth && stanza.from == "room@chat.example.org")
            try await eventually("all are acknowledged") {
                try await home.session.stream.sendAcknowledgementIfEnabled()
                return server.unacknowledgedCount == 0
            }
        }
        #expect(server.binds == 1)
    }

    /// An answer that the server gives for the account has no `from`.
    @Test(arguments: Excess.allCases)
    private func anAnswerOfTheServerEndsTheTaskThatWaits(excess: Excess) async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            let request = Task {
                try await home.session.request(xml("<iq type='get' id='q1'><query xmlns='jabber:iq:roster'/></iq>"))
            }
            try await eventually("the request was sent") { server.stanzas.count == 1 }
            // The parser stops in this start tag, so a `from` may follow.
            let attributes = (1...257).map { "a\($0)=''" }.joined(separator: " ")
            server.say("<iq type='result' id='q1' \(attributes)/>")
            server.say(excess.stanza("iq type='result' id='q1'", bytes: ParserLimits.stanza.bytes))
            let error = await #expect(throws: RequestError.self) { try await request.value }
            guard case .answerRejected(let stanza)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(stanza.from == nil && stanza.isStartTagComplete)
        }
        #expect(server.binds == 1)
    }

    @Test func anAnswerInvalidatesTheHandler() async throws {
        let home = try await Household(folder)
        server.answer { $0["id"] == "q1" ? [Self.deep("iq type='error' from='room@chat.example.org' id='q1'")] : [] }
        try await home.run(server) {
            try await home.session.request(query, handler: home.handler())
            try await eventually("the request has ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["ended answer-rejected"])
    }

    @Test func othersAreReportedAnsweredAndCounted() async throws {
        let home = try await Household(folder)
        let events = await home.session.stream.events()
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            server.say(Self.deep("message id='m1' from='mallory@example.org'"))
            server.say(Self.deep("iq type='get' id='i2' from='mallory@example.org'"))
            server.say("<message id='m3'/>")
            try await eventually("all are acknowledged, and one is answered") {
                try await home.session.stream.sendAcknowledgementIfEnabled()
                return server.unacknowledgedCount == 0 && server.stanzas.count == 1
            }
        }
        let error = try #require(server.stanzas.first.flatMap { StanzaError($0) })
        #expect(error.condition == "policy-violation" && error.type == "modify")
        #expect(error.stanza?["to"] == "mallory@example.org" && error.stanza?["id"] == "i2")
        var reported: [String?] = []
        for await event in events {
            if case .rejected(let stanza) = event { reported.append(stanza.id) }
            if reported.count == 2 { break }
        }
        #expect(reported == ["m1", "i2"])
        #expect(server.binds == 1)
    }
}

/// A limit that a stanza exceeds.
private enum Excess: CaseIterable {
    case attributes, depth, name, bytes

    static let limits = ParserLimits(bytes: 20_000)

    /// A stanza that begins with `start` and exceeds the limit.
    func stanza(_ start: String, bytes: Int = limits.bytes) -> String {
        let name = start.prefix { $0 != " " }
        switch self {
        case .attributes:
            let attributes = (1...257).map { "a\($0)=''" }.joined(separator: " ")
            // ejabberd does not forward unknown attributes of the stanza itself.
            return "<\(start)><q xmlns='urn:x' \(attributes)/></\(name)>"
        case .depth:
            let depth = ParserLimits.defaultDepth
            return "<\(start)>" + String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
                + "</\(name)>"
        case .name: return "<\(start)><\(String(repeating: "a", count: 1100))/></\(name)>"
        case .bytes: return "<\(start)><body>\(String(repeating: "a", count: bytes))</body></\(name)>"
        }
    }
}

// MARK: - With real servers

@Suite(.serialized, .fewAtOnce) struct BeyondLimitsServerTests {
    init() { ServerKind.tellWhatIsMissing() }

    private static func connector(
        _ user: String, _ server: RunningServer, limits: ParserLimits = .stanza
    ) throws -> XMPPConnector {
        var configuration = XMPPConnectorConfiguration()
        configuration.server = ServerEndpoint(host: "127.0.0.1", port: server.port, security: .unencrypted)
        configuration.parserLimits = limits
        return try XMPPConnector(
            account: "\(user)@localhost", password: Password("secret"), configuration: configuration)
    }

    /// A client that reads everything and sends the test's stanzas.
    private actor Stranger {
        private let transport: any StanzaTransport
        private(set) var received: [Element] = []

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

        let address: String

        private func read() async { while let stanza = try? await transport.receive() { received.append(stanza) } }

        func say(_ xml: String) async throws { try await transport.send(Array(xml.utf8)) }

        /// Waits for an answer of the server. All earlier stanzas from the server have then arrived.
        func synchronize() async throws {
            try await say("<iq type='get' id='sync' to='localhost'><ping xmlns='urn:xmpp:ping'/></iq>")
            while !received.contains(where: { $0["id"] == "sync" }) { try await Task.sleep(for: .milliseconds(5)) }
        }

        func leave() async { await transport.close() }
    }

    @Test("A stranger cannot end the session with stanzas beyond a limit", arguments: ServerKind.tested)
    func stranger(kind: ServerKind) async throws {
        // The test counts the stanzas of alice's account, so no other test may send her any.
        let server = try await SharedServers.all.server(kind, for: "stranger")
        let bob = try await Stranger(Self.connector("bob", server))
        let folder = try TemporaryFolder()
        let database = try await StanzaDatabase.open(at: folder.database)
        let session = try await DurableSession(
            account: "alice@localhost", database: database, registry: HandlerRegistry(handlers: []),
            configuration: .patient)
        let events = Mutex<[SessionEvent]>([])
        let listening = Task { [stream = session.stream] in
            for await event in await stream.events() { events.withLock { $0.append(event) } }
        }
        let alices = try Self.connector("alice", server, limits: Excess.limits)
        let run = Task { try await session.run(connecting: alices) }
        try await eventually("alice's session runs") { await session.stream.state == .enabled }
        try await session.send(xml("<presence/>"))
        let alice = try #require(await session.stream.address)

        // Two requests are open while bob sends stanzas of each kind.
        let bobs = bob.address
        let open = Task {
            try await session.request(xml("<iq type='get' id='open' to='\(bobs)'><q xmlns='urn:x'/></iq>"))
        }
        let lost = Task {
            try await session.request(xml("<iq type='get' id='lost' to='\(bobs)'><q xmlns='urn:x'/></iq>"))
        }
        try await eventually("bob was asked") { await bob.received.count { $0["type"] == "get" } == 2 }
        for excess in Excess.allCases {
            try await bob.say(excess.stanza("message to='\(alice)' id='m-\(excess)'"))
            try await bob.say(excess.stanza("presence to='\(alice)' id='p-\(excess)'"))
            try await bob.say(excess.stanza("iq type='get' to='\(alice)' id='i-\(excess)'"))
        }
        try await bob.say(Excess.depth.stanza("iq type='result' to='\(alice)' id='lost'"))
        try await bob.say("<iq type='result' to='\(alice)' id='open'/>")
        #expect(try await open.value["type"] == "result")
        let error = await #expect(throws: RequestError.self) { try await lost.value }
        if case .answerRejected? = error {} else { Issue.record("\(error as Any)") }
        let count = 3 * Excess.allCases.count + 1
        try await eventually("all were reported") {
            events.withLock { $0.count { if case .rejected = $0 { true } else { false } } } == count
        }
        for excess in Excess.allCases {
            try await eventually("bob was answered") {
                await bob.received.contains {
                    $0["id"] == "i-\(excess)" && StanzaError($0)?.condition == "policy-violation"
                }
            }
        }
        #expect(!events.withLock { $0.contains { if case .disconnected = $0 { true } else { false } } })
        // A stanza that waits when the session closes stays unhandled, and no stanza after it is acknowledged.
        try await eventually("all are handled") { await session.stream.unhandledCount == 0 }
        await session.close(waiting: .seconds(600))
        _ = try await run.value
        listening.cancel()
        database.close()

        // The server has kept no message for alice.
        await bob.leave()
        let next = try await Stranger(Self.connector("alice", server))
        try await next.synchronize()
        #expect(await next.received.filter { $0.name == "message" } == [])
        await next.leave()
    }
}
