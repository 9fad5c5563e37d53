// Suspending a session takes no longer than its deadlines, whatever else runs.

import Handlers
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct SuspendingTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    private static let result = "<iq type='result' from='room@chat.example.org' id='q1'/>"

    // MARK: A locked database

    /// Without a bound, suspending would wait as long as the lock is held.
    @Test(arguments: [false, true]) func whoHoldsTheDatabaseDoesNotHoldUpSuspending(freezing: Bool) async throws {
        var options = StanzaDatabase.Options()
        options.busyTimeout = 3600
        let home = try await Household(folder, options: options)
        let running = home.start(server)
        try await eventually("the session runs") { await home.session.stream.state == .enabled }
        let other = try await StanzaDatabase.open(at: folder.database)
        try await holding { holder in
            try await other.write { _ in holder.hold() }
        } during: { holder in
            // Two tasks wait for the database, if they have begun by then. Suspending stores changes, too.
            let sending = Task { try await home.session.send(xml("<message/>")) }
            let asking = Task { try await home.session.request(query) }
            try await Task.sleep(for: .milliseconds(50))
            try? await home.session.suspend(
                deadline: .milliseconds(10), storingTime: .milliseconds(500), freezing: freezing)
            #expect(holder.isHeld)
            holder.letGo()
            _ = await sending.result
            await #expect(throws: (any Error).self) { try await asking.value }
            _ = try? await running.value
        }
        // The next run has the configured busy timeout again.
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            try await home.session.send(xml("<message id='back'/>"))
            try await eventually("it is sent") { server.stanzas.last?["id"] == "back" }
        }
        #expect(!server.stanzas.contains { $0["id"] == "q1" })
    }

    // MARK: Waiting stanzas

    /// The task waits no longer, so the next run sends only the later message.
    @Test func whatATaskHasAskedIsNotSentAfterASuspension() async throws {
        let home = try await Household(folder)
        server.setDown(true)
        let running = home.start(server)
        let asking = Task { [session = home.session] in try await session.request(query) }
        try await eventually("it waits") { await !home.session.stream.unacknowledged.isEmpty }
        try await home.session.suspend(freezing: false)
        await #expect(throws: RequestError.disconnected) { try await asking.value }
        _ = try await running.value
        server.setDown(false)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            try await home.session.send(xml("<message id='m'/>"))
            try await eventually("the message is sent") { server.stanzas.last?["id"] == "m" }
        }
        #expect(server.stanzas.map { $0["id"] } == ["m"])
    }

    /// The session is suspended before it can withdraw the request.
    @Test func whatCouldNotBeTakenBackIsInTheNextRun() async throws {
        let home = try await Household(folder)
        let sent = try await home.session.stream.send(query)
        try await home.session.stream.suspend(untilClaimed: true)
        await home.session.withdraw(sent)
        #expect(sent.state == .queued)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            try await home.session.send(xml("<message id='m'/>"))
            try await eventually("the message is sent") { server.stanzas.last?["id"] == "m" }
        }
        #expect(server.stanzas.map { $0["id"] } == ["m"])
    }

    /// The database refuses to delete the first stanza.
    @Test func whatIsTakenBackLaterIsNotForgottenBecauseOfAFailure() async throws {
        let home = try await Household(folder)
        var kept: [SentStanza] = []
        for id in ["q1", "q2"] {
            kept.append(try await home.session.stream.send(xml("<iq type='set' id='\(id)'/>")))
        }
        try await home.session.stream.suspend(untilClaimed: true)
        for sent in kept { await home.session.withdraw(sent) }
        try await home.session.stream.claim()
        try await home.database.write {
            try $0.database.execute(
                sql: "CREATE TEMP TRIGGER t BEFORE DELETE ON outgoingStanza BEGIN SELECT RAISE(ABORT, 'refused'); END")
        }
        await #expect(throws: (any Error).self) { try await home.session.withdrawKept() }
        try await home.database.write { try $0.database.execute(sql: "DROP TRIGGER t") }
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            try await home.session.send(xml("<message id='m'/>"))
            try await eventually("the message is sent") { server.stanzas.last?["id"] == "m" }
        }
        #expect(server.stanzas.map { $0["id"] } == ["m"])
    }

    /// The queue gets room only while the session runs.
    @Test func whoWaitsForRoomIsToldOfASuspension() async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumUnacknowledged = 1
        let home = try await Household(folder, configuration: configuration)
        try await home.session.send(xml("<message id='1'/>"))
        let sending = Task { [session = home.session] in try await session.send(xml("<message id='2'/>")) }
        let asking = Task { [session = home.session, handler = try home.handler()] in
            try await session.request(query, handler: handler)
        }
        try await Task.sleep(for: .milliseconds(50))
        try await home.session.suspend(freezing: false)
        await #expect(throws: RequestError.suspended) { try await sending.value }
        await #expect(throws: RequestError.suspended) { try await asking.value }
    }

    // MARK: Closing

    /// A session whose closing takes long, because the server acknowledges nothing.
    private func closing(
        _ options: StanzaDatabase.Options = .init()
    ) async throws -> (home: Household, running: Task<StreamEnd, any Error>, closing: Task<Void, Never>) {
        let home = try await Household(folder, options: options)
        server.setAcknowledging(false)
        let running = home.start(server)
        try await home.session.request(query, handler: home.handler(), timeout: nil)
        try await eventually("it was sent") { server.stanzas.count == 1 }
        let closing = Task { [session = home.session] in await session.close(waiting: .seconds(86_400)) }
        try await eventually("it is being closed") { await home.session.closing != nil }
        return (home, running, closing)
    }

    /// The server acknowledges nothing. Closing waits only until the deadline of the suspension, and then completes.
    @Test func aSessionThatIsClosedIsClosedInTime() async throws {
        let (home, running, closing) = try await closing()
        await #expect(throws: StreamManagementError.ended) { try await home.session.send(xml("<message/>")) }
        await #expect(throws: StreamManagementError.ended) { try await home.session.together { _ in } }
        try await home.session.suspend(deadline: .milliseconds(20), storingTime: .seconds(600), freezing: true)
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
        let home = try await Household(folder)
        server.setClosing(false)
        let running = home.start(server)
        try await home.session.request(query, handler: home.handler(), timeout: nil)
        try await eventually("it was sent") { server.stanzas.count == 1 }
        let closing = Task { [session = home.session] in await session.close() }
        try await eventually("it has ended") { try await home.requests() == [] }
        try await home.session.suspend(deadline: .milliseconds(10), storingTime: .milliseconds(50), freezing: true)
        await closing.value
        _ = await running.result
        #expect(home.journal.all == ["ended disconnected"])
    }

    /// The database is not frozen, so no call unfreezes it. Later writes still wait for the lock of another process.
    @Test func closingInTimeCostsNobodyElseThePatience() async throws {
        var options = StanzaDatabase.Options()
        options.busyTimeout = 3600
        let (home, running, closing) = try await closing(options)
        try await home.session.suspend(deadline: .milliseconds(20), storingTime: .milliseconds(50), freezing: false)
        await closing.value
        _ = await running.result
        // A time limit of the suspension has expired by then.
        try await Task.sleep(for: .milliseconds(100))
        let other = try await StanzaDatabase.open(at: folder.database)
        try await holding { holder in
            try await other.write { _ in holder.hold() }
        } during: { holder in
            let writing = Task { [database = home.database] in
                try await database.write { try $0.database.execute(sql: "CREATE TABLE note (text)") }
            }
            // The write waits by then, as a rule.
            try await Task.sleep(for: .milliseconds(100))
            holder.letGo()
            try await writing.value
        }
    }

    /// The invalidation outlives suspending. Its end cannot be stored, so the next `close` calls it again.
    @Test func whatThereWasNoTimeForIsDoneByClosingAgain() async throws {
        let home = try await Household(folder)
        let running = home.start(server)
        try await home.session.request(query, handler: home.handler(invalidation: "Test|deaf"), timeout: nil)
        try await eventually("it was sent") { server.stanzas.count == 1 }
        let closing = Task { [session = home.session] in await session.close() }
        try await eventually("the invalidation runs") { home.journal.all == ["deaf"] }
        try await home.session.suspend(deadline: .milliseconds(10), storingTime: .milliseconds(50), freezing: true)
        await closing.value
        await #expect(throws: StanzaDatabaseError.frozen) { try await home.requests() }
        home.journal.note("go on")
        _ = try await running.value
        try await eventually("it was not stored") { await home.session.invalidationsLeft == 0 }
        await home.session.close()
        try await eventually("it is stored") { try await home.requests() == [] }
        #expect(home.journal.all == ["deaf", "go on", "deaf"])
    }

    /// When `suspend` returns, the session no longer uses the database.
    @Test func aSessionThatIsClosedWhileItIsSuspendedIsClosedWithThat() async throws {
        let home = try await Household(folder)
        let running = home.start(server)
        try await home.session.on("/{jabber:client}message") { [session = home.session, journal = home.journal] _, _ in
            journal.note("at work")
            while !journal.all.contains("go on") { try await Task.sleep(for: .milliseconds(2)) }
            await session.close()
        }
        try await home.session.request(query, handler: home.handler(), timeout: nil)
        try await eventually("it was sent") { server.stanzas.count == 1 }
        server.say("<message/>")
        try await eventually("the handler runs") { home.journal.all == ["at work"] }
        let suspending = Task { [session = home.session] in try await session.suspend(deadline: .seconds(3600)) }
        try await eventually("it is being suspended") { await home.session.phase.refusal != nil }
        home.journal.note("go on")
        try await suspending.value
        await #expect(throws: StanzaDatabaseError.frozen) { try await home.requests() }
        #expect(home.journal.all == ["at work", "go on", "ended disconnected"])
        _ = try await running.value
        let other = try await Household(folder)
        #expect(try await other.requests() == [])
    }
}
