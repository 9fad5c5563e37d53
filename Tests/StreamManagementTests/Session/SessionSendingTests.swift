// Sending through a session: states of stanzas, resumption, back-pressure.

import Foundation
import StreamSimulator
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct SessionSendingTests {
    @Test func statesOfAStanza() async throws {
        let session = try await StreamSession.quiet()
        let sent = try await session.send(element("<message id='m1'/>"))
        #expect(sent.state == .queued)
        let server = ScriptedTransport.server()
        let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
        try await sent.becomes(.sent)
        #expect(server.heard == ["bind", "<enable resume='true'/>", "<message id='m1'/>"])
        server.say("<sm:a h='1'/>")
        #expect(await sent.outcome() == .acknowledged)
        server.say(bounce(of: "m1"))
        var states: [StanzaState] = []
        for await state in sent.states { states.append(state) }
        #expect(states.prefix(3) == [.queued, .sent, .acknowledged] && states.count == 4)
        guard case .bounced(let error) = sent.state else { throw Unexpected() }
        #expect(error.condition == "service-unavailable" && error.type == "cancel")
        #expect(await sent.outcome() == sent.state)
        server.cut()
        guard case .lost = try await run.value else { throw Unexpected() }
    }

    @Test("A stanza keeps no sequence of states that no task reads") func endedSequences() async throws {
        let session = try await StreamSession.quiet()
        let sent = try await session.send(element("<message id='m1'/>"))
        for await _ in sent.states {
            #expect(sent.sequenceCount == 1)
            break
        }
        #expect(sent.sequenceCount == 0)
        let canceled = Task { await sent.outcome() }
        try await eventually("the task waits") { sent.sequenceCount == 1 }
        canceled.cancel()
        #expect(await canceled.value == .queued)
        #expect(sent.sequenceCount == 0)
        // A final state ends the sequences in use.
        let states = sent.states
        try await session.withdraw(sent)
        #expect(sent.sequenceCount == 0)
        #expect(await states.reduce(into: []) { $0.append($1) } == [.queued, .failed])
    }

    @Test("R38 The application can withdraw a waiting stanza, and a sent one counts")
    func takenBack() async throws {
        let storage = MemoryStorage()
        let session = try await StreamSession.quiet(storage, resumes: true)
        let first = try await session.send(element("<iq id='i1'/>"))
        let second = try await session.send(element("<iq id='i2'/>"))
        try await session.withdraw(first)
        try await session.withdraw(first)
        #expect(await first.outcome() == .failed)
        #expect(storage.session(of: "juliet@example.org")?.pending.map(\.id) == ["i2"])
        let server = ScriptedTransport.server()
        let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
        try await second.becomes(.sent)
        #expect(server.heard.last == "<iq id='i2'/>")
        try await session.withdraw(second)
        #expect(await session.unacknowledged.map(\.id) == ["i2"])
        try await server.cut(ending: run)
        // It counts in a session that can be resumed.
        try await session.withdraw(second)
        #expect(storage.session(of: "juliet@example.org")?.pending.map(\.id) == ["i2"])
        #expect(second.state == .sent)
    }

    @Test("R26 A session resumes on the next transport, and sends unacknowledged stanzas again")
    func resumption() async throws {
        let session = try await StreamSession.quiet(resumes: true)
        let first = ScriptedTransport.server()
        let run = Task { try await session.run(on: first, features: ScriptedTransport.features) }
        let one = try await session.send(element("<iq id='i1'/>"))
        let two = try await session.send(element("<iq id='i2'/>"))
        try await two.becomes(.sent)
        try await first.cut(ending: run)
        #expect(await session.canResume)
        let three = try await session.send(element("<iq id='i3'/>"))
        #expect(three.state == .queued)

        var events = await session.events().makeAsyncIterator()
        let second = ScriptedTransport.server(resumedWith: 1)
        let again = Task { try await session.run(on: second, features: ScriptedTransport.features) }
        #expect(
            await events.next()
                == .resumed(
                    ResumptionResult(acknowledged: ["i1"], answer: element("<sm:resumed previd='s1' h='1'/>"))))
        #expect(await one.outcome() == .acknowledged)
        try await three.becomes(.sent)
        #expect(await session.didResume)
        #expect(await session.lastResumption?.acknowledged == ["i1"])
        #expect(await session.lastResumption?.isResumed == true)
        // R28: nothing else is sent.
        #expect(second.heard == ["<resume previd='s1' h='0'/>", "<iq id='i2'/>", "<iq id='i3'/>"])
        second.say("<sm:a h='3'/>")
        #expect(await events.next() == .acknowledged(["i2", "i3"]))
        #expect(await three.outcome() == .acknowledged)
        try await second.cut(ending: again)
    }

    @Test("R42 Without automatic resumption a session binds, unless the application resumes")
    func byHand() async throws {
        let session = try await StreamSession.quiet()
        let first = ScriptedTransport.server()
        let run = try await session.enabled(on: first)
        try await first.cut(ending: run)
        let second = ScriptedTransport.server()
        let again = Task { try await session.run(on: second, features: ScriptedTransport.features, resuming: true) }
        try await session.until { $0.didResume }
        #expect(second.heard == ["<resume previd='s1' h='0'/>"])
        try await second.cut(ending: again)
        let third = ScriptedTransport.server(id: "s2")
        let last = Task { try await session.run(on: third, features: ScriptedTransport.features) }
        try await third.until { $0.heard == ["bind", "<enable resume='true'/>"] }
        try await third.cut(ending: last)
    }

    @Test("R9 R41 Without automatic enabling it is enabled by hand, after binding and once")
    func enabledByHand() async throws {
        let session = try await StreamSession.quiet { $0.enablesAutomatically = false }
        await #expect(throws: StreamManagementError.notBound) { try await session.enable() }
        let server = ScriptedTransport.server()
        let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
        try await session.until { $0.state == .disabled(.bound) }
        try await session.send(element("<presence/>"))
        try await session.enable(resumption: true, maximum: .milliseconds(2500))
        try await session.until { $0.state == .enabled }
        #expect(server.heard == ["bind", "<presence/>", "<enable resume='true' max='2'/>"])
        await #expect(throws: StreamManagementError.alreadyEnabled) { try await session.enable() }
        try await server.cut(ending: run)
        #expect(await session.canResume)
        await #expect(throws: StreamManagementError.notBound) { try await session.enable() }
    }

    @Test("R31 After <failed/> a session binds on the same stream")
    func failedResumption() async throws {
        let session = try await StreamSession.quiet(resumes: true)
        let first = ScriptedTransport.server()
        let run = Task { try await session.run(on: first, features: ScriptedTransport.features) }
        let message = try await session.send(element("<message id='m1'/>"))
        let iq = try await session.send(element("<iq id='i2'/>"))
        try await iq.becomes(.sent)
        try await first.cut(ending: run)
        let second = ScriptedTransport.server(id: "s2", resumedWith: nil)
        let again = Task { try await session.run(on: second, features: ScriptedTransport.features) }
        #expect(await iq.outcome() == .unknown)
        #expect(await session.lastResumption?.isResumed == false)
        #expect(await session.lastResumption?.answer == element("<sm:failed/>"))
        try await second.until { $0.heard.count == 4 }
        #expect(second.heard.prefix(3) == ["<resume previd='s1' h='0'/>", "bind", "<enable resume='true'/>"])
        #expect(second.heard[3].hasPrefix("<message id='m1'><delay "))
        second.say("<sm:a h='1'/>")
        var states: [StanzaState] = []
        for await state in message.states {
            states.append(state)
            if state == .acknowledged { break }
        }
        #expect(states == [.queued, .sent, .unknown, .queued, .sent, .acknowledged])
        try await second.cut(ending: again)
    }

    @Test("R38 Without stream management, stanzas stay stored until the transport has taken them")
    func writtenBeforeRemoved() async throws {
        let storage = MemoryStorage()
        let session = try await StreamSession.quiet(storage)
        let waiting = try await session.send(contentsOf: (1...3).map { element("<message id='m\($0)'/>") })
        let server = ScriptedTransport.server()
        server.holdWrites(true)
        let run = Task { try await session.run(on: server, features: StreamFeatures()) }
        try await session.until { $0.state == .disabled(.bound) }
        let late = try await session.send(element("<message id='m4'/>"))
        func stored() -> [StanzaID?] { storage.session(of: "juliet@example.org")?.pending.map(\.id) ?? [] }
        #expect(stored() == ["m1", "m2", "m3", "m4"])
        // The connection breaks before anything of it has reached the socket.
        try await server.cut(ending: run)
        #expect(stored() == ["m1", "m2", "m3", "m4"])
        #expect(late.state == .queued)

        let next = ScriptedTransport.server()
        let again = Task { try await session.run(on: next, features: StreamFeatures()) }
        for stanza in waiting + [late] { #expect(await stanza.outcome() == .sent) }
        #expect(next.heard.count { $0.hasPrefix("<message") } == 4)
        #expect(stored() == [])
        try await next.cut(ending: again)
    }

    @Test("D23 A sender that waits for room for several stanzas makes a request due, too")
    func roomForSeveral() async throws {
        let storage = CountingStorage()
        let session = try await StreamSession.quiet(storage) { $0.maximumUnacknowledged = 5 }
        let server = ScriptedTransport.acknowledgingWhenAsked()
        let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
        for number in 1...3 { try await session.send(element("<message id='m\(number)'/>")) }
        let sent = try await session.commit(
            nil, with: NoEffects(), sending: (4...6).map { element("<message id='m\($0)'/>") })
        for stanza in sent { try await stanza.becomes(.sent) }
        try await server.cut(ending: run)
    }

    @Test("D23 A transaction that had room is stored, although its stanzas exceed the bound in bytes")
    func transactionBeyondTheBound() async throws {
        let storage = CountingStorage()
        let session = try await StreamSession.quiet(storage) { $0.maximumUnacknowledgedBytes = 10_000 }
        let body = String(repeating: "x", count: 8000)
        let elements = (1...3).map { element("<message id='m\($0)'><body>\(body)</body></message>") }
        #expect(try await session.commit(nil, with: NoEffects(), sending: elements).count == 3)
        #expect(await session.unacknowledged.count == 3)
    }

    @Test("Of several stanzas with one that is too large, none is sent, and the counts stay right")
    func severalWithOneTooLarge() async throws {
        let session = try await StreamSession.quiet()
        let server = ScriptedTransport.server()
        var features = ScriptedTransport.features
        features.limits.bytes = 10_000
        let run = Task { [features] in try await session.run(on: server, features: features) }
        try await session.send(element("<message id='m1'/>"))
        try await server.until { this in this.heard.contains { $0.contains("m1") } }
        let large = element(message("m3", bytes: 10_000))
        await #expect(throws: StreamManagementError.tooLarge(limit: 10_000)) {
            try await session.send(contentsOf: [element("<message id='m2'/>"), large])
        }
        #expect(await session.unacknowledged.count == 1)
        let last = try await session.send(element("<message id='m4'/>"))
        try await last.becomes(.sent)
        #expect(!server.heard.contains { $0.contains("m2") })
        try await server.cut(ending: run)
    }

    @Test("D23 Senders wait for room, block no thread, and can be canceled")
    func backPressure() async throws {
        let session = try await StreamSession.quiet { $0.maximumUnacknowledged = 2 }
        let server = ScriptedTransport.server()
        let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
        try await session.send(element("<message id='m1'/>"))
        try await session.send(element("<message id='m2'/>"))
        // More than there are threads.
        let senders = (3...40).map { number in
            Task { try await session.send(element("<message id='m\(number)'/>")) }
        }
        let canceled = Task { try await session.send(element("<message id='never'/>")) }
        try await Task.sleep(for: .milliseconds(20))
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }
        #expect(await session.unacknowledged.count == 2)
        for count in 1...40 {
            try await server.until { $0.heard.count { $0.hasPrefix("<message") } >= min(40, count + 1) }
            server.say("<sm:a h='\(count)'/>")
        }
        for sender in senders { #expect(try await sender.value.outcome() == .acknowledged) }
        #expect(server.heard.filter { $0.hasPrefix("<message") }.count == 40)
        #expect(!server.heard.contains("<message id='never'/>"))
        try await server.cut(ending: run)
    }

    @Test("D23 Several stanzas wait for room together: all are sent, or none") func allOrNone() async throws {
        let session = try await StreamSession.quiet { $0.maximumUnacknowledged = 3 }
        func messages(_ ids: ClosedRange<Int>) -> [Element] { ids.map { element("<message id='m\($0)'/>") } }
        try await session.send(contentsOf: messages(1...1))
        await #expect(throws: StreamManagementError.queueFull(limit: 3)) {
            try await session.send(contentsOf: messages(2...5))
        }
        let sender = Task { try await session.send(contentsOf: messages(2...4)) }
        try await session.until { $0.waitingSenderCount == 1 }
        #expect(try await session.send(contentsOf: []).isEmpty)
        sender.cancel()
        await #expect(throws: CancellationError.self) { try await sender.value }
        #expect(await session.unacknowledged.map(\.id) == ["m1"])
        #expect(try await session.send(contentsOf: messages(2...3)).count == 2)
        #expect(await session.unacknowledged.map(\.id) == ["m1", "m2", "m3"])
        await session.close()
    }

    @Test("A transport that is slow to write makes senders wait, too")
    func slowTransport() async throws {
        let session = try await StreamSession.quiet { $0.maximumUnacknowledged = .max }
        let server = ScriptedTransport.server()
        let run = try await session.enabled(on: server)
        server.holdWrites(true)
        let large = element("<message><body>\(String(repeating: "x", count: 50_000))</body></message>")
        let sender = Task {
            for _ in 1...40 { try await session.send(large) }
        }
        try await session.until { $0.unacknowledged.count > 5 }
        try await Task.sleep(for: .milliseconds(50))
        // The outbox is bounded: one batch is being written, the next is full.
        #expect(await session.unacknowledged.count < 20)
        server.holdWrites(false)
        try await sender.value
        #expect(await session.unacknowledged.count == 40)
        try await server.cut(ending: run)
    }

    @Test("Several stanzas are stored in one go, before the first is sent")
    func together() async throws {
        let storage = CountingStorage()
        let session = try await StreamSession.quiet(storage)
        let server = ScriptedTransport.server()
        let run = try await session.enabled(on: server)
        let before = storage.writeCount
        let sent = try await session.send(contentsOf: (1...50).map { element("<message id='m\($0)'/>") })
        #expect(storage.writeCount == before + 1)
        for stanza in sent { try await stanza.becomes(.sent) }
        #expect(server.heard.suffix(50) == ArraySlice((1...50).map { "<message id='m\($0)'/>" }))
        await #expect(throws: StreamManagementError.notAStanza("body")) { try await session.send(element("<body/>")) }
        try await server.cut(ending: run)
    }
}
