// Sessions that give up their storage or stream: suspended, continued, released, run in several places.

import Foundation
import Locking
import StreamSimulator
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import StreamManagement

@Suite struct SessionSuspensionTests {
    private static let account: JID = "juliet@example.org"

    private static func run(
        _ session: StreamSession, on server: ScriptedTransport = .server()
    ) async throws -> (ScriptedTransport, Task<StreamEnd, any Error>) {
        let run = try await session.enabled(on: server)
        return (server, run)
    }

    // MARK: Received stanzas

    @Test("Numbers of stanzas from before a suspension mean nothing afterwards")
    func numbersAfterSuspension() async throws {
        let session = try await StreamSession.quiet(
            resumes: true, handling: .deciding { .pending(id: StanzaID($0.name)) })
        let (server, run) = try await Self.run(session)
        for id in 1...3 { server.say("<message id='\(id)'/>") }
        var stanzas = session.stanzas.makeAsyncIterator()
        let first = try #require(await stanzas.next())
        try await server.until(\.isIdle)
        try await session.suspend()
        _ = try await run.value
        // It comes again; the mark for the old number is too late.
        try await session.markHandled(first)
        try await session.markHandled("message")

        let (second, again) = try await Self.run(session)
        #expect(second.heard == ["<resume previd='s1' h='0'/>"])
        second.say("<message id='1'/>")
        try await session.markHandled(first)
        try await session.sendAcknowledgement()
        try await second.until { $0.heard.last == "<a h='0'/>" }
        // The untaken stanza comes again as well, and appears once.
        second.say("<message id='2'/>")
        var received: [ReceivedStanza] = []
        for _ in 1...2 { received.append(try #require(await stanzas.next())) }
        #expect(received.map { $0.element["id"] } == ["1", "2"])
        #expect(await session.takeFirst() == nil)
        for stanza in received { try await session.markHandled(stanza) }
        try await session.sendAcknowledgement()
        try await second.until { $0.heard.last == "<a h='2'/>" }
        try await second.cut(ending: again)
    }

    @Test("Stanzas handled on arrival can be taken after a suspension")
    func handledBeforeSuspension() async throws {
        let session = try await StreamSession.quiet(resumes: true)
        let (server, run) = try await Self.run(session)
        server.say("<message id='1'/>")
        try await server.until(\.isIdle)
        try await session.suspend()
        _ = try await run.value
        #expect(server.heard.contains("<a h='1'/>"))
        var stanzas = session.stanzas.makeAsyncIterator()
        #expect(await stanzas.next()?.element["id"] == "1")
    }

    @Test("R40 Numbers restart after a storage failed, too; and a suspension is not a failed attempt")
    func attemptsAndSuspensions() async throws {
        let storage = CountingStorage()
        let session = try await StreamSession.quiet(storage, resumes: true, handling: .whenConsumed) {
            $0.maximumHandlingAttempts = 2
        }
        var old: ReceivedStanza?
        for round in 1...6 {
            let (server, run) = try await Self.run(session)
            server.say("<message id='1'/>")
            let stanza = try #require(await session.nextStanza(after: nil))
            #expect(stanza.number != old?.number)
            old = stanza
            if round < 6 {
                try await session.suspend()
            } else {
                storage.fail(DiskFull())
                await #expect(throws: DiskFull.self) { try await session.send(element("<iq/>")) }
                try await session.markHandled(stanza)
            }
            _ = try await run.value
        }
        #expect(try storage.load()?.handlingAttempts == 1)
        #expect(try storage.load()?.handledByClient == .zero)
    }

    @Test("Names of pending stanzas are forgotten with the stanzas")
    func pendingNames() async throws {
        let session = try await StreamSession.quiet(
            resumes: true, handling: .deciding { .pending(id: $0["id"].map(StanzaID.init(rawValue:))) })
        let (server, run) = try await Self.run(session)
        for id in 1...100 { server.say("<message id='\(id)'/>") }
        var count = 0
        for await stanza in session.stanzas {
            try await session.markHandled(stanza)
            count += 1
            if count == 100 { break }
        }
        for id in 1...100 { #expect(await session.takePending(StanzaID(rawValue: "\(id)")).isEmpty) }
        // A session that is lost takes them along.
        for id in 101...104 { server.say("<message id='\(id)'/>") }
        try await server.until(\.isIdle)
        #expect(await session.takePending("104").count == 1)
        server.say("<sm:a h='7'/>")
        _ = try await run.value
        for id in 101...103 { #expect(await session.takePending(StanzaID(rawValue: "\(id)")).isEmpty) }
    }

    // MARK: Sent stanzas

    @Test("A sent stanza's states continue with the suspended session")
    func statesGoOn() async throws {
        let session = try await StreamSession.quiet(resumes: true)
        let (_, run) = try await Self.run(session)
        let sent = try await session.send(element("<iq id='i1'/>"))
        try await sent.becomes(.sent)
        try await session.suspend()
        _ = try await run.value
        let (server, again) = try await Self.run(session)
        server.say("<sm:a h='1'/>")
        #expect(await sent.outcome() == .acknowledged)
        try await server.cut(ending: again)
    }

    @Test("A sent stanza's states end when another process has ended the stanza, or with the session object")
    func statesEnd() async throws {
        let storage = MemoryStorage()
        let app = try await StreamSession.quiet(storage, resumes: true)
        let (_, run) = try await Self.run(app)
        let sent = try await app.send(element("<iq id='i1'/>"))
        try await sent.becomes(.sent)
        try await app.suspend()
        _ = try await run.value
        let helper = try await StreamSession.quiet(storage, resumes: true)
        let (second, helperRun) = try await Self.run(helper, on: .server(resumedWith: 1))
        // It is given the number that the other process has used, too.
        let other = try await helper.send(element("<iq id='i2'/>"))
        try await other.becomes(.sent)
        try await helper.suspend()
        _ = try await helperRun.value
        #expect(second.heard.last == "abort")
        let (third, again) = try await Self.run(app, on: .server(resumedWith: 1))
        #expect(await sent.outcome() == .unknown)
        let number = try #require(await app.unacknowledged.first?.number)
        let tracked = try #require(await app.tracking(number))
        third.say("<sm:a h='2'/>")
        #expect(await tracked.outcome() == .acknowledged)
        try await third.cut(ending: again)

        let lost: SentStanza
        do {
            let session = try await StreamSession.quiet(resumes: true)
            lost = try await session.send(element("<iq/>"))
        }
        #expect(await lost.outcome() == .unknown)
    }

    // MARK: Ending

    @Test("D34 Closing a suspended session removes it from the storage, unless another process owns it")
    func closingWhileSuspended() async throws {
        let storage = MemoryStorage()
        let session = try await StreamSession.quiet(storage, resumes: true)
        let (_, run) = try await Self.run(session)
        try await session.suspend()
        try await session.suspend()
        _ = try await run.value
        #expect(storage.session(of: Self.account) != nil)
        await session.close()
        #expect(storage.session(of: Self.account) == nil)

        let app = try await StreamSession.quiet(storage, resumes: true)
        let (_, appRun) = try await Self.run(app)
        try await app.suspend()
        _ = try await appRun.value
        let helper = try await StreamSession.quiet(storage, resumes: true)
        await app.close()
        #expect(storage.session(of: Self.account) != nil)
        #expect(await helper.canResume)
    }

    @Test("A connection that accepts no bytes does not prevent closing or suspending", arguments: [true, false])
    func connectionThatTakesNothing(closes: Bool) async throws {
        let clock = ManualClock()
        let session = try await StreamSession.quiet(resumes: true, clock: clock)
        let (server, run) = try await Self.run(session)
        server.holdWrites(true)
        try await session.send(element("<message/>"))
        let ending = Task { if closes { await session.close() } else { try await session.suspend() } }
        try await clock.until { $0.sleeperCount == 1 }
        #expect(!server.heard.contains("abort"))
        clock.advance(by: StreamManagementConfiguration().closingTimeout)
        try await ending.value
        _ = try await run.value
        #expect(server.heard.contains("abort"))
        #expect(await session.canResume == !closes)
    }

    @Test("A connection that accepts no bytes does not prevent the end of a stream")
    func violationOnASlowConnection() async throws {
        let clock = ManualClock()
        let session = try await StreamSession.quiet(resumes: true, clock: clock)
        let (server, run) = try await Self.run(session)
        server.holdWrites(true)
        server.say("<sm:a h='7'/>")
        try await clock.until { $0.sleeperCount == 1 }
        clock.advance(by: StreamManagementConfiguration().closingTimeout)
        guard case .violation = try await run.value else { throw Unexpected() }
        #expect(server.heard.suffix(2) == ["abort", "close"])
    }

    // MARK: Streams

    @Test("Of several streams at once only the last one begins and continues")
    func severalStreams() async throws {
        let session = try await StreamSession.quiet(resumes: true)
        let (first, run) = try await Self.run(session)
        first.holdAborts(true)
        let second = ScriptedTransport.server()
        let secondRun = Task { try await session.run(on: second, features: ScriptedTransport.features) }
        try await first.until { $0.heard.last == "abort" }
        let third = ScriptedTransport.server()
        let thirdRun = try await session.enabled(on: third)
        first.holdAborts(false)
        for run in [run, secondRun] { guard case .superseded = try await run.value else { throw Unexpected() } }
        #expect(second.heard == ["abort"])
        #expect(third.heard == ["<resume previd='s1' h='0'/>"])
        third.say("<sm:r/>")
        try await third.until { $0.heard.last == "<a h='0'/>" }
        try await third.cut(ending: thirdRun)
    }

    @Test("A stream that waits for another one's end does not begin after the session's end", arguments: [true, false])
    func endWhileAStreamWaits(closes: Bool) async throws {
        let storage = MemoryStorage()
        let session = try await StreamSession.quiet(storage, resumes: true)
        let (first, run) = try await Self.run(session)
        first.holdAborts(true)
        let second = ScriptedTransport.server()
        let secondRun = Task { try await session.run(on: second, features: ScriptedTransport.features) }
        try await first.until { $0.heard.last == "abort" }
        if closes { await session.close() } else { try await session.suspend() }
        first.holdAborts(false)
        _ = try await run.value
        if closes {
            await #expect(throws: StreamManagementError.ended) { try await secondRun.value }
        } else {
            guard case .superseded = try await secondRun.value else { throw Unexpected() }
        }
        #expect(second.heard == ["abort"])
        // No process owns it.
        _ = try storage.open(Self.account)
    }

    @Test @MainActor func theStorageIsOpenedOnTheSessionsThread() async throws {
        let storage = ThreadNotingStorage()
        _ = try await StreamSession.quiet(storage, resumes: true)
        #expect(storage.wasOpenedOnMainThread == false)
    }

    @Test func aReleasedStoreOwnsNothing() throws {
        let storage = MemoryStorage()
        do {
            let store = try storage.open(Self.account)
            #expect(throws: StorageError.inUse(account: Self.account)) { try storage.open(Self.account) }
            try store.write([.handled(StanzaCounter(rawValue: 1))])
        }
        #expect(try storage.open(Self.account).load()?.handledByClient.rawValue == 1)
    }
}

/// Notes each place that opens it.
private final class ThreadNotingStorage: StreamManagementStorage {
    private let isMain = Lock<Bool?>(nil)

    var wasOpenedOnMainThread: Bool? { isMain.withLock { $0 } }

    func open(_ account: JID, takingOver: Bool) throws -> any SessionStore {
        isMain.withLock { $0 = Thread.isMainThread }
        return RecordingStore()
    }
}
