// Sessions that give up their storage or stream: suspended, continued, released, run in several places.

import Foundation
import Locking
import Simulators
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import StreamManagement

@Suite struct SuspensionTests {
    private static let account: JID = "juliet@example.org"

    // MARK: Received stanzas

    @Test("Numbers of stanzas from before a suspension mean nothing afterwards")
    func numbersAfterSuspension() async throws {
        let (session, server, run) = try await StreamSession.running(
            resumes: true, handling: .deciding { .pending(id: StanzaID($0.name)) })
        for id in 1...3 { server.say("<message id='\(id)'/>") }
        let first = try await session.take()
        try await server.until(\.isIdle)
        try await session.suspend()
        _ = try await run.value
        // It comes again; the mark for the old number is too late.
        try await session.markHandled(first)
        try await session.markHandled("message")

        let second = ScriptedTransport.server()
        let again = try await session.enabled(on: second)
        #expect(second.heard == ["<resume previd='s1' h='0'/>"])
        second.say("<message id='1'/>")
        try await session.markHandled(first)
        try await session.sendAcknowledgement()
        try await second.until { $0.heard.last == "<a h='0'/>" }
        // The untaken stanza comes again as well, and appears once.
        second.say("<message id='2'/>")
        for id in 1...2 {
            let stanza = try await session.take()
            #expect(stanza.element["id"] == "\(id)")
            try await session.markHandled(stanza)
        }
        #expect(await session.takeFirst() == nil)
        try await session.sendAcknowledgement()
        try await second.until { $0.heard.last == "<a h='2'/>" }
        try await second.cut(ending: again)
    }

