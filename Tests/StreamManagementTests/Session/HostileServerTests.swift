// Servers that send anything, and slow applications: a session neither hangs nor grows, and gives up no server
// wrongly.

import StreamManagement
import StreamSimulator
import TestSupport
import Testing
import XMLTree

@Suite struct HostileServerTests {
    private static func run(
        _ session: StreamSession, on server: ScriptedTransport = .server()
    ) -> Task<StreamEnd, any Error> {
        Task { try await session.run(on: server, features: ScriptedTransport.features) }
    }

    private static let answers = [
        "<sm:enabled id='s1' resume='true'/>", "<sm:enabled id='s1' resume='1' max='1'/>", "<sm:enabled/>",
        "<sm:failed/>",
        "<sm:resumed previd='s1' h='0'/>", "<sm:resumed previd='s1' h='99'/>", "<sm:resumed xmlns:sm='urn:x'/>",
        "<iq/>",
    ]

    @Test func anythingOnManyStreams() async throws {
        var random = SeededGenerator(salt: 7)
        let session = try await StreamSession.quiet(resumes: true) { $0.maximumUnacknowledged = 10 }
        let taking = Task { for await _ in session.stanzas {} }
        let events = await session.events()
        let listening = Task { for await _ in events {} }
        for _ in 0..<SeededGenerator.cases(default: 40) {
            let (toEnable, toResume) = (random.pick(Self.answers), random.pick(Self.answers))
            let server = ScriptedTransport { heard in
                heard.hasPrefix("<enable ") ? [toEnable] : heard.hasPrefix("<resume ") ? [toResume] : []
            }
            for _ in 0..<Int.random(in: 0...20, using: &random) { server.say(random.pick(HostilePeerTests.elements)) }
            let run = Self.run(session, on: server)
            // Fewer than have room, so that no sender waits.
            for _ in 1...3 where await session.unacknowledged.count < 10 {
                try await session.send(element("<message/>"))
            }
            if random.chance(30) { server.cut() } else { server.say(nil) }
            _ = try await run.value
            #expect(await session.unacknowledged.count <= 10, "seed \(SeededGenerator.seed)")
            #expect(server.heard.filter { $0.hasPrefix("<enable ") || $0.hasPrefix("<resume ") }.count <= 2)
        }
        await session.close()
        await taking.value
        await listening.value
    }

    @Test("D48 An answer that a slow application leaves unread is not missing")
    func slowApplication() async throws {
        let clock = ManualClock()
        let session = try await StreamSession.quiet(resumes: true, clock: clock) {
            $0.maximumUnhandled = 2
            $0.acknowledgementRequests.count = 1
            $0.acknowledgementTimeout = .seconds(30)
        }
        let server = ScriptedTransport.server()
        let run = try await session.enabled(on: server)
        for id in 1...3 { server.say("<message id='\(id)'/>") }
        try await server.until { $0.unreadCount == 1 }
        let sent = try await session.send(element("<iq/>"))
        try await server.until { $0.heard.contains("<r/>") }
        try await clock.until { $0.sleeperCount == 1 }
        server.say("<sm:a h='1'/>")
        clock.advance(by: .seconds(30))
        try await clock.until { $0.sleeperCount == 1 }
        #expect(server.heard.last == "<r/>")
        var stanzas = session.stanzas.makeAsyncIterator()
        for id in 1...3 { #expect(await stanzas.next()?.element["id"] == "\(id)") }
        #expect(await sent.outcome() == .acknowledged)

        // The session has read everything, and gives up a silent server after one more timeout.
        try await server.until(\.isIdle)
        try await session.send(element("<iq/>"))
        for _ in 1...2 {
            try await clock.until { $0.sleeperCount == 1 }
            clock.advance(by: .seconds(30))
        }
        guard case .abandoned(.acknowledgementMissing) = try await run.value else { throw Unexpected() }
    }

    @Test("A session is resumed although the app takes none of the received stanzas")
    func resumedWithAFullInput() async throws {
        let session = try await StreamSession.quiet(resumes: true) { $0.maximumUnhandled = 2 }
        let first = ScriptedTransport.server()
        let run = try await session.enabled(on: first)
        for id in 1...3 { first.say("<message id='\(id)'/>") }
        try await first.until { $0.unreadCount == 1 }
        first.cut()
        // A session that does not read notices the lost connection at its next write.
        try await session.send(element("<iq/>"))
        guard case .lost = try await run.value else { throw Unexpected() }
        let second = ScriptedTransport.server(resumedWith: 0)
        let again = Self.run(session, on: second)
        try await session.until { $0.didResume }
        try await second.until { $0.heard == ["<resume previd='s1' h='2'/>", "<iq/>"] }
        second.say("<message id='3'/>")
        var stanzas = session.stanzas.makeAsyncIterator()
        for id in 1...3 { #expect(await stanzas.next()?.element["id"] == "\(id)") }
        try await second.cut(ending: again)
    }
}
