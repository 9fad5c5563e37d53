// Sessions that their own handlers close, or that are suspended while tasks send. Each request has one outcome.

import Handlers
import Persistence
import Promises
import Synchronization
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct ClosingTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    private static let result = "<iq type='result' from='room@chat.example.org' id='q1'/>"
    private static let other = xml("<iq type='get' to='room@chat.example.org' id='q2'/>")

    private func expectClosed(_ running: Task<StreamEnd, any Error>) async throws {
        guard case .closed = try await running.value else {
            Issue.record("expected the run to end because the session was closed")
            return
        }
    }

    // MARK: Closing

    /// The answer to the first request closes the session.
    private func close(byAnswerTo handlers: [HandlerName]) async throws -> Household {
        let home = try await Household(folder)
        let running = home.start(server)
        for (iq, name) in zip([query, Self.other], handlers) {
            try await home.session.request(iq, handler: home.handler(name), timeout: nil)
        }
        try await eventually("all were sent") { server.stanzas.count == handlers.count }
        server.say(Self.result)
        try await expectClosed(running)
        await home.session.close()
        return home
    }

    @Test func aHandlerMayCloseTheSession() async throws {
        let home = try await close(byAnswerTo: ["Test|closing", "Test|answered"])
        #expect(home.journal.all == ["closed", "ended disconnected"])
        #expect(try await home.requests() == [])
        #expect(try await home.database.handlers() == [])
    }

    @Test func aHandlerThatClosesTheSessionAndFailsIsInvalidated() async throws {
        let home = try await close(byAnswerTo: ["Test|closingAndFailing"])
        #expect(home.journal.all == ["failing", "ended disconnected"])
        #expect(try await home.requests() == [])
    }

    @Test func anInvalidationMayCloseTheSession() async throws {
        let home = try await Household(folder)
        let running = home.start(server)
        try await home.session.request(Self.other, handler: home.handler(), timeout: nil)
        try await eventually("it was sent") { server.stanzas.count == 1 }
        try await home.session.request(
            query, handler: home.handler(invalidation: "Test|closing"), timeout: .milliseconds(10))
        try await expectClosed(running)
        await home.session.close()
        #expect(home.journal.all.filter { $0 == "ended disconnected" }.count == 1)
        #expect(home.journal.all.contains("closed"))
        #expect(try await home.requests() == [])
    }

    /// Closing waits a limited time for each invalidation. The other requests have their outcomes.
    @Test func anInvalidationThatDoesNotEndHoldsUpNoOther() async throws {
        let home = try await Household(folder, grace: .seconds(1))
        try await home.session.request(query, handler: home.handler(invalidation: "Test|deaf"), timeout: nil)
        try await home.session.request(Self.other, handler: home.handler(), timeout: nil)
        await home.session.close()
        // The other invalidation may have to wait for a thread.
        try await eventually("the other has ended") { try await home.requests().map(\.id) == ["q1"] }
        #expect(Set(home.journal.all) == ["deaf", "ended disconnected"])
        home.journal.note("go on")
        try await eventually("it has ended") { try await home.requests() == [] }
        #expect(home.journal.all.filter { $0 == "deaf" }.count == 1)
    }

    /// The closed session would never send the request.
    @Test(arguments: ["Test|asking", "Test|askingInVain"] as [HandlerName])
    func anInvalidationOfASessionThatIsClosedAsksNobody(invalidation: HandlerName) async throws {
        let home = try await Household(folder)
        home.asker.set(try home.handler())
        try await home.session.request(query, handler: home.handler(invalidation: invalidation), timeout: nil)
        await home.session.close()
        #expect(try await home.requests() == [])
        #expect(try await home.database.handlers() == [])
        #expect(home.journal.all == (invalidation == "Test|asking" ? [] : ["asking"]))
    }

    /// The session drops the stanza that it sends, and commits its other effects.
    @Test func anInvalidationOfASessionThatIsClosedMaySend() async throws {
        let home = try await Household(folder)
        let promise = try await home.promises.create(String.self)
        let handler = try home.handler("Test|slow", ["promise": promise], invalidation: "Test|sending")
        try await home.session.request(query, handler: handler, timeout: nil)
        await home.session.close()
        #expect(try await home.requests() == [])
        await #expect(throws: PromiseRejection(code: "over", message: "no answer")) { try await promise.value }
    }

    /// Runs the body while the database refuses to delete sessions and to add owners.
    private func whileSessionsCannotBeForgotten(in database: StanzaDatabase, _ body: () async throws -> Void)
        async throws
    {
        let triggers = ["INSERT ON streamOwner", "DELETE ON streamSession"]
        try await database.write { transaction in
            for (number, event) in triggers.enumerated() {
                try transaction.database.execute(
                    sql: "CREATE TEMP TRIGGER t\(number) BEFORE \(event) BEGIN SELECT RAISE(ABORT, 'refused'); END")
            }
        }
        try await body()
        try await database.write { transaction in
            for number in triggers.indices { try transaction.database.execute(sql: "DROP TRIGGER t\(number)") }
        }
    }

    /// The first `close` cannot delete the stored session or, after a suspension, cannot claim it.
    @Test(arguments: [false, true])
    func whatTheDatabaseCouldNotDoIsDoneByClosingAgain(isSuspended: Bool) async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumHandlingAttempts = 1
        let home = try await Household(folder, configuration: configuration)
        let running = home.start(server)
        try await home.session.request(query, handler: home.handler(), timeout: nil)
        try await eventually("it was sent") { server.stanzas.count == 1 }
        if isSuspended { try await home.session.suspend(freezing: false) }
        try await whileSessionsCannotBeForgotten(in: home.database) {
            await home.session.close()
            _ = await running.result
            let requests = try await home.requests()
            #expect(requests.count == 1)
        }
        await home.session.close()
        #expect(try await home.requests() == [])
        #expect(try await home.database.read { try $0.sessions.session(of: Household.account) } == nil)
        #expect(home.journal.all == ["ended disconnected"])
    }

    /// In one case an invalidation of the first session still runs. In the other case none has begun.
    @Test(arguments: [false, true])
    func closingAgainLeavesAloneWhatOthersHaveStored(isTakenOver: Bool) async throws {
        let home = try await Household(folder, grace: .milliseconds(20))
        try await home.session.request(query, handler: home.handler(invalidation: "Test|deaf"), timeout: nil)
        if !isTakenOver {
            await home.session.close()
            try await eventually("the invalidation runs") { home.journal.all == ["deaf"] }
        }
        let other = try await Household(folder, takingOver: isTakenOver)
        if isTakenOver { await home.session.close() }
        try await other.session.request(Self.other, handler: other.handler(), timeout: nil)
        try await other.database.write {
            try $0.database.execute(sql: "UPDATE request SET deadline = 0 WHERE id = 'q2'")
        }
        await home.session.close()
        home.journal.note("go on")
        try await eventually("no invalidation runs") { await home.session.invalidationsLeft == 0 }
        await home.session.close()
        #expect(home.journal.all == (isTakenOver ? ["go on"] : ["deaf", "go on"]))
        #expect(try await other.requests().map(\.id) == (isTakenOver ? ["q1", "q2"] : ["q2"]))
        other.journal.note("go on")
    }

    /// Another process has used and suspended the session. An older version leaves no owner row. The first `close`
    /// fails before or after it claims the session.
    @Test(arguments: [false, true], [false, true])
    func closingAgainLeavesAloneASessionThatOthersHaveLaidAside(isSuspended: Bool, isOlder: Bool) async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumHandlingAttempts = 1
        let home = try await Household(folder, configuration: configuration)
        let running = home.start(server)
        try await eventually("the session runs") { await home.session.stream.state == .enabled }
        try await home.session.request(query, handler: home.handler(), timeout: nil)
        try await eventually("it was sent") { server.stanzas.count == 1 }
        if isSuspended { try await home.session.suspend(freezing: false) }
        try await whileSessionsCannotBeForgotten(in: home.database) {
            await home.session.close()
            _ = await running.result
        }
        let other = try await Household(folder)
        try await other.session.request(Self.other, handler: other.handler(), timeout: nil)
        try await other.session.suspend(freezing: false)
        if isOlder { try await other.database.write { try $0.database.execute(sql: "DELETE FROM streamOwner") } }
        await home.session.close()
        #expect(try await other.requests().map(\.id) == ["q1", "q2"])
        #expect(try await other.requests().allSatisfy { $0.end != .lost })
        let session = try await other.database.read { try $0.sessions.session(of: Household.account) }
        #expect(session?.resumption != nil)
        #expect(home.journal.all == [])
    }

    /// Closing ends the request, although its handler has ended before.
    @Test func aRequestOfAHandlerThatHasEndedIsNotLeft() async throws {
        let home = try await Household(folder)
        let handler = try home.session.handlers.handler("Test|answered")
        try await home.session.request(query, handler: handler, timeout: nil)
        try await home.session.handlers.invalidate(handler, because: .timedOut)
        try await home.database.write { try $0.handlers.remove(handler.id) }
        try await home.session.handlers.store(handler)
        await home.session.close()
        #expect(try await home.requests() == [])
        #expect(try await home.database.handlers() == [])
    }

    // MARK: Suspending

    @Test func nobodyTakesUpASuspendedSessionByAsking() async throws {
        let home = try await Household(folder)
        let running = home.start(server)
        try await eventually("the session runs") { await home.session.stream.state == .enabled }
        // These tasks send until the session refuses.
        let senders = (1...4).map { number in
            Task { [session = home.session] in
                while true { try await session.send(xml("<message id='\(number)'/>")) }
            }
        }
        try await eventually("they send") { server.stanzas.count > 4 }
        try await home.session.suspend(freezing: false)
        for sender in senders { await #expect(throws: RequestError.suspended) { try await sender.value } }
        let handler = try home.handler()
        await #expect(throws: RequestError.suspended) { try await home.session.send(xml("<message/>")) }
        await #expect(throws: RequestError.suspended) { try await home.session.request(query) }
        await #expect(throws: RequestError.suspended) { try await home.session.request(query, handler: handler) }
        await #expect(throws: StorageError.self) { try await home.session.stream.send(xml("<message/>")) }
        _ = try await running.value
        let holder = try await Household(folder)
        await #expect(throws: StorageError.self) { try await home.start(server).value }
        // After the failed run, the session is still suspended.
        await #expect(throws: RequestError.suspended) { try await home.session.send(xml("<message/>")) }
        try await holder.session.suspend(freezing: false)
        await #expect(throws: RequestError.suspended) { try await home.session.send(xml("<message/>")) }
        // No process owns the session now.
        let extension1 = try await Household(folder)
        try await extension1.run(server) {
            try await eventually("the session is resumed") { await extension1.session.stream.didResume }
        }
        try await home.run(server) {
            try await eventually("the session is resumed") { await home.session.stream.didResume }
            try await home.session.send(xml("<message id='back'/>"))
            try await eventually("it is sent") { server.stanzas.last?["id"] == "back" }
        }
        #expect(server.binds == 1)
    }

    /// It may finish even if the task that closes or suspends the session is canceled.
    @Test(arguments: [false, true])
    func anInvalidationThatIsAtWorkMayFinish(isClosed: Bool) async throws {
        let home = try await Household(folder)
        let running = home.start(server)
        try await eventually("the session runs") { await home.session.stream.state == .enabled }
        try await home.session.request(
            query, handler: home.handler(invalidation: "Test|held"), timeout: .milliseconds(10))
        try await eventually("the invalidation runs") { home.journal.all == ["held timed-out"] }
        let leaving = Task { [session = home.session] in
            withUnsafeCurrentTask { $0?.cancel() }
            if isClosed { await session.close() } else { try await session.suspend(deadline: .seconds(600)) }
        }
        try await eventually("the session is being closed or suspended") { await home.session.phase.refusal != nil }
        home.journal.note("go on")
        try await leaving.value
        _ = try await running.value
        let other = try await Household(folder)
        #expect(try await other.requests() == [])
        #expect(home.journal.all == ["held timed-out", "go on"])
    }

    /// The invalidation fails because the suspended session refuses its request. That does not count as a failed
    /// attempt.
    @Test func anInvalidationThatIsRefusedByASuspensionIsMadeAgain() async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumHandlingAttempts = 1
        let refused = HandlerDefinition("Test|refused", HandlerParameter("journal", Journal.self)) { journal in
            journal.note("asking")
            if journal.all.contains("go on") { return }
            while !journal.all.contains("go on") { try await Task.sleep(for: .milliseconds(2)) }
            throw RequestError.suspended
        }
        let home = try await Household(
            folder, configuration: configuration, handlers: Household.handlers + [refused])
        let running = home.start(server)
        try await eventually("the session runs") { await home.session.stream.state == .enabled }
        try await home.session.request(
            query, handler: home.handler(invalidation: "Test|refused"), timeout: .milliseconds(10))
        try await eventually("the invalidation runs") { home.journal.all == ["asking"] }
        let leaving = Task { [session = home.session] in
            try await session.suspend(deadline: .seconds(600), freezing: false)
        }
        try await eventually("the session is being closed or suspended") { await home.session.phase.refusal != nil }
        home.journal.note("go on")
        try await leaving.value
        _ = try await running.value
        #expect(try await home.requests().count == 1)
        try await home.run(server) {
            try await eventually("it has ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["asking", "go on", "asking"])
    }

    /// The running invalidation ignores cancellation.
    @Test func anInvalidationThatDoesNotEndDoesNotKeepTheSessionFromBeingSuspended() async throws {
        let home = try await Household(folder, grace: .seconds(1))
        let running = home.start(server)
        try await eventually("the session runs") { await home.session.stream.state == .enabled }
        try await home.session.request(
            query, handler: home.handler(invalidation: "Test|deaf"), timeout: .milliseconds(10))
        try await eventually("the invalidation runs") { home.journal.all == ["deaf"] }
        try await home.session.suspend(deadline: .milliseconds(20))
        home.journal.note("go on")
        _ = try await running.value
        // The end of the request was not stored.
        try await home.run(server) {
            try await eventually("the session is resumed") { await home.session.stream.didResume }
            try await eventually("it has ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["deaf", "go on", "deaf"])
    }
}