    @Test("R40 Numbers restart after a storage failed, too; and a suspension is not a failed attempt")
    func attemptsAndSuspensions() async throws {
        let storage = CountingStorage()
        let session = try await StreamSession.quiet(storage, resumes: true, handling: .whenConsumed) {
            $0.maximumHandlingAttempts = 2
        }
        var old: ReceivedStanza?
        for round in 1...6 {
            let server = ScriptedTransport.server()
            let run = try await session.enabled(on: server)
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
        let (session, server, run) = try await StreamSession.running(
            resumes: true, handling: .deciding { .pending(id: $0["id"].map(StanzaID.init(rawValue:))) })
        server.say("<message id='1'/>")
        try await session.markHandled(session.take())
        #expect(await session.takePending("1").isEmpty)
        // A session that is lost takes them along.
        for id in 2...3 { server.say("<message id='\(id)'/>") }
        try await server.until(\.isIdle)
        #expect(await session.takePending("3").count == 1)
        server.say("<sm:a h='7'/>")
        _ = try await run.value
        #expect(await session.takePending("2").isEmpty)
    }

    // MARK: Several processes

    @Test("A suspended session can be taken up by another process, and back again, with the states of its stanzas")
    func suspension() async throws {
        let storage = MemoryStorage()
        let (app, server, run) = try await StreamSession.running(storage, resumes: true)
        let sent = try await app.send(element("<iq id='i1'/>"))
        try await sent.becomes(.sent)
        server.say("<message id='in'/>")
        try await server.until(\.isIdle)
        try await app.suspend()
        #expect(try await run.value == .suspended)
        #expect(server.heard.suffix(2) == ["<a h='1'/>", "abort"])
        // Stanzas handled on arrival can be taken after a suspension.
        #expect(try await app.take().element["id"] == "in")
        // The extension.
        let (helper, second, helperRun) = try await StreamSession.running(storage, resumes: true)
        try await second.until { $0.heard == ["<resume previd='s1' h='1'/>", "<iq id='i1'/>"] }
        second.say("<sm:a h='1'/>")
        try await helper.until { $0.unacknowledged.isEmpty }
        // It is given the number that the other process has used, too.
        let other = try await helper.send(element("<iq id='i2'/>"))
        try await other.becomes(.sent)
        // While the extension owns the session, the app gets an error.
        await #expect(throws: StorageError.inUse(account: Self.account)) { try await app.send(element("<iq/>")) }
        try await helper.suspend()
        _ = try await helperRun.value
        // And back: the app has the state that the extension stored, and its stanza's states end.
        let third = ScriptedTransport.server(resumedWith: 1)
        let again = try await app.enabled(on: third)
        #expect(await sent.outcome() == .unknown)
        #expect(third.heard.first == "<resume previd='s1' h='1'/>")
        let tracked = try #require(await app.tracking(app.unacknowledged[0].number))
        // States continue over a suspension without another process.
        try await app.suspend()
        _ = try await again.value
        let fourth = ScriptedTransport.server(resumedWith: 1)
        let last = try await app.enabled(on: fourth)
        fourth.say("<sm:a h='2'/>")
        #expect(await tracked.outcome() == .acknowledged)
        try await fourth.cut(ending: last)
    }

    @Test("A sent stanza's states end with the session object") func statesEnd() async throws {
        let lost: SentStanza
        do {
            let session = try await StreamSession.quiet(resumes: true)
            lost = try await session.send(element("<iq/>"))
        }
        #expect(await lost.outcome() == .unknown)
    }

    @Test(
        "D34 Closing a suspended session removes it from the storage, unless another process owns it",
        arguments: [true, false])
    func closingWhileSuspended(isOwned: Bool) async throws {
        let storage = MemoryStorage()
        let (session, _, run) = try await StreamSession.running(storage, resumes: true)
        for _ in 1...2 { try await session.suspend() }
        _ = try await run.value
        let helper = isOwned ? try await StreamSession.quiet(storage, resumes: true) : nil
        #expect(storage.session(of: Self.account) != nil)
        await session.close()
        #expect((storage.session(of: Self.account) != nil) == isOwned)
        if let helper { #expect(await helper.canResume) }
    }

    // MARK: Streams

    @Test(
        "A connection that accepts no bytes prevents neither closing nor suspending nor the end of a stream",
        arguments: ["close", "suspend", "violation"])
    func connectionThatTakesNothing(way: String) async throws {
        let clock = ManualClock()
        let (session, server, run) = try await StreamSession.running(resumes: true, clock: clock)
        server.holdWrites(true)
        try await session.send(element("<message/>"))
        let ending = Task {
            switch way {
            case "close": await session.close()
            case "suspend": try await session.suspend()
            default: server.say("<sm:a h='7'/>")
            }
        }
        try await clock.until { $0.sleeperCount == 1 }
        #expect(!server.heard.contains("abort"))
        clock.advance(by: StreamManagementConfiguration().closingTimeout)
        try await ending.value
        _ = try await run.value
        #expect(server.heard.contains("abort"))
        #expect(await session.canResume == (way == "suspend"))
    }

    @Test("A session continues on another transport, however the previous one ends; of several the last one begins")
    func severalStreams() async throws {
        let (session, first, run) = try await StreamSession.running(resumes: true)
        first.holdAborts(true)
        let second = ScriptedTransport.server()
        let secondRun = session.begin(on: second)
        try await first.until { $0.heard.last == "abort" }
        let third = ScriptedTransport.server()
        let thirdRun = try await session.enabled(on: third)
        // R35: how the old one ends, changes nothing.
        first.say("<stream:error><err:conflict/></stream:error>")
        first.holdAborts(false)
        for run in [run, secondRun] { #expect(try await run.value == .superseded) }
        #expect(second.heard == ["abort"])
        #expect(third.heard == ["<resume previd='s1' h='0'/>"])
        third.say("<sm:r/>")
        try await third.until { $0.heard.last == "<a h='0'/>" }
        try await third.cut(ending: thirdRun)
    }

    @Test("A stream that waits for another one's end does not begin after the session's end", arguments: [true, false])
    func endWhileAStreamWaits(closes: Bool) async throws {
        let storage = MemoryStorage()
        let (session, first, run) = try await StreamSession.running(storage, resumes: true)
        first.holdAborts(true)
        let second = ScriptedTransport.server()
        let secondRun = session.begin(on: second)
        try await first.until { $0.heard.last == "abort" }
        if closes { await session.close() } else { try await session.suspend() }
        first.holdAborts(false)
        _ = try await run.value
        if closes {
            await #expect(throws: StreamManagementError.ended) { try await secondRun.value }
        } else {
            #expect(try await secondRun.value == .superseded)
        }
        #expect(second.heard == ["abort"])
        // No process owns it.
        _ = try storage.open(Self.account)
    }

    // MARK: Storing

    @Test("Changes that a relaxed policy holds back are stored on request")
    func flushing() async throws {
        let storage = CountingStorage()
        let session = try await StreamSession(
            account: Self.account, storage: storage, configuration: .quiet, writePolicy: .relaxed, clock: ManualClock())
        try await session.send(element("<message id='m1'/>"))
        #expect(try storage.load() == nil)
        for _ in 1...2 { try await session.flush() }
        #expect(try storage.load()?.pending.map(\.id) == ["m1"])
        #expect(storage.writeCount == 1)
        try await session.send(element("<message id='m2'/>"))
        storage.fail(DiskFull())
        await #expect(throws: DiskFull.self) { try await session.flush() }
    }

    @Test @MainActor func theStorageIsOpenedOnTheSessionsThread() async throws {
        let storage = ThreadNotingStorage()
        _ = try await StreamSession.quiet(storage, resumes: true)
        #expect(storage.wasOpenedOnMainThread == false)
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
