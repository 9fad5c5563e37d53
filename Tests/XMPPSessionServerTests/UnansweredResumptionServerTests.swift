// Real servers that do not answer `<resume/>`, because the network fails at it. A new session follows.

import ServerSupport
import StreamManagement
import TestSupport
import Testing

@testable import SessionFaults
@testable import XMPPSession
@testable import XMPPSessionTests

@Suite(.serialized, .fewAtOnce) struct UnansweredResumptionServerTests {
    init() { ServerKind.tellWhatIsMissing() }

    @Test(
        "R32 After three unanswered attempts, a new session sends the waiting stanzas once",
        arguments: ServerKind.tested, ResumptionLink.Fault.allCases)
    func threeAttempts(kind: ServerKind, fault: ResumptionLink.Fault) async throws {
        let server = try await SharedServers.all.server(kind, for: "lost sessions", hasArchiveAndRooms: true)
        let link = try ResumptionLink(to: server.port)
        defer { link.end() }
        let bob = try await Stranger(Stranger.connector("bob", server))
        let address = bob.address
        func chat(_ id: String) -> String { "<message type='chat' id='\(id)' to='\(address)'><body>x</body></message>" }
        let alice = try await Phone(port: link.port, greeting: ["<presence/>"]) {
            if fault == .isSilent { $0.negotiationTimeout = .seconds(1) }
        }
        try await alice.start()
        #expect(try await alice.send(chat("m1")).outcome() == .acknowledged)

        // One message is in flight when the connection ends. The other one waits.
        link.loseBytes()
        let inFlight = try await alice.send(chat("m2"))
        try await eventually("it is in flight") { link.lastWritten.contains("m2") }
        link.goDown()
        let waiting = try await alice.send(chat("m3"))
        link.comeUp(fault: fault)
        try await eventually("the messages arrive, or the attempts do not end") {
            await bob.messages("chat").contains("m3") || link.resumptionCount > 3
        }
        try #require(link.resumptionCount == 3)
        #expect(alice.count(.sessionLost(.unanswered)) == 1)
        #expect(await inFlight.outcome() == .acknowledged)
        #expect(await waiting.outcome() == .acknowledged)
        try await alice.send(chat("m4"))
        try await eventually("the last message arrives") { await bob.messages("chat").contains("m4") }
        #expect(await bob.messages("chat") == ["m1", "m2", "m3", "m4"])
        try await alice.close()
        await bob.leave()
    }

    @Test("R32 After a kill, another process gives the session up, and sends the waiting stanza once")
    func afterAKill() async throws {
        guard ServerKind.tested.contains(.prosody) else { return }
        let server = try await SharedServers.all.server(.prosody, for: "lost sessions", hasArchiveAndRooms: true)
        let link = try ResumptionLink(to: server.port)
        defer { link.end() }
        let session = try await KilledSession(
            port: server.port, through: link.port, role: "app", prefix: "lost", policy: "resend")
        let first = try session.start([:])
        try await eventually("the first session runs") { session.log.count("acknowledged", "presence") > 0 }
        // The answer to bob is lost, and its process is killed.
        link.loseBytes()
        let id = try #require(await session.bob.say())
        try await eventually("the answer is in flight") { link.lastWritten.contains("re-\(id)") }
        first.kill()
        link.comeUp(fault: .closes)

        let second = try session.resume([:])
        try await eventually("the answer arrives, or the attempts do not end") {
            await session.bob.knows.received["re-\(id)"] != nil || link.resumptionCount > 3
        }
        try #require(link.resumptionCount == 3)
        await session.finish(second, "after the kill")
        #expect(session.log.count("sessionLost", "") == 1 && session.log.count("resumed", "") == 0)
        #expect(await session.bob.leave().received["re-\(id)"] == 1)
    }
}
