// Receiving through a session: handled stanzas, and tasks that wait.

import Foundation
import Locking
import StreamManagement
import StreamSimulator
import TestSupport
import Testing
import XMLTree

@Suite struct SessionReceivingTests {
    @Test func handledOnArrival() async throws {
        let (session, server, run) = try await StreamSession.running()
        server.say("<message id='1'/>")
        server.say("<sm:r/>")
        try await server.until { $0.heard.contains("<a h='1'/>") }
        var stanzas = session.stanzas.makeAsyncIterator()
        #expect(await stanzas.next()?.element["id"] == "1")
        try await server.cut(ending: run)
    }

    @Test("R7 A stanza beyond a limit is reported and acknowledged, and the stream continues")
    func beyondLimits() async throws {
        let (session, server, run) = try await StreamSession.running(handling: .whenConsumed)
        var events = await session.events().makeAsyncIterator()
        let stanza = rejected("<iq type='get' id='q1' from='a@b'><a><b/></a></iq>")
        server.say(stanza)
        server.say("<sm:r/>")
        try await server.until { $0.heard.contains("<a h='1'/>") }
        #expect(server.heard.contains { $0.hasPrefix("<iq type='error' id='q1' to='a@b'>") })
        #expect(await events.next() == .rejected(stanza))
        server.say("<message id='2'/>")
        var stanzas = session.stanzas.makeAsyncIterator()
        #expect(await stanzas.next()?.element["id"] == "2")
        try await server.cut(ending: run)
    }

    @Test("A stanza beyond a limit says so as an error, on one line")
    func rejectedStanza() {
        let error: any Error = rejected("<message id='m1'><a><b/></a></message>")
        #expect(error.localizedDescription == "\(error)")
        #expect(error.localizedDescription.hasPrefix("the parser skipped the stanza 'message': "))
        #expect(error.localizedDescription.contains("raise `depth` in ParserLimits"))
    }

    @Test func handledWhenConsumed() async throws {
        let (session, server, run) = try await StreamSession.running(handling: .whenConsumed) {
            $0.acknowledgements.count = 1
        }
        for id in 1...3 { server.say("<message id='\(id)'/>") }
        var ids: [String] = []
        for await stanza in session.stanzas {
            // The session does not acknowledge the stanza that the loop handles.
            #expect(!server.heard.contains("<a h='\(ids.count + 1)'/>"))
            ids.append(stanza.element["id"] ?? "")
            if ids.count == 3 { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(ids == ["1", "2", "3"])
        try await server.until { $0.heard.contains("<a h='2'/>") }
        #expect(!server.heard.contains("<a h='3'/>"))
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
        for await stanza in session.stanzas {
            received.append(stanza)
            if received.count == 4 { break }
        }
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

    @Test("The session pauses reading while the app takes no stanzas")
    func backPressure() async throws {
        let (session, server, run) = try await StreamSession.running() { $0.maximumUnhandled = 5 }
        for id in 1...50 { server.say("<message id='\(id)'/>") }
        try await server.until { $0.unreadCount < 50 }
        try await Task.sleep(for: .milliseconds(30))
        #expect(server.unreadCount >= 44)
        var count = 0
        for await _ in session.stanzas {
            count += 1
            if count == 50 { break }
        }
        #expect(server.unreadCount == 0)
        try await server.cut(ending: run)
    }

    @Test("Canceling the task of a run ends it, also while reading is paused")
    func canceledWhileFull() async throws {
        let (session, server, run) = try await StreamSession.running() { $0.maximumUnhandled = 5 }
        for id in 1...50 { server.say("<message id='\(id)'/>") }
        try await session.until { $0.isInputHeldUp }
        run.cancel()
        guard case .lost = try await run.value else { throw Unexpected() }
        #expect(server.unreadCount >= 44)
        #expect(server.heard.last == "abort")
        #expect(await session.canResume)
    }

    @Test("R40 The session offers a failed stanza again")
    func failing() async throws {
        let (session, server, run) = try await StreamSession.running(handling: .deciding { _ in .pending(id: nil) }) {
            $0.maximumHandlingAttempts = 2
        }
        var events = await session.events().makeAsyncIterator()
        server.say("<message id='p'/>")
        var stanzas = session.stanzas.makeAsyncIterator()
        for _ in 1...2 {
            guard let stanza = await stanzas.next() else { throw Unexpected() }
            #expect(stanza.element["id"] == "p")
            try await session.markFailed(stanza, because: Unexpected())
        }
        let error = HandlingError(Unexpected())
        #expect(await events.next() == .incomingDeadLetter(element("<message id='p'/>"), attempts: 2, error: error))
        try await server.cut(ending: run)
    }

    @Test("D19 D48 Timers run in real time")
    func timers() async throws {
        let clock = ManualClock()
        let (session, server, run) = try await StreamSession.running(clock: clock) {
            $0.acknowledgementRequests.interval = .seconds(2)
            $0.acknowledgementTimeout = .seconds(30)
        }
        try await session.send(element("<message/>"))
        try await clock.until { $0.sleeperCount == 1 }
        #expect(!server.heard.contains("<r/>"))
        clock.advance(by: .seconds(2))
        try await server.until { $0.heard.contains("<r/>") }
        try await clock.until { $0.sleeperCount == 1 }
        clock.advance(by: .seconds(30))
        guard case .abandoned(.acknowledgementMissing) = try await run.value else { throw Unexpected() }
        #expect(server.heard.last == "abort")
        #expect(await session.canResume)
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
        await session.close()
        var taken: [String?] = []
        for loop in loops { taken += await loop.value }
        #expect(Set(taken) == Set((1...30).map(String.init)) && taken.count == 30)
        _ = try await run.value
    }

    @Test("A delegate receives the same as the sequences")
    func delegate() async throws {
        let delegate = NotingDelegate()
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
}

/// Notes each call.
private final class NotingDelegate: StreamSessionDelegate {
    private let notes = Lock<[String]>([])

    var lines: [String] { notes.withLock { $0 } }

    private func note(_ line: String) { notes.withLock { $0.append(line) } }

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
        return true
    }

    func session(_ session: StreamSession, idForSentStanza stanza: Element) -> StanzaID? {
        stanza["id"].map { StanzaID("mine-\($0)") }
    }

    func session(_ session: StreamSession, handlingOf stanza: Element) -> HandlingDecision? {
        .pending(id: stanza["id"].map(StanzaID.init(rawValue:)))
    }

    func session(_ session: StreamSession, didReport report: StanzaReport) {
        note("\(report.state) \(report.id?.rawValue ?? "")")
    }
}
