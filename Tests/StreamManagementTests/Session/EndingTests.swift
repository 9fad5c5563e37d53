// Sessions and streams that end: closing, violations, failed writes, and other owners of the session.

import Foundation
import Simulators
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import StreamManagement

@Suite struct EndingTests {
    private static let account: JID = "juliet@example.org"

    // MARK: Closing

    @Test("R17 D34 Closing acknowledges handled stanzas, closes the stream, and leaves nothing stored")
    func closing() async throws {
        let storage = MemoryStorage()
        let (session, server, run) = try await StreamSession.running(storage, resumes: true)
        server.say("<message/>")
        let sent = try await session.send(element("<message id='m1'/>"))
        try await sent.becomes(.sent)
        _ = try await session.take()
        let events = await session.events()
        try await session.close(ending: run)
        #expect(server.heard.suffix(2) == ["<a h='1'/>", "close"])
        #expect(storage.session(of: Self.account) == nil)
        #expect(await sent.outcome() == .unknown)
        for await event in events { #expect(event == .acknowledged([])) }
        for await _ in session.stanzas {}
        await #expect(throws: StreamManagementError.ended) { try await session.send(element("<message/>")) }
        await #expect(throws: StreamManagementError.ended) { try await session.begin(on: .server()).value }
        // The account is free again.
        _ = try storage.open(Self.account)
    }

    @Test("Closing may wait for acknowledgements, for a limited time, and an impatient call ends the wait")
    func draining() async throws {
        for way in ["acknowledged", "late", "impatient"] {
            let clock = ManualClock()
            let (session, server, run) = try await StreamSession.running(clock: clock)
            let sent = try await session.send(element("<message/>"))
            let closing = Task { await session.close(waiting: .seconds(10)) }
            try await server.until { $0.heard.contains("<r/>") }
            #expect(!server.heard.contains("close"))
            switch way {
            case "acknowledged": server.say("<sm:a h='1'/>")
            case "impatient": await session.close()
            default:
                try await clock.until { $0.sleeperCount == 1 }
                clock.advance(by: .seconds(10))
            }
            await closing.value
            #expect(await sent.outcome() == (way == "acknowledged" ? .acknowledged : .unknown))
            #expect(try await run.value == .closed)
        }
    }

    @Test("A second call to close waits for the same connection") func twice() async throws {
        let (session, server, run) = try await StreamSession.running()
        server.holdWrites(true)
        try await session.send(element("<message/>"))
        let closed = Counter()
        let calls = (1...2).map { _ in
            Task {
                await session.close()
                closed.next()
            }
        }
        try await session.until { $0.isClosed }
        for _ in 1...100 { await Task.yield() }
        #expect(closed.value == 0)
        server.holdWrites(false)
        for call in calls { await call.value }
        #expect(try await run.value == .closed)
        #expect(server.heard.filter { $0 == "close" }.count == 1)
        await session.close()
    }

    @Test("A listener may close the session at any event", arguments: ["bound", "enabled", "notConnected"])
    func listening(word: String) async throws {
        let session = try await StreamSession.quiet(resumes: true)
        let events = await session.events()
        let run = session.begin(TestConnector(errors: [.init(isFinal: false)]))
        for await event in events {
            if "\(event)".hasPrefix(word) { await session.close() }
        }
        #expect(try await run.value == .closed)
    }

    @Test("A connector may close the session, before it asks what to resume and after it", arguments: [true, false])
    func connecting(asksFirst: Bool) async throws {
        let (session, server, first) = try await StreamSession.running(resumes: true)
        try await server.cut(ending: first)
        let connector = ConnectorOf { _, inline in
            if asksFirst { _ = try await inline(.inline) }
            await session.close()
            _ = try await inline(.inline)
            return ConnectedStream(.server())
        }
        #expect(try await session.begin(connector).value == .closed)
    }

    // MARK: Streams

    @Test(
        "Each end of a stream has its result, and all but a violation keep the session",
        arguments: [
            (nil, "closedByPeer", "abort"), ("cancel", "lost", "abort"),
            ("<stream:error><err:conflict/><err:text>replaced</err:text></stream:error>", "abandoned", "abort"),
            ("<sm:a h='7'/>", "violation(StreamManagement.StreamError.handledCountTooHigh", "close"),
        ] as [(String?, String, String)])
    func endsOfStreams(said: String?, expected: String, last: String) async throws {
        let (session, server, run) = try await StreamSession.running(resumes: true)
        if said == "cancel" { run.cancel() } else { server.say(said) }
        let end = try await run.value
        #expect("\(end)".hasPrefix(expected), "\(end)")
        #expect(end.streamError?.text == (expected == "abandoned" ? "replaced" : nil))
        #expect(server.heard.contains { $0.contains("handled-count-too-high") } == expected.hasPrefix("violation"))
        // An end tag of ours would end a session that the server may still hold.
        #expect(server.heard.last == last)
        #expect(await session.canResume == !expected.hasPrefix("violation"))
    }

    @Test("An element before the answer to a resumption does not end the session that the client keeps")
    func violationBeforeTheAnswer() async throws {
        let (session, first, run) = try await StreamSession.running(CountingStorage(), resumes: true)
        try await first.cut(ending: run)
        let second = ScriptedTransport { $0.hasPrefix("<resume ") ? ["<message/>"] : [] }
        #expect(try await session.begin(on: second).value == .violation(.unexpected(.stanza)))
        #expect(second.heard.last == "abort" && !second.heard.contains("close"))
        let third = ScriptedTransport.server()
        let again = session.begin(on: third)
        try await third.until { $0.heard == ["<resume previd='s1' h='0'/>"] }
        try await third.cut(ending: again)
    }

    @Test("A stanza sent while the server closes the stream waits for the next one")
    func sendingWhileClosing() async throws {
        let session = try await StreamSession.quiet()
        // A session that cannot be resumed ends with its stream.
        let server = ScriptedTransport { $0.hasPrefix("<enable ") ? ["<sm:enabled/>"] : [] }
        let run = try await session.enabled(on: server)
        server.holdWrites(true)
        try await session.send(element("<iq/>"))
        server.say(nil as String?)
        try await session.until { $0.state == .ended }
        let sent = try await session.send(element("<message/>"))
        #expect(sent.state == .queued)
        server.holdWrites(false)
        #expect(try await run.value == .closedByPeer)
        #expect(server.heard.last == "close" && !server.heard.contains { $0.hasPrefix("<message") })
        #expect(await session.unacknowledged.map(\.number) == [sent.number])
    }

    // MARK: Failed writes

    @Test(
        "D50 The session reads a stream error while it writes, after a failed write, and with a full outbox",
        arguments: ["writing", "failed", "full"])
    func complaint(way: String) async throws {
        let (session, server, run) = try await StreamSession.running()
        let large = element("<message><body>\(String(repeating: "x", count: 300_000))</body></message>")
        if way == "failed" { server.failWrites() } else { server.holdWrites(true) }
        try await session.send(large)
        switch way {
        case "failed":
            try await server.until { $0.failedWrites == 1 }
            // Nothing more is written.
            try await session.send(element("<message id='m2'/>"))
        case "full":
            // The transport holds the first one. The second one fills the outbox, so the reader pauses after a stanza.
            try await session.send(large)
            server.say("<message id='in'/>")
            try await server.until { $0.unreadCount == 0 }
        default: break
        }
        server.say("<stream:error><err:policy-violation/></stream:error>")
        if way == "full" {
            server.failWrites()
            server.holdWrites(false)
        }
        #expect(try await run.value.streamError?.condition == "policy-violation")
        #expect(server.failedWrites == (way == "writing" ? 0 : 1))
        #expect(await session.unacknowledged.first?.losses == 1)
    }

    @Test("A failed write ends the stream after the closing timeout if nothing arrives")
    func nothingAfterFailure() async throws {
        let clock = ManualClock()
        let (session, server, run) = try await StreamSession.running(clock: clock)
        server.failWrites()
        try await session.send(element("<message id='m1'/>"))
        try await server.until { $0.failedWrites == 1 }
        try await clock.until { $0.sleeperCount > 0 }
        clock.advance(by: StreamManagementConfiguration().closingTimeout)
        #expect(try await run.value == .lost(ScriptedTransport.Gone()))
        #expect(await session.unacknowledged.map(\.losses) == [0])
    }

    @Test("R38 The session does not send a stanza that it cannot store, and continues from the storage")
    func failingStorage() async throws {
        let storage = CountingStorage()
        let (session, server, run) = try await StreamSession.running(storage, resumes: true)
        let first = try await session.send(element("<iq id='i1'/>"))
        try await first.becomes(.sent)
        storage.fail(DiskFull())
        await #expect(throws: DiskFull.self) { try await session.send(element("<iq id='i2'/>")) }
        #expect(try await run.value == .storageFailed(DiskFull()))
        #expect(!server.heard.contains("<iq id='i2'/>"))
        storage.fail(nil)
        let second = ScriptedTransport.server()
        let again = session.begin(on: second)
        try await second.until { $0.heard == ["<resume previd='s1' h='0'/>", "<iq id='i1'/>"] }
        try await second.cut(ending: again)
    }

    // MARK: Owners

    @Test("M36 One of two processes owns the session, and the other gets an error")
    func takeOver() async throws {
        let storage = MemoryStorage()
        let (first, server, run) = try await StreamSession.running(storage, resumes: true)
        let sent = try await first.send(element("<iq id='i1'/>"))
        try await sent.becomes(.sent)
        await #expect(throws: StorageError.inUse(account: Self.account)) { try await StreamSession.quiet(storage) }
        let (session, second, secondRun) = try await StreamSession.running(storage, resumes: true, takingOver: true)
        try await second.until { $0.heard == ["<resume previd='s1' h='0'/>", "<iq id='i1'/>"] }
        await #expect(throws: StorageError.takenOver(account: Self.account)) {
            try await first.send(element("<message/>"))
        }
        #expect(try await run.value == .takenOver)
        #expect(server.heard.last == "abort" && !server.heard.contains { $0.hasPrefix("<message") })
        // The stored session belongs to the other process, which tracks its stanzas.
        let tracked = try #require(await session.tracking(session.unacknowledged[0].number))
        second.say("<sm:a h='1'/>")
        #expect(await tracked.outcome() == .acknowledged)
        #expect(await session.address == "juliet@example.org/balcony")
        try await second.cut(ending: secondRun)
    }

