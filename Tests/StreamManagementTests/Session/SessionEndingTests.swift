// Sessions that end, are suspended, change their owner and fail.

import Foundation
import StreamManagement
import StreamSimulator
import TestSupport
import Testing
import XMLTree
import XMPPCore

@Suite struct SessionEndingTests {
    private static let account: JID = "juliet@example.org"

    @Test("R17 D34 Closing acknowledges handled stanzas, closes the stream, and leaves nothing stored")
    func closing() async throws {
        let storage = MemoryStorage()
        let (session, server, run) = try await StreamSession.running(storage, resumes: true)
        server.say("<message/>")
        let sent = try await session.send(element("<message id='m1'/>"))
        try await sent.becomes(.sent)
        await session.takeStanza()
        let events = await session.events()
        await session.close()
        guard case .closed = try await run.value else { throw Unexpected() }
        #expect(server.heard.contains("<a h='1'/>"))
        #expect(server.heard.last == "close")
        #expect(storage.session(of: Self.account) == nil)
        #expect(await sent.outcome() == .unknown)
        for await event in events { #expect(event == .acknowledged([])) }
        for await _ in session.stanzas {}
        await #expect(throws: StreamManagementError.ended) { try await session.send(element("<message/>")) }
        await #expect(throws: StreamManagementError.ended) {
            try await session.run(on: ScriptedTransport.server(), features: ScriptedTransport.features)
        }
        // The account is free again.
        _ = try storage.open(Self.account)
    }

    @Test("Closing may wait for acknowledgements, for a limited time")
    func draining() async throws {
        let (session, server, _) = try await StreamSession.running(resumes: true)
        let sent = try await session.send(element("<message/>"))
        let closing = Task { await session.close(waiting: .seconds(10)) }
        try await server.until { $0.heard.contains("<r/>") }
        #expect(!server.heard.contains("close"))
        server.say("<sm:a h='1'/>")
        await closing.value
        #expect(await sent.outcome() == .acknowledged)

        let clock = ManualClock()
        let (silent, quietServer, _) = try await StreamSession.running(resumes: true, clock: clock)
        let lost = try await silent.send(element("<message/>"))
        let waiting = Task { await silent.close(waiting: .seconds(10)) }
        try await quietServer.until { $0.heard.contains("<r/>") }
        try await clock.until { $0.sleeperCount == 1 }
        clock.advance(by: .seconds(10))
        await waiting.value
        #expect(await lost.outcome() == .unknown)
    }

    @Test("A new process takes the session up where the old one was killed")
    func restart() async throws {
        let storage = MemoryStorage()
        do {
            let (session, server, run) = try await StreamSession.running(storage, resumes: true)
            let sent = try await session.send(element("<iq id='i1'/>"))
            try await sent.becomes(.sent)
            try await server.cut(ending: run)
        }
        let (session, server, run) = try await StreamSession.running(storage, resumes: true, takingOver: true)
        try await server.until { $0.heard == ["<resume previd='s1' h='0'/>", "<iq id='i1'/>"] }
        guard let number = await session.unacknowledged.first?.number, let tracked = await session.tracking(number)
        else { throw Unexpected() }
        server.say("<sm:a h='1'/>")
        #expect(await tracked.outcome() == .acknowledged)
        #expect(await session.address == "juliet@example.org/balcony")
        try await server.cut(ending: run)
    }

    @Test("A suspended session can be taken up by another process, and back again")
    func suspension() async throws {
        let storage = MemoryStorage()
        let (app, server, run) = try await StreamSession.running(storage, resumes: true)
        let sent = try await app.send(element("<iq id='i1'/>"))
        try await sent.becomes(.sent)
        server.say("<message/>")
        await app.takeStanza()
        try await app.suspend()
        guard case .suspended = try await run.value else { throw Unexpected() }
        #expect(server.heard.suffix(2) == ["<a h='1'/>", "abort"])
        // The extension.
        let (helper, second, helperRun) = try await StreamSession.running(storage, resumes: true)
        try await second.until { $0.heard == ["<resume previd='s1' h='1'/>", "<iq id='i1'/>"] }
        second.say("<sm:a h='1'/>")
        try await helper.until { $0.unacknowledged.isEmpty }
        // While the extension owns the session, the app gets an error.
        await #expect(throws: StorageError.inUse(account: Self.account)) { try await app.send(element("<iq/>")) }
        try await helper.suspend()
        _ = try await helperRun.value
        // And back: the app has the state that the extension stored.
        let third = ScriptedTransport.server(resumedWith: 1)
        let again = Task { try await app.run(on: third, features: ScriptedTransport.features) }
        try await app.until { $0.didResume }
        #expect(third.heard == ["<resume previd='s1' h='1'/>"])
        try await third.cut(ending: again)
    }

