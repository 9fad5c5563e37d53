// Suspending a session takes no longer than its deadlines, whatever else runs.

import Handlers
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct SuspendingTests {
    private let server = FakeServer()

    /// Lets the session send a message, and expects that it sends no other stanza.
    private func expectOnlyMessage(_ home: Household) async throws {
        try await home.run(server) {
            try await home.session.send(xml("<message id='m'/>"))
            try await server.receives("m")
        }
        #expect(server.ids == ["m"])
    }

    // MARK: Stanzas that are handled

    @Test func theServerHasTheHandledCountAndNoFileIsOpen() async throws {
        // Only the suspension acknowledges stanzas.
        let home = try await Household { $0.acknowledgements = .off }
        try await home.onMessage()
        let running = await home.online(server)
        server.say(1...2)
        try await home.handles(2)
        #expect(server.unacknowledgedCount == 2)
        #expect(try openFiles(of: home) != [])
        try await home.session.suspend(gracePeriod: .seconds(600))
        #expect(server.unacknowledgedCount == 0)
        #expect(try openFiles(of: home) == [])
        _ = try await running.value
        #expect(home.journal.all == ["1", "2"])
    }

    /// The files that this process has open: the database, its log, and the file with the owners' locks.
    private func openFiles(of home: Household) throws -> [String] {
        try TestSupport.openFiles().filter { $0.contains(home.folder.url.lastPathComponent) }
    }

    // MARK: A locked database

    /// Runs the body while another connection holds the database.
    private func whileLocked(_ home: Household, _ body: (Holder) async throws -> Void) async throws {
        let other = try await StanzaDatabase.open(at: home.folder.database)
        try await holding { holder in
            try await other.write { _ in holder.hold() }
        } during: {
            try await body($0)
        }
    }

    /// Without a bound, suspending would wait as long as the lock is held.
    @Test(arguments: [false, true]) func aLockOfTheDatabaseDoesNotDelaySuspending(freezing: Bool) async throws {
        var options = StanzaDatabase.Options()
        options.busyTimeout = 3600
        let home = try await Household(options: options)
        let session = home.session
        let running = await home.online(server)
        try await whileLocked(home) { holder in
            // Two tasks wait for the database, if they have begun by then. Suspending stores changes, too.
            let sending = Task { try await session.send(xml("<message/>")) }
            let asking = Task { try await session.request(query) }
            try? await session.suspend(
                gracePeriod: .milliseconds(10), storingTime: .milliseconds(100), freezing: freezing)
            #expect(holder.isHeld)
            holder.letGo()
            _ = await sending.result
            await #expect(throws: (any Error).self) { try await asking.value }
            _ = try? await running.value
        }
        // The next run has the configured busy timeout again.
        try await home.run(server) {
            try await session.send(xml("<message id='back'/>"))
            try await server.receives("back")
        }
        #expect(!server.ids.contains("q1"))
    }

    // MARK: Waiting stanzas

    /// The task waits no longer, so the next run sends only the later message.
    @Test func whatATaskHasAskedIsNotSentAfterASuspension() async throws {
        let home = try await Household()
        server.setDown(true)
        let running = home.start(server)
        let asking = Task { [session = home.session] in try await session.request(query) }
        try await home.session.stream.until("it waits") { !$0.unacknowledged.isEmpty }
        try await home.suspend()
        await #expect(throws: RequestError.disconnected) { try await asking.value }
        _ = try await running.value
        // Nor does another process send it.
        #expect(try await home.database.read { try $0.sessions.session(of: Household.account) }?.pending == [])
        server.setDown(false)
        try await expectOnlyMessage(home)
    }

    /// The session is suspended before it can withdraw the requests. Then the database refuses to delete the first one.
    @Test func whatCouldNotBeTakenBackIsInTheNextRun() async throws {
        let home = try await Household()
        var kept: [SentStanza] = []
        for id in ["q1", "q2"] {
            kept.append(try await home.session.stream.send(xml("<iq type='set' id='\(id)'/>")))
        }
        try await home.session.stream.suspend(untilClaimed: true)
        for sent in kept { await home.session.withdraw(sent) }
        #expect(kept.map(\.state) == [.queued, .queued])
        try await home.session.stream.claim()
        try await home.database.write {
            try $0.db.execute(
                sql: "CREATE TEMP TRIGGER t BEFORE DELETE ON stanza_outgoing BEGIN SELECT RAISE(ABORT, 'refused'); END")
        }
        await #expect(throws: (any Error).self) { try await home.session.takeBackAwaited(canResume: true) }
        try await home.database.write { try $0.db.execute(sql: "DROP TRIGGER t") }
        try await expectOnlyMessage(home)
    }

    // MARK: Closing

    /// A session whose closing takes long, because the server acknowledges nothing.
    private func closing(
        _ options: StanzaDatabase.Options = .init()
    ) async throws -> (home: Household, running: Task<StreamEnd, any Error>, closing: Task<Void, Never>) {
        let home = try await Household(options: options)
        server.setAcknowledging(false)
        let running = home.start(server)
        try await home.request()
        try await server.receives(1)
        let closing = Task { [session = home.session] in await session.close(waiting: .seconds(86_400)) }
        try await eventually("it is being closed") { await home.session.phase.refusal == .closed }
        return (home, running, closing)
    }

    /// The server acknowledges nothing. Closing waits only until the deadline of the suspension, and then completes.
    @Test func aSessionThatIsClosedIsClosedInTime() async throws {
        let (home, running, closing) = try await closing()
        await #expect(throws: StreamManagementError.ended) { try await home.session.send(xml("<message/>")) }
        await #expect(throws: StreamManagementError.ended) { try await home.session.transaction { _ in } }
        try await home.session.suspend(gracePeriod: .milliseconds(20), storingTime: .seconds(600), freezing: true)
        await closing.value
        _ = try await running.value
        await #expect(throws: StanzaDatabaseError.frozen) { try await home.requests() }
        #expect(home.journal.all == ["ended disconnected"])
        try await home.database.unfreeze()
        #expect(try await home.requests() == [])
        #expect(try await home.database.read { try $0.sessions.session(of: Household.account) } == nil)
    }

    /// Closing stores its changes before the connection ends, and suspending cuts the connection.
    @Test func aConnectionThatIsNotClosedHoldsUpNothing() async throws {
        let home = try await Household()
        server.setClosing(false)
        let running = home.start(server)
        try await home.request()
        try await server.receives(1)
        let closing = Task { [session = home.session] in await session.close() }
        try await home.endsRequests()
        try await home.session.suspend(gracePeriod: .milliseconds(10), storingTime: .milliseconds(50), freezing: true)
        await closing.value
        _ = await running.result
        #expect(home.journal.all == ["ended disconnected"])
    }

    /// The database is not frozen, so no call unfreezes it. Later writes still wait for the lock of another process.
    @Test func closingInTimeKeepsTheTimeoutOfOthers() async throws {
        var options = StanzaDatabase.Options()
        options.busyTimeout = 3600
        let (home, running, closing) = try await closing(options)
        try await home.session.suspend(gracePeriod: .milliseconds(20), storingTime: .milliseconds(50), freezing: false)
        await closing.value
        _ = await running.result
        try await whileLocked(home) { holder in
            let writing = Task { [database = home.database] in
                try await database.write { try $0.db.execute(sql: "CREATE TABLE note (text)") }
            }
            // The write waits by then, and a time limit of the suspension has expired, as a rule.
            try await Task.sleep(for: .milliseconds(100))
            holder.letGo()
            try await writing.value
        }
    }

    /// When `suspend` returns, the session no longer uses the database.
    @Test func aSessionThatIsClosedWhileItIsSuspendedIsClosedWithThat() async throws {
        let home = try await Household()
        let (session, journal) = (home.session, home.journal)
        let running = home.start(server)
        try await home.onMessage { [weak session] _, _ in
            await journal.waitDeafly(for: "go on")
            await session?.close()
        }
        try await home.request()
        try await server.receives(1)
        server.say(1...1)
        try await home.notes("1")
        let suspending = Task { try await session.suspend(gracePeriod: .seconds(3600)) }
        try await eventually("it is being suspended") { await session.phase.refusal != nil }
        journal.note("go on")
        try await suspending.value
        await #expect(throws: StanzaDatabaseError.frozen) { try await home.requests() }
        #expect(journal.all == ["1", "go on", "ended disconnected"])
        _ = try await running.value
        #expect(try await Household(home.folder).requests() == [])
    }

    /// The time of the suspension is over, and the database is busy for a moment.
    @Test func closingDoesNotInheritTheTimeOfASuspension() async throws {
        let home = try await Household()
        try await home.run(server) {
            try await home.request()
            try await server.receives(1)
        }
        try await home.session.suspend(gracePeriod: .zero, storingTime: .milliseconds(1))
        try await whileLocked(home) { holder in
            let closing = Task { await home.session.close() }
            // The closing waits for the database by then, as a rule.
            try await Task.sleep(for: .milliseconds(100))
            holder.letGo()
            await closing.value
        }
        #expect(try await home.requests() == [])
        #expect(home.journal.all == ["ended disconnected"])
    }
}