    @Test(
        "M36 A process that loses the session while it ends does not end the other one's session",
        arguments: [true, false])
    func takenOverWhileEnding(isViolation: Bool) async throws {
        let storage = CountingStorage()
        let (session, server, run) = try await StreamSession.running(storage, resumes: true)
        storage.fail(StorageError.takenOver(account: Self.account))
        if isViolation { server.say("<sm:a h='7'/>") } else { await session.close() }
        #expect(try await run.value == .takenOver)
        #expect(server.heard.last == "abort")
        #expect(!server.heard.contains { $0 == "close" || $0.hasPrefix("<stream:error") })
        #expect(try storage.load()?.resumption != nil)
    }

    /// The end tag of the stream would end the session for its new owner.
    @Test("D34 A session that is closed after another owner took it cuts its stream", arguments: [false, true])
    func closingTaken(hasUnstoredCount: Bool) async throws {
        let storage = MemoryStorage()
        let (session, server, run) = try await StreamSession.running(storage)
        if hasUnstoredCount {
            server.say("<message id='in1'/>")
            _ = try await session.take()
        }
        let other = try await StreamSession.quiet(storage, takingOver: true)
        await session.close()
        #expect(try await run.value == .takenOver)
        #expect(server.heard.contains("abort") && !server.heard.contains("close"))
        #expect(await other.canResume)
        await other.close()
    }

