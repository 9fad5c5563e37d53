// Sessions that their own handlers close, or that are suspended while tasks send. Each request has one outcome.

import GRDB
import Handlers
import Locking
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct ClosingTests {
    private let server = FakeServer()

    // MARK: Closing

    /// The answer to the first request closes the session, or its invalidation does.
    @Test(arguments: [false, true]) func aHandlerMayCloseTheSession(isInvalidation: Bool) async throws {
        let home = try await Household()
        let running = home.start(server)
        let closing: HandlerName = "Test|closing"
        try await home.request(
            query, isInvalidation ? home.handler(invalidation: closing) : home.handler(closing))
        try await home.request(otherQuery)
        try await server.receives(2)
        if isInvalidation { try await home.end("q1") } else { server.say(answer) }
        #expect(try await running.value == .closed)
        await home.session.close()
        #expect(home.journal.all.sorted() == ["closed", "ended disconnected"])
        #expect(try await home.requests() == [])
    }

    /// The session drops the stanza of one invalidation, and commits its other effects. The other invalidation requests
    /// something, which the closed session would never send.
    @Test func invalidationsOfAClosedSessionSendNothing() async throws {
        let home = try await Household()
        home.asker.set(try home.handler())
        let promise = try await home.promises.create(String.self)
        try await home.request(query, home.handler("Test|answered", ["promise": promise], invalidation: "Test|sending"))
        try await home.request(otherQuery, home.handler(invalidation: "Test|askingInVain"))
        await home.session.close()
        await #expect(throws: PromiseRejection(code: "over", message: "no answer")) { try await promise.value }
        #expect(home.journal.all == ["asking"])
        #expect(try await home.requests() == [])
    }

    /// A read waits for the changes of the handler before it. A closed session commits them without its stream.
    @Test func anInvalidationOfAClosedSessionSeesTheChangesOfAnother() async throws {
        let database = Lock<StanzaDatabase?>(nil)
        let noting = HandlerDefinition("Test|noting", HandlerParameter("work", StanzaWork.self)) { work in
            let known = try #require(database.withLock { $0 })
            let count = try await known.read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM note") }
            try work.changes.add { try $0.db.execute(sql: "INSERT INTO note VALUES (?)", arguments: [count]) }
        }
        let home = try await Household(handlers: Household.handlers + [noting])
        database.withLock { $0 = home.database }
        try await home.database.write { try $0.db.execute(sql: "CREATE TABLE note (earlier INTEGER NOT NULL)") }
        try await home.request(query, home.handler(invalidation: "Test|noting"))
        try await home.request(otherQuery, home.handler(invalidation: "Test|noting"))
        await home.session.close()
        let noted = try await home.database.read { try Int.fetchAll($0.db, sql: "SELECT earlier FROM note") }
        #expect(noted == [0, 1])
    }

    /// A handler, which waits for no closing, closes the session before the claim of the run has its turn.
    @Test func aRunOfASessionThatIsBeingClosedClaimsNothing() async throws {
        let home = try await Household()
        let session = home.session
        await session.addOperation { [journal = home.journal] in await journal.waitDeafly(for: "go on") }
        let running = home.start(server)
        try await eventually("the claim waits for its turn") { await session.phase.name == "claiming" }
        await HandlingScope(session).run { await session.close() }
        home.journal.note("go on")
        await #expect(throws: StreamManagementError.ended) { try await running.value }
        #expect(server.binds == 0)
    }

    /// Runs the body while the database refuses to delete sessions and to add owners.
    private func whileSessionsCannotBeForgotten(in database: StanzaDatabase, _ body: () async throws -> Void)
        async throws
    {
        let triggers = ["INSERT ON stanza_sessionOwner", "DELETE ON stanza_session"]
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

    /// An invalidation of the first session still runs.
    @Test func closingAgainLeavesAloneWhatOthersHaveStored() async throws {
        // Long enough for the invalidation to begin.
        let home = try await Household(grace: .milliseconds(500))
        try await home.request(query, home.handler(invalidation: "Test|deaf"))
        await home.session.close()
        try await home.notes("deaf")
        let other = try await Household(home.folder)
        try await other.request(otherQuery)
        await home.session.close()
        home.journal.note("go on")
        try await eventually("no invalidation runs") { await home.session.invalidationsLeft == 0 }
        await home.session.close()
        #expect(home.journal.all == ["deaf", "go on"])
        #expect(try await other.requests().map(\.id) == ["q2"])
    }

    /// Another process has used and suspended the session. An older version leaves no owner row. The first `close`
    /// fails before or after it claims the session.
    @Test(arguments: zip([false, true], [true, false]))
    func closingAgainLeavesAloneASessionThatOthersHaveSuspended(isSuspended: Bool, isOlder: Bool) async throws {
        let home = try await closedInVain(isSuspended: isSuspended)
        let other = try await Household(home.folder)
        try await other.request(otherQuery)
        try await other.suspend()
        if isOlder { try await other.database.write { try $0.db.execute(sql: "DELETE FROM stanza_sessionOwner") } }
        await home.session.close()
        #expect(try await other.requests().map(\.id) == ["q1", "q2"])
        #expect(try await other.requests().allSatisfy { $0.end != .lost })
        let session = try await other.database.read { try $0.sessions.session(of: Household.account) }
        #expect(session?.resumption != nil)
        #expect(home.journal.all == [])
    }

    // MARK: Suspending

    @Test func aRequestDoesNotResumeASuspendedSession() async throws {
        let home = try await Household()
        let (session, handler) = (home.session, try home.handler())
        let running = await home.online(server)
        await #expect(throws: RequestError.running) { try await home.start(server).value }
        // This task sends until the session refuses.
        let sender = Task { while true { try await session.send(xml("<message/>")) } }
        try await server.receives(5)
        try await home.suspend()
        await #expect(throws: RequestError.suspended) { try await sender.value }
        await #expect(throws: RequestError.suspended) { try await session.request(query) }
        await #expect(throws: RequestError.suspended) { try await session.request(query, handler: handler) }
        await #expect(throws: StorageError.self) { try await session.stream.send(xml("<message/>")) }
        _ = try await running.value
        let other = try await Household(home.folder)
        await #expect(throws: StorageError.self) { try await home.start(server).value }
        // After the failed run, the session is still suspended.
        await #expect(throws: RequestError.suspended) { try await session.send(xml("<message/>")) }
        try await other.run(server) { #expect(await other.session.stream.didResume) }
        // No process owns the session now.
        try await home.run(server) {
            #expect(await session.stream.didResume)
            try await session.send(xml("<message id='back'/>"))
            try await server.receives("back")
        }
        #expect(server.binds == 1)
    }
}
