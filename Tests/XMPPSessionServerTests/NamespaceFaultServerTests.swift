// A session that receives stanzas from real servers that are well-formed and not namespace-well-formed. The sender's
// XML is correct: the servers lose a declaration, or bind a prefix to a reserved namespace.

import Handlers
import Locking
import Persistence
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import XMPPSession
@testable import XMPPSessionTests

@Suite(.serialized, .fewAtOnce) struct NamespaceFaultServerTests {
    init() { ServerKind.tellWhatIsMissing() }

    /// The events and messages of alice's session.
    private final class Record: Sendable {
        let events = Lock<[SessionEvent]>([])
        let messages = Lock<[String]>([])

        var rejected: [RejectedStanza] {
            events.withLock { events in
                events.compactMap { if case .rejected(let stanza) = $0 { stanza } else { nil } }
            }
        }

        func wasRejected(_ id: String) -> Bool { rejected.contains { $0.id == id } }

        var isDisconnected: Bool {
            events.withLock { $0.contains { if case .disconnected = $0 { true } else { false } } }
        }
    }

    /// A process of alice's.
    private static func process(_ folder: TemporaryFolder, _ record: Record) async throws -> (
        DurableSession, StanzaDatabase
    ) {
        let database = try await StanzaDatabase.open(at: folder.database)
        let session = try await DurableSession(
            account: "alice@localhost", database: database, registry: HandlerRegistry(handlers: []),
            configuration: .patient)
        try await session.on("/{jabber:client}message") { stanza, _ in
            if stanza.child("body") != nil { record.messages.withLock { $0.append(stanza["id"] ?? "") } }
        }
        await session.otherwise(.ignore)
        let events = await session.stream.events()
        Task { for await event in events { record.events.withLock { $0.append(event) } } }
        return (session, database)
    }

    /// A stanza of bob's that this server relays with a fault.
    private static func faulty(_ kind: ServerKind, _ start: String) -> String {
        let name = start.prefix { $0 != " " }
        let body = name == "message" ? "<body>x</body>" : ""
        return switch kind {
        case .prosody: "<\(start)>\(body)<x xmlns='urn:q' xml:foo='1'/></\(name)>"
        case .ejabberd: "<\(start) xmlns:p='urn:p'>\(body)<p:x p:y='1'/></\(name)>"
        }
    }

    @Test("A stranger cannot end the session with faults of namespaces", arguments: ServerKind.tested)
    func stranger(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "namespaces", hasArchiveAndRooms: true)
        let bob = try await Stranger(Stranger.connector("bob", server))
        func say(_ start: String) async throws { try await bob.say(Self.faulty(kind, start)) }
        func plain(_ start: String) async throws { try await bob.say("<\(start)><body>x</body></message>") }

        // Stored while alice is away: a message, a subscription request, and the history of a room.
        try await plain("message type='chat' to='alice@localhost' id='m1'")
        try await say("message type='chat' to='alice@localhost' id='offline'")
        try await say("presence type='subscribe' to='alice@localhost' id='subscribe'")
        try await plain("message type='chat' to='alice@localhost' id='m2'")
        let room = "room@rooms.localhost"
        try await bob.join(room, as: "bob")
        try await say("message type='groupchat' to='\(room)' id='history'")
        try await plain("message type='groupchat' to='\(room)' id='m3'")
        try await eventually("the room has the messages") { await bob.received.contains { $0["id"] == "m3" } }

        let folder = try TemporaryFolder()
        let record = Record()
        let (first, firstDatabase) = try await Self.process(folder, record)
        let alices = try Stranger.connector("alice", server)
        let firstRun = Task { try await first.run(connecting: alices) }
        try await eventually("alice's session runs") { await first.stream.state == .enabled }
        try await first.send(xml("<presence/>"))
        try await eventually("the stored stanzas arrive") { record.messages.withLock { $0 == ["m1", "m2"] } }
        try await eventually("the stored fault is reported") { record.wasRejected("offline") }
        // ejabberd stores a subscription request without its content.
        if kind == .prosody { try await eventually("so is the request") { record.wasRejected("subscribe") } }

        // Online.
        let alice = try #require(await first.stream.address)
        try await say("message type='chat' to='\(alice)' id='online'")
        try await say("presence to='\(alice)' id='presence'")
        try await say("iq type='get' to='\(alice)' id='request'")
        try await eventually("they are reported") {
            ["online", "presence", "request"].allSatisfy { record.wasRejected($0) }
        }
        try await eventually("bob is answered") {
            await bob.received.contains { $0["id"] == "request" && StanzaError($0)?.condition == "not-acceptable" }
        }

        // The archive, and the history of the room.
        let count = record.rejected.count
        let result = try await first.request(
            xml("<iq type='set' id='archive'><query xmlns='urn:xmpp:mam:2'/></iq>"))
        #expect(result["type"] == "result")
        try await eventually("the archived faults are reported") { record.rejected.count == count + 2 }
        try await first.send(
            xml("<presence to='\(room)/alice'><x xmlns='http://jabber.org/protocol/muc'/></presence>"))
        try await eventually("the history arrives") { record.messages.withLock { $0.contains("m3") } }
        try await eventually("its fault is reported") { record.wasRejected("history") }

        // The next process resumes the session. Nothing comes again.
        try await first.suspend()
        _ = try await firstRun.value
        firstDatabase.close()
        #expect(!record.isDisconnected)
        let rejected = record.rejected.count
        let (second, secondDatabase) = try await Self.process(folder, record)
        let secondRun = Task { try await second.run(connecting: alices) }
        try await plain("message type='chat' to='alice@localhost' id='m4'")
        try await eventually("the next message arrives") { record.messages.withLock { $0.last == "m4" } }
        #expect(record.messages.withLock(\.self) == ["m1", "m2", "m3", "m4"])
        #expect(record.rejected.count == rejected && !record.isDisconnected)
        await second.close(waiting: .seconds(600))
        _ = try await secondRun.value
        secondDatabase.close()

        // The server keeps nothing for another login.
        let next = try await Stranger(Stranger.connector("alice", server))
        try await next.synchronize()
        #expect(await next.received.filter { $0.name == "message" } == [])
        await next.leave()
        await bob.leave()
    }
}
