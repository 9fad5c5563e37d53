// Receiving through a session: handled stanzas, tasks that wait, limits, and servers that send anything.

import Foundation
import Locking
import Simulators
import StreamManagement
import TestSupport
import Testing
import XMLTree

@Suite struct ReceivingTests {
    /// A session does not keep its delegate.
    private let delegate = NotingDelegate()

    // MARK: Handling

    @Test("R7 Stanzas are handled on arrival, also one beyond a limit, which is reported")
    func handledOnArrival() async throws {
        let (session, server, run) = try await StreamSession.running()
        var events = await session.events().makeAsyncIterator()
        server.say("<message id='1'/>")
        let stanza = rejected("<iq type='get' id='q1' from='a@b'><a><b/></a></iq>")
        server.say(stanza)
        server.say("<sm:r/>")
        try await server.until { $0.heard.contains("<a h='2'/>") }
        #expect(server.heard.contains { $0.hasPrefix("<iq type='error' id='q1' to='a@b'>") })
        #expect(await events.next() == .rejected(stanza))
        server.say("<message id='2'/>")
        for id in 1...2 { #expect(try await session.take().element["id"] == "\(id)") }
        try await server.cut(ending: run)
    }

    @Test("A stanza that the loop handles is not acknowledged") func handledWhenConsumed() async throws {
        let (session, server, run) = try await StreamSession.running(handling: .whenConsumed) {
            $0.acknowledgements.count = 1
        }
        for id in 1...3 { server.say("<message id='\(id)'/>") }
        var count = 0
        for await stanza in session.stanzas {
            count += 1
            #expect(stanza.element["id"] == "\(count)")
            if count > 1 { try await server.until { $0.heard.last == "<a h='\(count - 1)'/>" } }
            server.say("<sm:r/>")
            try await server.until(\.isIdle)
            #expect(!server.heard.contains("<a h='\(count)'/>"))
            if count == 3 { break }
        }
        try await server.cut(ending: run)
    }

    @Test("The application decides, by its own names, and marks out of order")
    func decided() async throws {
        let (session, server, run) = try await StreamSession.running(
            handling: .deciding {
                $0.name == "message" ? .pending(id: $0["id"].map(StanzaID.init(rawValue:))) : .handled
            })
        for xml in ["<presence/>", "<message id='1'/>", "<iq/>", "<message id='2'/>"] { server.say(xml) }
        var received: [ReceivedStanza] = []
        for _ in 1...4 { received.append(try await session.take()) }
        try await session.markHandled("2")
        try await session.sendAcknowledgement()
        // Otherwise the next count replaces this one, which waits to be stored.
        try await session.flush()
        try await session.markHandled(received[1])
        try await session.sendAcknowledgement()
        try await server.until { $0.heard.suffix(2) == ["<a h='1'/>", "<a h='4'/>"] }
        // A forgotten name is not an error.
        try await session.markHandled("2")
        try await server.cut(ending: run)
    }

    @Test("R40 The session offers a failed stanza again")
    func failing() async throws {
        let (session, server, run) = try await StreamSession.running(handling: .deciding { _ in .pending(id: nil) }) {
            $0.maximumHandlingAttempts = 2
        }
        var events = await session.events().makeAsyncIterator()
        server.say("<message id='p'/>")
        for _ in 1...2 {
            let stanza = try await session.take()
            #expect(stanza.element["id"] == "p")
            try await session.markFailed(stanza, because: Unexpected())
        }
        let error = HandlingError(Unexpected())
        #expect(await events.next() == .incomingDeadLetter(element("<message id='p'/>"), attempts: 2, error: error))
        try await server.cut(ending: run)
    }

    @Test("Several loops share the stanzas, and all end when the session is closed")
    func severalLoops() async throws {
        let (session, server, run) = try await StreamSession.running()
        let loops = (1...3).map { _ in
            Task { await session.stanzas.reduce(into: []) { $0.append($1.element["id"]) } }
        }
        for id in 1...30 { server.say("<message id='\(id)'/>") }
        try await server.until(\.isIdle)
        try await session.until { $0.untakenCount == 0 }
        try await session.close(ending: run)
        var taken: [String?] = []
        for loop in loops { taken += await loop.value }
        #expect(Set(taken) == Set((1...30).map(String.init)) && taken.count == 30)
    }

    @Test("A delegate receives the same as the sequences")
    func delegates() async throws {
        let session = try await StreamSession.quiet()
        await session.setDelegate(delegate)
        let server = ScriptedTransport.server()
        let run = try await session.enabled(on: server)
        try await session.send(element("<message id='m1'/>"))
        try await session.requestAcknowledgement()
        server.say("<message id='important'/>")
        server.say("<sm:a h='1'/>")
        try await session.until { _ in delegate.lines.last == "acknowledged [mine-m1]" }
        #expect(
            delegate.lines == [
                #"bound(address: Optional("juliet@example.org/balcony"))"#, "enabled", "requested",
                "received important", "acknowledged mine-m1", "acknowledged [mine-m1]",
            ])
        try await session.sendAcknowledgement()
        try await session.markHandled("important")
        try await session.sendAcknowledgement()
        try await server.until { $0.heard.suffix(2) == ["<a h='0'/>", "<a h='1'/>"] }
        try await server.cut(ending: run)
    }

