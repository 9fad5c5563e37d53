// A session that receives stanzas beyond a limit from real servers.

import Handlers
import Locking
import Persistence
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPTransport

@testable import XMPPSession
@testable import XMPPSessionTests

@Suite(.serialized, .fewAtOnce) struct BeyondLimitsServerTests {
    init() { ServerKind.tellWhatIsMissing() }

    @Test("A stranger cannot end the session with stanzas beyond a limit", arguments: ServerKind.tested)
    func stranger(kind: ServerKind) async throws {
        // The test counts the stanzas of alice's account, so no other test may send her any.
        let server = try await SharedServers.all.server(kind, for: "stranger")
        let bob = try await Stranger(Stranger.connector("bob", server))
        let folder = try TemporaryFolder()
        let database = try await StanzaDatabase.open(at: folder.database)
        let session = try await DurableSession(
            account: "alice@localhost", database: database, registry: HandlerRegistry(handlers: []),
            configuration: .patient)
        await session.otherwise(.ignore)
        let events = Lock<[SessionEvent]>([])
        let listening = Task { [stream = session.stream] in
            for await event in await stream.events() { events.withLock { $0.append(event) } }
        }
        let alices = try Stranger.connector("alice", server, limits: Excess.limits)
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
        let next = try await Stranger(Stranger.connector("alice", server))
        try await next.synchronize()
        #expect(await next.received.filter { $0.name == "message" } == [])
        await next.leave()
    }
}