    @Test("A takeover that is noticed while the stream ends for another reason ends the loop")
    func takeoverWhileClosing() async throws {
        let storage = MemoryStorage()
        let session = try await StreamSession.quiet(storage)
        let connector = TestConnector()
        let run = session.begin(connector)
        let server = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        // The stream closes after the outbox, which cannot be written now.
        server.holdWrites(true)
        try await session.send(element("<iq/>"))
        server.say("<sm:a h='7'/>")
        try await session.until { $0.state == .ended }
        let other = try await StreamSession.quiet(storage, takingOver: true)
        await #expect(throws: StorageError.takenOver(account: Self.account)) {
            try await session.send(element("<message/>"))
        }
        server.holdWrites(false)
        #expect(try await run.value == .takenOver)
        #expect(connector.places.count == 1)
        await other.close()
    }

    @Test("Taking the session back ends the loop of the old owner: the app has to connect again")
    func takenBack() async throws {
        let storage = MemoryStorage()
        let session = try await StreamSession.quiet(storage)
        let connector = TestConnector(errors: [.init(isFinal: false)])
        let run = session.begin(connector, .after(.seconds(3600)))
        try await connector.until { $0.places.count == 1 }
        let other = try await StreamSession.quiet(storage, takingOver: true)
        try await session.claim(takingOver: true)
        #expect(try await run.value == .takenOver)
        await #expect(throws: StorageError.takenOver(account: Self.account)) {
            try await other.send(element("<message/>"))
        }
        let again = session.begin(connector)
        _ = try await connector.server(1)
        try await session.close(ending: again)
    }

    @Test(
        "A storage that cannot be opened for now only fails an attempt",
        arguments: [false, true])
    func busyOpening(asksInline: Bool) async throws {
        let storage = CountingStorage()
        let session = try await StreamSession.quiet(storage)
        try await session.suspend()
        storage.failOpening([Full(), Full()])
        let connector = TestConnector(asksInline: asksInline)
        let run = session.begin(connector)
        try await session.until { $0.state == .enabled }
        #expect(connector.places.count == 3)
        // Effects in another storage change nothing: with a stream, and without.
        for session in [session, try await StreamSession.quiet()] {
            await #expect(throws: StorageError.takesNoEffects) {
                try await session.commit(nil, with: NoEffects(storage: CountingStorage()))
            }
        }
        let sent = try await session.send(element("<message/>"))
        try await sent.becomes(.sent)
        try await session.close(ending: run)
    }
}
