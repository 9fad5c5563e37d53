// Sending through a session: states of stanzas, resumption, and room in the queue.

import Foundation
import Simulators
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct SendingTests {
    private static func messages(_ ids: ClosedRange<Int>) -> [Element] {
        ids.map { element("<message id='m\($0)'/>") }
    }

    private static func sent(_ server: ScriptedTransport) -> Int { server.heard.count { $0.hasPrefix("<message") } }

    // MARK: States

    @Test("A stanza keeps no sequence of states that no task reads, nor one after the session has forgotten it")
    func endedSequences() async throws {
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

        let server = ScriptedTransport.acknowledgingWhenAsked()
        let run = try await session.enabled(on: server)
        let first = try await session.send(element("<message id='first'/>"))
        let firstStates = Task { await first.states.reduce(into: []) { $0.append($1) } }
        for message in Self.messages(1...3 * AcknowledgedStanzas.maximumCount) { try await session.send(message) }
        #expect(await firstStates.value.last == .acknowledged)
        #expect(first.state == .acknowledged && first.sequenceCount == 0)
        try await server.cut(ending: run)
    }

    @Test("R38 The application can withdraw a waiting stanza, and a sent one counts")
    func takenBack() async throws {
        let storage = MemoryStorage()
        let session = try await StreamSession.quiet(storage, resumes: true)
        let first = try await session.send(element("<iq id='i1'/>"))
        let second = try await session.send(element("<iq id='i2'/>"))
        for _ in 1...2 { try await session.withdraw(first) }
        #expect(await first.outcome() == .failed)
        let server = ScriptedTransport.server()
        let run = session.begin(on: server)
        try await second.becomes(.sent)
        #expect(server.heard.last == "<iq id='i2'/>")
        // It counts in a session that can be resumed, also without a stream.
        for isConnected in [true, false] {
            if !isConnected { try await server.cut(ending: run) }
            try await session.withdraw(second)
            #expect(storage.session(of: "juliet@example.org")?.pending.map(\.id) == ["i2"])
        }
        #expect(second.state == .sent)
    }

    // MARK: Streams

    @Test("R26 A session resumes on the next transport, and sends unacknowledged stanzas again")
    func resumption() async throws {
        let (session, first, run) = try await StreamSession.running(resumes: true)
        let one = try await session.send(element("<iq id='i1'/>"))
        let two = try await session.send(element("<iq id='i2'/>"))
        try await two.becomes(.sent)
        try await first.cut(ending: run)
        #expect(await session.canResume)
        let three = try await session.send(element("<iq id='i3'/>"))
        #expect(three.state == .queued)
        var events = await session.events().makeAsyncIterator()
        let second = ScriptedTransport.server(resumedWith: 1)
        let again = session.begin(on: second)
        let result = ResumptionResult(acknowledged: ["i1"], answer: element("<sm:resumed previd='s1' h='1'/>"))
        #expect(await events.next() == .resumed(result))
        #expect(await one.outcome() == .acknowledged)
        try await three.becomes(.sent)
        #expect(await session.didResume)
        #expect(await session.lastResumption == result && result.isResumed)
        // R28: nothing else is sent.
        #expect(second.heard == ["<resume previd='s1' h='0'/>", "<iq id='i2'/>", "<iq id='i3'/>"])
        second.say("<sm:a h='3'/>")
        #expect(await events.next() == .acknowledged(["i2", "i3"]))
        #expect(await three.outcome() == .acknowledged)
        try await second.cut(ending: again)
    }

    @Test("R31 After <failed/> a session binds on the same stream")
    func failedResumption() async throws {
        let (session, first, run) = try await StreamSession.running(resumes: true)
        let message = try await session.send(element("<message id='m1'/>"))
        let iq = try await session.send(element("<iq id='i2'/>"))
        try await iq.becomes(.sent)
        try await first.cut(ending: run)
        let second = ScriptedTransport.server(id: "s2", resumedWith: nil)
        let again = session.begin(on: second)
        #expect(await iq.outcome() == .unknown)
        #expect(await session.lastResumption?.isResumed == false)
        #expect(await session.lastResumption?.answer == element("<sm:failed/>"))
        try await second.until { $0.heard.count == 4 }
        #expect(second.heard.prefix(3) == ["<resume previd='s1' h='0'/>", "bind", "<enable resume='true'/>"])
        #expect(second.heard[3].hasPrefix("<message id='m1'><delay "))
        second.say("<sm:a h='1'/>")
        try await message.becomes(.acknowledged)
        await session.close()
        let states = await message.states.reduce(into: []) { $0.append($1) }
        #expect(states == [.queued, .sent, .unknown, .queued, .sent, .acknowledged])
        _ = try await again.value
    }

    @Test("R30 The application is asked, and decides later")
    func decision() async throws {
        let (session, server, run) = try await StreamSession.running(resumes: true) { $0.failurePolicy = .ask }
        let one = try await session.send(element("<message id='m1'/>"))
        let two = try await session.send(element("<message id='m2'/>"))
        try await two.becomes(.sent)
        try await server.cut(ending: run)
        let events = await session.events()
        let second = ScriptedTransport.server(id: "s2", resumedWith: nil)
        let again = session.begin(on: second)
        for await case .undecided(let stanzas) in events {
            #expect(stanzas.map(\.number) == [one.number, two.number])
            break
        }
        try await session.decide(resend: [two.number])
        #expect(await one.outcome() == .unknown)
        try await second.until { this in this.heard.contains { $0.hasPrefix("<message id='m2'>") } }
        try await second.cut(ending: again)
    }

    @Test("R42 Without automatic resumption a session binds, unless the application resumes")
    func byHand() async throws {
        let (session, first, run) = try await StreamSession.running()
        try await first.cut(ending: run)
        let second = ScriptedTransport.server()
        let again = Task { try await session.run(on: second, features: ScriptedTransport.features, resuming: true) }
        try await session.until { $0.didResume }
        #expect(second.heard == ["<resume previd='s1' h='0'/>"])
        try await second.cut(ending: again)
        let third = ScriptedTransport.server(id: "s2")
        let last = session.begin(on: third)
        try await third.until { $0.heard == ["bind", "<enable resume='true'/>"] }
        try await third.cut(ending: last)
    }

    @Test("R9 R41 Without automatic enabling it is enabled by hand, after binding and once")
    func enabledByHand() async throws {
        let session = try await StreamSession.quiet { $0.enablesAutomatically = false }
        await #expect(throws: StreamManagementError.notBound) { try await session.enable() }
        let server = ScriptedTransport.server()
        let run = session.begin(on: server)
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

    @Test("R38 Without stream management, stanzas stay stored until the transport has taken them")
    func writtenBeforeRemoved() async throws {
        let storage = MemoryStorage()
        let session = try await StreamSession.quiet(storage)
        let waiting = try await session.send(contentsOf: Self.messages(1...3))
        let server = ScriptedTransport.server()
        server.holdWrites(true)
        let run = session.begin(on: server, features: StreamFeatures())
        try await session.until { $0.state == .disabled(.bound) }
        let late = try await session.send(element("<message id='m4'/>"))
        func stored() -> [StanzaID?] { storage.session(of: "juliet@example.org")?.pending.map(\.id) ?? [] }
        // The connection breaks before anything of it has reached the socket.
        try await server.cut(ending: run)
        #expect(stored() == ["m1", "m2", "m3", "m4"] && late.state == .queued)
        let next = ScriptedTransport.server()
        let again = session.begin(on: next, features: StreamFeatures())
        for stanza in waiting + [late] { #expect(await stanza.outcome() == .sent) }
        #expect(Self.sent(next) == 4 && stored() == [])
        try await next.cut(ending: again)
    }

    // MARK: Several stanzas

    @Test("Several stanzas are stored in one go, before the first is sent: all of them, or none if one is refused")
    func together() async throws {
        let storage = CountingStorage()
        let session = try await StreamSession.quiet(storage) { $0.maximumUnacknowledged = 60 }
        let server = ScriptedTransport.server()
        var features = ScriptedTransport.features
        features.limits.bytes = 10_000
        let run = session.begin(on: server, features: features)
        try await session.until { $0.state == .enabled }
        let before = storage.writeCount
        let sent = try await session.send(contentsOf: Self.messages(1...50))
        #expect(storage.writeCount == before + 1)
        for stanza in sent { try await stanza.becomes(.sent) }
        let large = element(message("m52", bytes: 10_000))
        for (elements, error) in [
            ([element("<message id='m51'/>"), large], StreamManagementError.tooLarge(limit: 10_000)),
            ([element("<message id='m51'/>"), element("<body/>")], .notAStanza("body")),
            (Self.messages(51...111), .queueFull(limit: 60)),
        ] {
            await #expect(throws: error) { try await session.send(contentsOf: elements) }
        }
        // A wait for room for several ends for all of them.
        let sender = Task { try await session.send(contentsOf: Self.messages(51...61)) }
        try await session.until { $0.waitingSenderCount == 1 }
        #expect(try await session.send(contentsOf: []).isEmpty)
        sender.cancel()
        await #expect(throws: CancellationError.self) { try await sender.value }
        let last = try await session.send(element("<message id='m51'/>"))
        try await last.becomes(.sent)
        #expect(
            server.heard.suffix(51) == ArraySlice(Self.messages(1...51).map(\.text)) || server.heard.contains("<r/>"))
        #expect(Self.sent(server) == 51)
        try await server.cut(ending: run)
    }

    @Test("D23 A transaction that had room is stored, although its stanzas exceed the bound in bytes")
    func transactionBeyondTheBound() async throws {
        let session = try await StreamSession.quiet(CountingStorage()) { $0.maximumUnacknowledgedBytes = 10_000 }
        let elements = (1...3).map { element(message("m\($0)", bytes: 8000)) }
        #expect(try await session.commit(nil, with: NoEffects(), sending: elements).count == 3)
        #expect(await session.unacknowledged.count == 3)
    }

    // MARK: Room

    /// A session with five stanzas in a queue of ten places.
    private func halfFull() async throws -> StreamSession {
        let session = try await StreamSession.quiet(CountingStorage()) { $0.maximumUnacknowledged = 10 }
        for message in Self.messages(1...5) { try await session.send(message) }
        return session
    }

    /// Begins a transaction of ten stanzas, which waits.
    private func commitTen(_ session: StreamSession, waiting: Int) async throws -> Task<[SentStanza], any Error> {
        let commit = Task { try await session.commit(nil, with: NoEffects(), sending: Self.messages(101...110)) }
        try await session.until { $0.waitingSenderCount == waiting }
        return commit
    }

    /// Begins to send a stanza, which waits.
    private func sendOne(_ session: StreamSession, waiting: Int) async throws -> Task<SentStanza, any Error> {
        let sending = Task { try await session.send(element("<message id='single'/>")) }
        try await session.until { $0.waitingSenderCount == waiting }
        return sending
    }

    @Test("D23 A transaction of several stanzas gets its room before senders that arrive after it")
    func order() async throws {
        let session = try await halfFull()
        let server = ScriptedTransport.server()
        let run = session.begin(on: server)
        try await server.until { Self.sent($0) == 5 }
        let transaction = try await commitTen(session, waiting: 1)
        // The transaction has asked.
        try await server.until { $0.heard.contains("<r/>") }
        let single = try await sendOne(session, waiting: 2)
        for count in [1, 4] { server.say("<sm:a h='\(count)'/>") }
        try await session.until { $0.unacknowledged.count == 1 }
        #expect(Self.sent(server) == 5)
        server.say("<sm:a h='5'/>")
        #expect(try await transaction.value.count == 10)
        try await server.until { Self.sent($0) == 15 }
        #expect(!server.heard.contains("<message id='single'/>"))
        server.say("<sm:a h='15'/>")
        _ = try await single.value
        try await server.cut(ending: run)
    }

    @Test(
        "D23 Transactions that no longer fit or are canceled give up their turns, and the next sender gets it",
        arguments: [1, 2, nil])
    func turns(count: Int?) async throws {
        let session = try await halfFull()
        var transactions: [Task<[SentStanza], any Error>] = []
        for number in 1...(count ?? 1) { transactions.append(try await commitTen(session, waiting: number)) }
        let single = try await sendOne(session, waiting: transactions.count + 1)
        if count == nil {
            transactions[0].cancel()
            await #expect(throws: CancellationError.self) { try await transactions[0].value }
        } else {
            await session.configure { $0.maximumUnacknowledged = 6 }
            for transaction in transactions {
                await #expect(throws: StreamManagementError.queueFull(limit: 6)) { try await transaction.value }
            }
        }
        _ = try await single.value
        #expect(await session.unacknowledged.count == 6)
    }

    @Test("D23 Senders wait for room, block no thread, and can be canceled")
    func backPressure() async throws {
        let (session, server, run) = try await StreamSession.running { $0.maximumUnacknowledged = 2 }
        for message in Self.messages(1...2) { try await session.send(message) }
        // More than there are threads.
        let senders = Self.messages(3...40).map { message in Task { try await session.send(message) } }
        let canceled = Task { try await session.send(element("<message id='never'/>")) }
        try await session.until { $0.waitingSenderCount == 39 }
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }
        #expect(await session.unacknowledged.count == 2)
        for count in 1...40 {
            try await server.until { Self.sent($0) >= min(40, count + 1) }
            server.say("<sm:a h='\(count)'/>")
        }
        for sender in senders { #expect(try await sender.value.outcome() == .acknowledged) }
        #expect(Self.sent(server) == 40 && !server.heard.contains("<message id='never'/>"))
        try await server.cut(ending: run)
    }

    @Test("A transport that is slow to write makes senders wait, too")
    func slowTransport() async throws {
        let (session, server, run) = try await StreamSession.running { $0.maximumUnacknowledged = .max }
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

    @Test("The app is notified once of a server that answers and acknowledges too little")
    func withheld() async throws {
        let clock = ManualClock()
        let session = try await StreamSession.quiet(clock: clock) { $0.maximumUnacknowledged = 2 }
        let server = ScriptedTransport { heard in
            if heard.hasPrefix("<enable ") { return ["<sm:enabled id='s1' resume='true'/>"] }
            return heard == "<r/>" ? ["<sm:a h='0'/>"] : []
        }
        let events = await session.events()
        let run = session.begin(on: server)
        for message in Self.messages(1...2) { try await session.send(message) }
        let sender = try await sendOne(session, waiting: 1)
        try await server.until { $0.heard.contains("<r/>") }
        for count in 2...4 {
            try await clock.until { $0.sleeperCount > 0 }
            clock.advance(by: .seconds(30))
            try await server.until { this in this.heard.count { $0 == "<r/>" } == count }
        }
        try await session.close(ending: run)
        await #expect(throws: StreamManagementError.ended) { try await sender.value }
        var reports: [String] = []
        for await case .acknowledgementWithheld(let first, let count) in events {
            reports.append("\(first.id ?? "none") of \(count)")
        }
        #expect(reports == ["m1 of 2"])
    }
}
