// Sessions that their own handlers close, or that are suspended while tasks send. Each request has one outcome.

import Handlers
import Persistence
import Promises
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct ClosingTests {
    private let server = FakeServer()

    // MARK: Closing

    /// The answer to the first request closes the session. In the last case an invalidation does.
    @Test(
        arguments: [
            ("Test|closing", "Test|ended", ["closed", "ended disconnected"]),
            ("Test|closingAndFailing", "Test|ended", ["failing", "ended disconnected", "ended disconnected"]),
            ("Test|answered", "Test|closing", ["closed", "ended disconnected"]),
        ] as [(HandlerName, HandlerName, [String])])
    func aHandlerMayCloseTheSession(name: HandlerName, invalidation: HandlerName, lines: [String]) async throws {
        let home = try await Household()
        let running = home.start(server)
        try await home.request(query, home.handler(name, invalidation: invalidation))
        try await home.request(otherQuery)
        try await server.receives(2)
        if invalidation == "Test|closing" { try await home.end("q1") } else { server.say(answer) }
        #expect(try await running.value == .closed)
        await home.session.close()
        #expect(home.journal.all.sorted() == lines.sorted())
        #expect(try await home.requests() == [])
        #expect(try await home.database.handlers() == [])
    }

    /// The closed session would never send the request.
    @Test(arguments: ["Test|asking", "Test|askingInVain"] as [HandlerName])
    func anInvalidationOfAClosedSessionRequestsNothing(invalidation: HandlerName) async throws {
        let home = try await Household()
        home.asker.set(try home.handler())
        try await home.request(query, home.handler(invalidation: invalidation))
        await home.session.close()
        #expect(try await home.requests() == [])
        #expect(try await home.database.handlers() == [])
        #expect(home.journal.all == (invalidation == "Test|asking" ? [] : ["asking"]))
    }

    /// The session drops the stanza that it sends, and commits its other effects.
    @Test func anInvalidationOfASessionThatIsClosedMaySend() async throws {
        let home = try await Household()
        let promise = try await home.promises.create(String.self)
        try await home.request(query, home.handler("Test|answered", ["promise": promise], invalidation: "Test|sending"))
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
                try transaction.db.execute(
                    sql: "CREATE TEMP TRIGGER t\(number) BEFORE \(event) BEGIN SELECT RAISE(ABORT, 'refused'); END")
            }
        }
        try await body()
        try await database.write { transaction in
            for number in triggers.indices { try transaction.db.execute(sql: "DROP TRIGGER t\(number)") }
        }
    }

    /// A process with a sent request. The first `close` fails: it cannot delete the stored session or, after a
    /// suspension, cannot claim it.
    private func closedInVain(isSuspended: Bool) async throws -> Household {
        let home = try await Household { $0.maximumHandlingAttempts = 1 }
        let running = await home.online(server)
        try await home.request()
        try await server.receives(1)
        if isSuspended { try await home.suspend() }
        try await whileSessionsCannotBeForgotten(in: home.database) {
            await home.session.close()
            _ = await running.result
        }
        #expect(try await home.requests().count == 1)
        return home
    }

    @Test(arguments: [false, true])
    func whatTheDatabaseCouldNotDoIsDoneByClosingAgain(isSuspended: Bool) async throws {
        let home = try await closedInVain(isSuspended: isSuspended)
        await home.session.close()
        #expect(try await home.requests() == [])
        #expect(try await home.database.read { try $0.sessions.session(of: Household.account) } == nil)
        #expect(home.journal.all == ["ended disconnected"])
    }

    /// In one case an invalidation of the first session still runs. In the other case none has begun.
    @Test(arguments: [false, true])
    func closingAgainLeavesAloneWhatOthersHaveStored(isTakenOver: Bool) async throws {
        let home = try await Household(grace: .milliseconds(20))
        try await home.request(query, home.handler(invalidation: "Test|deaf"))
        if !isTakenOver {
            await home.session.close()
            try await home.notes("deaf")
        }
        let other = try await Household(home.folder, takingOver: isTakenOver)
        if isTakenOver { await home.session.close() }
        try await other.request(otherQuery)
        try await other.end("q2")
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
    func closingAgainLeavesAloneASessionThatOthersHaveSuspended(isSuspended: Bool, isOlder: Bool) async throws {
        let home = try await closedInVain(isSuspended: isSuspended)
        let other = try await Household(home.folder)
        try await other.request(otherQuery)
        try await other.suspend()
        if isOlder { try await other.database.write { try $0.db.execute(sql: "DELETE FROM streamOwner") } }
        await home.session.close()
        #expect(try await other.requests().map(\.id) == ["q1", "q2"])
        #expect(try await other.requests().allSatisfy { $0.end != .lost })
        let session = try await other.database.read { try $0.sessions.session(of: Household.account) }
        #expect(session?.resumption != nil)
        #expect(home.journal.all == [])
    }

    /// An older version stored such a request. Neither its answer nor closing the session leaves it.
    @Test(arguments: [false, true]) func aRequestOfAHandlerThatHasEndedHoldsUpNothing(isClosed: Bool) async throws {
        let home = try await Household()
        let handler = try home.session.workContext.handlers.handler("Test|answered")
        try await home.request(query, handler)
        try await home.session.workContext.handlers.invalidate(handler, because: .timedOut)
        try await home.database.write { try $0.handlers.remove(handler.id) }
        try await home.session.workContext.handlers.store(handler)
        if isClosed {
            await home.session.close()
        } else {
            server.answer { $0["id"] == "q1" ? [answer, "<message id='m'/>"] : [] }
            try await home.onMessage()
            try await home.run(server) { try await home.notes("m") }
        }
        #expect(try await home.requests() == [])
        #expect(try await home.database.handlers() == [])
    }

    // MARK: Suspending

    @Test func aRequestDoesNotResumeASuspendedSession() async throws {
        let home = try await Household()
        let (session, handler) = (home.session, try home.handler())
        let running = await home.online(server)
        // These tasks send until the session refuses.
        let senders = (1...4).map { number in
            Task { while true { try await session.send(xml("<message id='\(number)'/>")) } }
        }
        try await server.receives(5)
        try await home.suspend()
        for sender in senders { await #expect(throws: RequestError.suspended) { try await sender.value } }
        await #expect(throws: RequestError.suspended) { try await session.request(query) }
        await #expect(throws: RequestError.suspended) { try await session.request(query, handler: handler) }
        await #expect(throws: StorageError.self) { try await session.stream.send(xml("<message/>")) }
        _ = try await running.value
        let holder = try await Household(home.folder)
        await #expect(throws: StorageError.self) { try await home.start(server).value }
        // After the failed run, the session is still suspended.
        await #expect(throws: RequestError.suspended) { try await session.send(xml("<message/>")) }
        try await holder.suspend()
        // No process owns the session now.
        let third = try await Household(home.folder)
        try await third.run(server) { #expect(await third.session.stream.didResume) }
        try await home.run(server) {
            #expect(await session.stream.didResume)
            try await session.send(xml("<message id='back'/>"))
            try await server.receives("back")
        }
        #expect(server.binds == 1)
    }

    /// It may finish even if the task that closes or suspends the session is canceled.
    @Test(arguments: [false, true])
    func anInvalidationThatIsAtWorkMayFinish(isClosed: Bool) async throws {
        let home = try await Household()
        let running = await home.online(server)
        try await home.request(query, home.handler(invalidation: "Test|held"))
        try await home.end("q1")
        try await home.notes("held timed-out")
        let leaving = Task { [session = home.session] in
            withUnsafeCurrentTask { $0?.cancel() }
            if isClosed { await session.close() } else { try await session.suspend(gracePeriod: .seconds(600)) }
        }
        try await eventually("the session is being closed or suspended") { await home.session.phase.refusal != nil }
        home.journal.note("go on")
        try await leaving.value
        _ = try await running.value
        #expect(try await Household(home.folder).requests() == [])
        #expect(home.journal.all == ["held timed-out", "go on"])
    }
}