    // MARK: Limits

    /// A session with room to send one stanza, on a server that has enabled stream management.
    private func running(
        awaitsAnswer: Bool, maximumUnhandled: Int, clock: ManualClock = ManualClock(), room: Int = 1
    ) async throws -> (StreamSession, ScriptedTransport, Task<StreamEnd, any Error>) {
        let session = try await StreamSession.quiet(handling: .whenConsumed, clock: clock) {
            $0.maximumUnhandled = maximumUnhandled
            $0.maximumUnacknowledged = room
            $0.acknowledgementRequests.count = 1
            $0.acknowledgementTimeout = .seconds(30)
        }
        delegate.awaitsAnswer.withLock { $0 = awaitsAnswer }
        await session.setDelegate(delegate)
        let server = ScriptedTransport.server()
        return (session, server, try await session.enabled(on: server))
    }

    /// The numbers in the comment of `maximumUnhandled`.
    @Test(
        "The session pauses reading at a limit, which is so many times as high while something is awaited",
        arguments: [(false, false, 2), (false, true, 4), (true, false, 32), (true, true, 64)])
    func factors(awaitsAnswer: Bool, awaitsRoom: Bool, expected: Int) async throws {
        let (session, server, run) = try await running(awaitsAnswer: awaitsAnswer, maximumUnhandled: 2)
        let sending = Task {
            if awaitsRoom { for id in 1...2 { try await session.send(element("<message id='\(id)'/>")) } }
        }
        for id in 1...100 { server.say("<message id='\(id)'/>") }
        try await server.until { $0.unreadCount == 100 - expected }
        // The session reads no more than that.
        #expect(await session.isInputHeldUp)
        if awaitsAnswer {
            try await session.close(ending: run)
        } else {
            // Canceling the run also ends a paused one.
            run.cancel()
            guard case .lost = try await run.value else { throw Unexpected() }
            #expect(server.heard.last == "abort")
            #expect(await session.canResume)
            await session.close()
        }
        _ = await sending.result
    }

    @Test("The factors do not overflow a huge limit", arguments: [Int.max, .max / 2 + 1, .max / 16])
    func noLimit(maximum: Int) async throws {
        let (session, server, run) = try await running(awaitsAnswer: true, maximumUnhandled: maximum)
        try await session.send(element("<message/>"))
        let waiting = Task { try await session.send(element("<message/>")) }
        for id in 1...100 { server.say("<message id='\(id)'/>") }
        try await server.until { $0.unreadCount == 0 }
        server.say("<sm:a h='1'/>")
        _ = try await waiting.value
        #expect(await !session.isInputHeldUp)
        try await server.cut(ending: run)
    }

    @Test("A delegate that waits for an answer is asked again when something is sent")
    func askedAgain() async throws {
        let (session, server, run) = try await running(awaitsAnswer: false, maximumUnhandled: 2, room: 10)
        for id in 1...5 { server.say("<message id='\(id)'/>") }
        try await server.until { $0.unreadCount == 3 }
        delegate.awaitsAnswer.withLock { $0 = true }
        try await session.send(element("<iq/>"))
        try await server.until { $0.unreadCount == 0 }
        try await server.cut(ending: run)
    }

    @Test("D48 The session gives up a silent server also while it reads more than the limit")
    func silence() async throws {
        let clock = ManualClock()
        let (session, server, run) = try await running(awaitsAnswer: true, maximumUnhandled: 2, clock: clock, room: 10)
        for id in 1...5 { server.say("<message id='\(id)'/>") }
        try await server.until { $0.unreadCount == 0 }
        try await session.send(element("<iq/>"))
        try await server.until { $0.heard.contains("<r/>") }
        try await clock.until { $0.sleeperCount == 1 }
        clock.advance(by: .seconds(30))
        #expect(try await run.value == .abandoned(.acknowledgementMissing))
        #expect(server.heard.last == "abort")
    }

