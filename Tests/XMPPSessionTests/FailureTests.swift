// Failures outside the session: the database fails, and handlers throw errors of the session.

import Foundation
import GRDB
import Handlers
import Persistence
import SessionCore
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct FailureTests {
    private let server = FakeServer()

    private func household(attempts: Int) async throws -> Household {
        let home = try await Household { $0.maximumHandlingAttempts = attempts }
        try await home.database.write {
            try $0.db.execute(
                sql: """
                    CREATE TABLE note (text);
                    CREATE TABLE line (id INTEGER PRIMARY KEY, note INTEGER REFERENCES line (id) DEFERRABLE INITIALLY DEFERRED);
                    """)
        }
        return home
    }

    /// The database fails more often than the session tries a stanza whose handler fails.
    @Test func whatTheDatabaseCouldNotDoOnceIsDoneThen() async throws {
        let home = try await household(attempts: 2)
        try await home.session.on("/{jabber:client}message") { [journal = home.journal] stanza, work in
            let id = stanza["id"] ?? ""
            try work.changes.add { transaction in
                journal.note(id)
                // The database has no room until the fourth attempt.
                let pages = id == "1" && journal.all.count < 4 ? 1 : 1_000_000
                let database = transaction.db
                try database.execute(sql: "PRAGMA max_page_count = \(pages)")
                // GRDB rolls back to the savepoint before it rethrows. SQLite no longer reports the failure then.
                try database.inSavepoint {
                    try database.execute(sql: "INSERT INTO note VALUES (zeroblob(100000))")
                    return .commit
                }
            }
        }
        try await home.run(server) {
            server.say(1...3)
            try await home.acknowledges(server)
        }
        #expect(home.journal.all == ["1", "1", "1", "1", "2", "3"])
    }

    private static func message(_ id: String) -> Element {
        xml("<message id='\(id)'><body>\(String(repeating: "x", count: 100_000))</body></message>")
    }

    @Test("A full database ends no run: senders get the error, and handlers' replies wait for room")
    func full() async throws {
        let home = try await household(attempts: 1)
        let session = home.session
        try await home.onMessage { id, work in
            try work.changes.add { try $0.db.execute(sql: "INSERT INTO note VALUES (?)", arguments: [id]) }
            try work.send(Self.message("reply-\(id)"))
        }
        try await home.run(server) {
            try await home.database.write { try $0.db.execute(sql: "PRAGMA max_page_count = 1") }
            await #expect(throws: StanzaDatabaseError.full) { try await session.send(Self.message("never")) }
            await #expect(throws: StanzaDatabaseError.full) {
                try await session.transaction { try $0.send(Self.message("never")) }
            }
            server.say(1...2)
            try await home.notes("2")
            server.cut()
            try await server.isResumed(1)
            try await home.database.write { try $0.db.execute(sql: "PRAGMA max_page_count = 1000000") }
            try await home.acknowledges(server)
            try await server.receives(2)
        }
        #expect(home.journal.all == ["1", "2"])
        #expect(server.ids == ["reply-1", "reply-2"])
        let notes = try await home.database.read { try String.fetchAll($0.db, sql: "SELECT text FROM note") }
        #expect(notes == ["1", "2"])
        #expect(server.binds == 1)
    }

    /// A failure in a transaction that is not the database's own.
    enum Fault: CaseIterable {
        case otherIsBusy, foreignKey
    }

    /// The first message changes nothing and becomes a dead letter, and the session handles the next.
    @Test(arguments: Fault.allCases) func thisIsTheStanzasFault(fault: Fault) async throws {
        let home = try await household(attempts: 2)
        let path = home.folder.url.appending(path: "other.db").path
        let (holder, other) = (try DatabaseQueue(path: path), try DatabaseQueue(path: path))
        try await other.write { try $0.execute(sql: "CREATE TABLE note (text)") }
        try await home.session.on("/{jabber:client}message") { [journal = home.journal] stanza, work in
            let id = stanza["id"] ?? ""
            try work.changes.add { transaction in
                journal.note(id)
                try transaction.db.execute(sql: "INSERT INTO note VALUES (?)", arguments: [id])
                if id == "2" { return }
                switch fault {
                case .otherIsBusy:
                    try holder.inDatabase { database in
                        try database.inTransaction(.exclusive) {
                            try other.inDatabase { try $0.execute(sql: "INSERT INTO note VALUES (1)") }
                            return .rollback
                        }
                    }
                // SQLite checks the key only when the transaction commits.
                case .foreignKey: try transaction.db.execute(sql: "INSERT INTO line VALUES (1, 7)")
                }
            }
        }
        try await home.run(server) {
            server.say(1...2)
            try await home.acknowledges(server)
        }
        #expect(home.journal.all == ["1", "1", "2"])
        let notes = try await home.database.read { try String.fetchAll($0.db, sql: "SELECT text FROM note") }
        #expect(notes == ["2"])
        #expect(server.binds == 1)
        #expect(server.resumptions == 0)
    }

    /// The core decides about the effects: Tests/SessionRules has them.
    @Test(
        arguments: [
            (RequestError.timedOut, .unanswered(isInputHeldUp: false)),
            // Perhaps another session, which may stay suspended or offline.
            (RequestError.suspended, .interrupted), (RequestError.disconnected, .interrupted),
            // A lost connection would only repeat it.
            (RequestError.deadLettered(.losses(5)), .failed),
            (OutcomeIsOpen(), .interrupted), (Household.Failure(), .failed), (CancellationError(), .failed),
            (StanzaDatabaseError.closed, .failed), (StreamManagementError.ended, .failed),
        ] as [(any Error, DurableSessionCore.Failure)])
    func errorsOfHandlers(error: any Error, failure: DurableSessionCore.Failure) {
        #expect(DurableSessionCore.Failure(error, lookUp: nil, isInputHeldUp: false, isClosed: false) == failure)
        let busy = DurableSessionCore.Failure(
            error, lookUp: StanzaDatabaseError.busy, isInputHeldUp: false, isClosed: false)
        #expect(busy == .database(.busy))
    }

    /// Another attempt would not help an app that passes a database that is not the session's.
    @Test(
        arguments: [
            (StanzaDatabaseError.busy, .busy), (StanzaDatabaseError.full, .busy), (StanzaDatabaseError.frozen, .busy),
            (EffectsError(StanzaDatabaseError.busy), .busy), (CancellationError(), .busy),
            (StreamManagementError.comesAgain, .staleStanza), (StreamManagementError.ended, .notOwner),
            (StorageError.takenOver(account: "a"), .notOwner), (StorageError.takesNoEffects, .broken),
            (StanzaDatabaseError.failed(code: 1), .broken),
        ] as [(any Error, DurableSessionCore.DatabaseFailure)])
    func errorsOfTheDatabase(error: any Error, failure: DurableSessionCore.DatabaseFailure) {
        #expect(DurableSessionCore.DatabaseFailure(error) == failure)
    }

    // MARK: Other processes

    // MARK: Stanzas that could not be read back

    @Test func aStanzaThatIsTooDeepIsRefused() async throws {
        let home = try await Household()
        let (session, database) = (home.session, home.database)
        var deep = MutableElement("forwarded").freeze()
        for _ in 1...300 { deep = MutableElement("forwarded") { [deep] in deep }.freeze() }
        let content = deep
        let message = MutableElement("message", namespace: .uri("jabber:client")) { content }.freeze()
        await #expect(throws: XMLParseError.self) { try await session.send(message) }
        await #expect(throws: XMLParseError.self) { try await session.transaction { work in try work.send(message) } }
        // The stream refuses the stanza, too.
        await #expect(throws: XMLParseError.self) { try await session.stream.send(message) }
        await #expect(throws: XMLParseError.self) {
            try await session.stream.send(contentsOf: [xml("<message/>"), message])
        }
        await #expect(throws: XMLParseError.self) {
            try await database.collect { _ in
            } commit: { work, _ in
                _ = try await session.stream.commit(nil, with: work, sending: [message])
            }
        }
        #expect(await session.stream.unacknowledged.isEmpty)
    }

    /// GRDB's own error may quote values, and GRDB is not a part of the session's API. The error of another database
    /// must not read as if the session's own one was damaged.
    @Test func aTransactionThrowsAnErrorOfGRDBAsItsCode() async throws {
        let home = try await household(attempts: 1)
        for code in [ResultCode.SQLITE_ERROR, .SQLITE_CORRUPT] {
            await #expect(throws: StanzaDatabaseError.failed(code: Int(code.rawValue))) {
                try await home.session.transaction { work in
                    try work.changes.add { _ in throw DatabaseError(resultCode: code, message: "secret") }
                }
            }
        }
    }

    // MARK: Reports

    @Test func aRunThatABrokenDatabaseEndsIsReported() async throws {
        let home = try await household(attempts: 2)
        let events = await home.session.stream.events()
        let running = await home.online(server)
        try await home.database.write { try $0.db.execute(sql: "ALTER TABLE stanza_request RENAME TO hidden") }
        await home.session.handle(.requestsChanged)
        let end = try await running.value
        guard case .storageFailed = end else {
            Issue.record("expected the run to end because of the database, got \(end)")
            return
        }
        for await case .disconnected(let reported) in events {
            #expect(reported == end)
            break
        }
    }
}