    @Test("M36 One of two processes owns the session, and the other gets an error")
    func takeOver() async throws {
        let storage = MemoryStorage()
        let (first, server, run) = try await StreamSession.running(storage, resumes: true)
        await #expect(throws: StorageError.inUse(account: Self.account)) {
            try await StreamSession(account: Self.account, storage: storage)
        }
        let (_, second, secondRun) = try await StreamSession.running(storage, resumes: true, takingOver: true)
        #expect(second.heard == ["<resume previd='s1' h='0'/>"])
        await #expect(throws: StorageError.takenOver(account: Self.account)) {
            try await first.send(element("<message/>"))
        }
        guard case .takenOver = try await run.value else { throw Unexpected() }
        #expect(server.heard.last == "abort")
        #expect(!server.heard.contains { $0.hasPrefix("<message") })
        // The stored session belongs to the other process.
        #expect(storage.session(of: Self.account)?.resumption?.id.rawValue == "s1")
        try await second.cut(ending: secondRun)
    }

    @Test("M36 A process that loses the session while it closes it does not end the other one's session")
    func takenOverWhileClosing() async throws {
        let storage = CountingStorage()
        let (session, server, run) = try await StreamSession.running(storage, resumes: true)
        storage.fail(StorageError.takenOver(account: Self.account))
        await session.close()
        _ = try await run.value
        #expect(server.heard.last == "abort" && !server.heard.contains("close"))
        #expect(try storage.load() != nil)
    }

    @Test("M36 A violation of the protocol does not end the session of another owner")
    func takenOverBeforeViolation() async throws {
        let storage = CountingStorage()
        let (_, server, run) = try await StreamSession.running(storage, resumes: true)
        storage.fail(StorageError.takenOver(account: Self.account))
        server.say("<sm:a h='7'/>")
        #expect(try await run.value == .takenOver)
        #expect(!server.heard.contains { $0 == "close" || $0.hasPrefix("<stream:error") })
        #expect(try storage.load()?.resumption != nil)
    }

    @Test("An element before the answer to a resumption does not end the session that the client keeps")
    func violationBeforeTheAnswer() async throws {
        let storage = CountingStorage()
        let (session, first, run) = try await StreamSession.running(storage, resumes: true)
        try await first.cut(ending: run)
        let second = ScriptedTransport { $0.hasPrefix("<resume ") ? ["<message/>"] : [] }
        #expect(
            try await session.run(on: second, features: ScriptedTransport.features) == .violation(.unexpected(.stanza)))
        #expect(second.heard.last == "abort" && !second.heard.contains("close"))
        #expect(await session.canResume)
        let third = ScriptedTransport.server()
        let again = Task { try await session.run(on: third, features: ScriptedTransport.features) }
        try await third.until { $0.heard == ["<resume previd='s1' h='0'/>"] }
        try await third.cut(ending: again)
    }

    @Test("R38 The session does not send a stanza that it cannot store, and continues from the storage")
    func failingStorage() async throws {
        let storage = CountingStorage()
        let (session, server, run) = try await StreamSession.running(storage, resumes: true)
        let first = try await session.send(element("<iq id='i1'/>"))
        try await first.becomes(.sent)
        storage.fail(DiskFull())
        await #expect(throws: DiskFull.self) { try await session.send(element("<iq id='i2'/>")) }
        guard case .storageFailed = try await run.value else { throw Unexpected() }
        #expect(!server.heard.contains("<iq id='i2'/>"))
        storage.fail(nil)
        let second = ScriptedTransport.server()
        let again = Task { try await session.run(on: second, features: ScriptedTransport.features) }
        try await second.until { $0.heard == ["<resume previd='s1' h='0'/>", "<iq id='i1'/>"] }
        try await second.cut(ending: again)
    }

    @Test("Changes that a relaxed policy holds back are stored on request")
    func flushing() async throws {
        let storage = CountingStorage()
        let session = try await StreamSession(
            account: Self.account, storage: storage, configuration: .quiet, writePolicy: .relaxed, clock: ManualClock())
        try await session.send(element("<message id='m1'/>"))
        #expect(try storage.load() == nil)
        try await session.flush()
        #expect(try storage.load()?.pending.map(\.id) == ["m1"])
        try await session.flush()
        #expect(storage.writeCount == 1)
        try await session.send(element("<message id='m2'/>"))
        storage.fail(DiskFull())
        await #expect(throws: DiskFull.self) { try await session.flush() }
    }

    @Test("A session continues on another transport, however the previous one ends")
    func superseded() async throws {
        let (session, server, run) = try await StreamSession.running(resumes: true)
        let second = ScriptedTransport.server()
        let again = Task { try await session.run(on: second, features: ScriptedTransport.features) }
        guard case .superseded = try await run.value else { throw Unexpected() }
        try await session.until { $0.didResume }
        // R35: how the old one ends, changes nothing.
        server.say("<stream:error><err:conflict/></stream:error>")
        #expect(await session.state == .enabled)
        try await second.cut(ending: again)
    }

    @Test("A stanza sent while the server closes the stream waits for the next one")
    func sendingWhileClosing() async throws {
        let session = try await StreamSession.quiet()
        // A session that cannot be resumed ends with its stream.
        let server = ScriptedTransport { $0.hasPrefix("<enable ") ? ["<sm:enabled/>"] : [] }
        let run = try await session.enabled(on: server)
        server.holdWrites(true)
        try await session.send(element("<iq/>"))
        server.say(nil)
        try await session.until { $0.state == .ended }
        let sent = try await session.send(element("<message/>"))
        #expect(sent.state == .queued)
        server.holdWrites(false)
        guard case .closedByPeer = try await run.value else { throw Unexpected() }
        #expect(server.heard.last == "close")
        #expect(!server.heard.contains { $0.hasPrefix("<message") })
        #expect(await session.unacknowledged.map(\.number) == [sent.number])
    }

    @Test func endsOfStreams() async throws {
        let (closing, server, run) = try await StreamSession.running(resumes: true)
        server.say(nil)
        guard case .closedByPeer = try await run.value else { throw Unexpected() }
        // An end tag of ours would end a session that the server may still hold.
        #expect(await closing.canResume)
        #expect(server.heard.last == "abort" && !server.heard.contains("close"))

        let (complaining, second, secondRun) = try await StreamSession.running(resumes: true)
        second.say("<stream:error><err:system-shutdown/></stream:error>")
        guard case .abandoned(.streamError) = try await secondRun.value else { throw Unexpected() }
        #expect(await complaining.canResume)

        let (_, third, thirdRun) = try await StreamSession.running(resumes: true)
        third.say("<sm:a h='7'/>")
        guard case .violation(.handledCountTooHigh) = try await thirdRun.value else { throw Unexpected() }
        #expect(third.heard.suffix(2).first?.contains("handled-count-too-high") == true)
        #expect(third.heard.last == "close")

        let (canceled, fourth, fourthRun) = try await StreamSession.running(resumes: true)
        fourthRun.cancel()
        guard case .lost = try await fourthRun.value else { throw Unexpected() }
        #expect(fourth.heard.last == "abort")
        #expect(await canceled.canResume)
    }

    @Test("R30 The application is asked, and decides later")
    func decision() async throws {
        let (session, server, run) = try await StreamSession.running(resumes: true) {
            $0.failurePolicy = .ask
        }
        let one = try await session.send(element("<message id='m1'/>"))
        let two = try await session.send(element("<message id='m2'/>"))
        try await two.becomes(.sent)
        try await server.cut(ending: run)
        var events = await session.events().makeAsyncIterator()
        let second = ScriptedTransport.server(id: "s2", resumedWith: nil)
        let again = Task { try await session.run(on: second, features: ScriptedTransport.features) }
        while let event = await events.next() {
            guard case .undecided(let stanzas) = event else { continue }
            #expect(stanzas.map(\.number) == [one.number, two.number])
            break
        }
        try await session.decide(resend: [two.number])
        #expect(await one.outcome() == .unknown)
        try await second.until { this in this.heard.contains { $0.hasPrefix("<message id='m2'>") } }
        try await second.cut(ending: again)
    }
}

extension StreamSession {
    /// Waits until a stanza has been received, and takes it.
    fileprivate func takeStanza() async {
        var stanzas = stanzas.makeAsyncIterator()
        _ = await stanzas.next()
    }
}