    @Test("D48 An answer that a slow application leaves unread is not missing")
    func slowApplication() async throws {
        let clock = ManualClock()
        let (session, server, run) = try await StreamSession.running(clock: clock) {
            $0.maximumUnhandled = 2
            $0.acknowledgementRequests = .init(interval: .seconds(2))
            $0.acknowledgementTimeout = .seconds(30)
        }
        for id in 1...3 { server.say("<message id='\(id)'/>") }
        try await server.until { $0.unreadCount == 1 }
        let sent = try await session.send(element("<iq/>"))
        // D19: the request comes with a timer.
        try await clock.until { $0.sleeperCount == 1 }
        #expect(!server.heard.contains("<r/>"))
        clock.advance(by: .seconds(2))
        try await server.until { $0.heard.contains("<r/>") }
        try await clock.until { $0.sleeperCount == 1 }
        server.say("<sm:a h='1'/>")
        clock.advance(by: .seconds(30))
        try await clock.until { $0.sleeperCount == 1 }
        #expect(server.heard.last == "<r/>")
        for id in 1...3 { #expect(try await session.take().element["id"] == "\(id)") }
        #expect(await sent.outcome() == .acknowledged)
        try await server.cut(ending: run)
    }

    @Test("A session is resumed although the app takes none of the received stanzas")
    func resumedWithAFullInput() async throws {
        let (session, first, run) = try await StreamSession.running(resumes: true) { $0.maximumUnhandled = 2 }
        for id in 1...3 { first.say("<message id='\(id)'/>") }
        try await first.until { $0.unreadCount == 1 }
        first.cut()
        // A session that does not read notices the lost connection at its next write.
        try await session.send(element("<iq/>"))
        #expect(try await run.value == .lost(ScriptedTransport.Gone()))
        let second = ScriptedTransport.server()
        let again = session.begin(on: second)
        try await second.until { $0.heard == ["<resume previd='s1' h='2'/>", "<iq/>"] }
        second.say("<message id='3'/>")
        for id in 1...3 { #expect(try await session.take().element["id"] == "\(id)") }
        try await second.cut(ending: again)
    }

    private static let answers = [
        "<sm:enabled id='s1' resume='true'/>", "<sm:enabled id='s1' resume='1' max='1'/>", "<sm:enabled/>",
        "<sm:failed/>", "<sm:resumed previd='s1' h='0'/>", "<sm:resumed previd='s1' h='99'/>",
        "<sm:resumed xmlns:sm='urn:x'/>", "<iq/>",
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
            let run = session.begin(on: server)
            // Fewer than have room, so that no sender waits.
            for _ in 1...3 where await session.unacknowledged.count < 10 {
                try await session.send(element("<message/>"))
            }
            if random.chance(30) { server.cut() } else { server.say(nil as String?) }
            _ = try await run.value
            #expect(await session.unacknowledged.count <= 10, "seed \(SeededGenerator.seed)")
            #expect(server.heard.filter { $0.hasPrefix("<enable ") || $0.hasPrefix("<resume ") }.count <= 2)
        }
        await session.close()
        await taking.value
        await listening.value
    }
}

/// Notes each call, and may wait for an answer.
private final class NotingDelegate: StreamSessionDelegate {
    private let notes = Lock<[String]>([])
    let awaitsAnswer = Lock(false)

    var lines: [String] { notes.withLock { $0 } }

    private func note(_ line: String) { notes.withLock { $0.append(line) } }

    func sessionAwaitsAnswer(_ session: StreamSession) -> Bool { awaitsAnswer.withLock(\.self) }

    func session(_ session: StreamSession, didReceive event: SessionEvent) {
        switch event {
        case .enabled: note("enabled")
        case .acknowledgementRequested: note("requested")
        case .acknowledged(let ids): note("acknowledged \(ids)")
        default: note("\(event)")
        }
    }

    func session(_ session: StreamSession, didReceive stanza: ReceivedStanza) -> Bool {
        note("received \(stanza.element["id"] ?? "")")
        return !awaitsAnswer.withLock(\.self) && stanza.element["id"] == "important"
    }

    func session(_ session: StreamSession, idForSentStanza stanza: Element) -> StanzaID? {
        stanza["id"].map { StanzaID("mine-\($0)") }
    }

    func session(_ session: StreamSession, handlingOf stanza: Element) -> HandlingDecision? {
        stanza["id"] == "important" ? .pending(id: "important") : nil
    }

    func session(_ session: StreamSession, didReport report: StanzaReport) {
        note("\(report.state) \(report.id?.rawValue ?? "")")
    }
}
