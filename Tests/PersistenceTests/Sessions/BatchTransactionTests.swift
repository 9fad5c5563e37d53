// Work and changes of a session in one transaction.

import GRDB
import Persistence
import StreamManagement
import TestSupport
import Testing
import XMPPCore

@Suite struct BatchTransactionTests {
    private let place: TemporaryDatabase
    private let account: JID = "juliet@example.org"

    init() throws { place = try TemporaryDatabase() }

    /// The database, its session, and how often it has committed since it was opened.
    private func open() async throws -> (database: StanzaDatabase, session: DatabaseSession, commits: Counter) {
        let commits = Counter()
        var options = StanzaDatabase.Options()
        options.statementObserver = { moment in
            if case .before(let sql) = moment, sql.hasPrefix("COMMIT") { commits.next() }
        }
        let database = try await StanzaDatabase.open(at: place.path, options: options)
        try await database.write { try $0.db.execute(sql: "CREATE TABLE note (text TEXT NOT NULL UNIQUE)") }
        return (database, try database.openSession(account), commits)
    }

    /// Commits a statement and a handled mark.
    private func commit(_ statement: String, _ database: StanzaDatabase, _ session: DatabaseSession) async throws {
        try await database.collect { changes in
            try changes.add { try $0.db.execute(sql: statement) }
        } commit: { changes, _ in
            try changes.commit(in: session) { [.handled(StanzaCounter(rawValue: 1))] }
        }
    }

    private func notes(_ database: StanzaDatabase) async throws -> [String] {
        try await database.read { try String.fetchAll($0.db, sql: "SELECT text FROM note ORDER BY rowid") }
    }

    @Test func workAndAHandledMarkAreOneCommit() async throws {
        let (database, session, commits) = try await open()
        let before = commits.value
        try await commit("INSERT INTO note VALUES ('a')", database, session)
        #expect(commits.value - before == 1)
        #expect(try await notes(database) == ["a"])
        #expect(try session.load()?.handledByClient == StanzaCounter(rawValue: 1))
    }

    /// A violated foreign key fails with the work, and not with the commit. `OR ROLLBACK` undoes the whole transaction.
    @Test(arguments: [
        "INSERT INTO note VALUES (NULL)", "INSERT INTO other VALUES (7)", "INSERT OR ROLLBACK INTO note VALUES ('a')",
    ])
    func workThatFailsChangesNothing(statement: String) async throws {
        let (database, session, commits) = try await open()
        try await database.write {
            try $0.db.execute(
                sql: "CREATE TABLE other (id INTEGER REFERENCES line (id) DEFERRABLE INITIALLY DEFERRED)")
            try $0.db.execute(sql: "CREATE TABLE line (id INTEGER PRIMARY KEY)")
            try $0.db.execute(sql: "INSERT INTO note VALUES ('a')")
        }
        let before = commits.value
        let error = await #expect(throws: EffectsError.self) { try await commit(statement, database, session) }
        #expect(error?.underlying is StanzaDatabaseError)
        #expect(commits.value == before)
        #expect(try session.load() == nil)
        // The database works on.
        try await commit("INSERT INTO note VALUES ('b')", database, session)
        #expect(try await notes(database) == ["a", "b"])
    }

    /// A step may use another database.
    @Test(arguments: [ResultCode.SQLITE_BUSY, .SQLITE_CORRUPT, .SQLITE_FULL])
    func anErrorOfAnotherDatabaseIsThrownAsItsCode(code: ResultCode) async throws {
        let (database, session, _) = try await open()
        let add: @Sendable (DatabaseWork) throws -> Void = { changes in
            try changes.add { _ in throw DatabaseError(resultCode: code, message: "secret") }
        }
        let failure = StanzaDatabaseError.failed(code: Int(code.rawValue))
        await #expect(throws: failure) { try await database.collect(add) }
        let error = await #expect(throws: EffectsError.self) {
            try await database.collect(add) { changes, _ in try changes.commit(in: session) { [] } }
        }
        #expect(error?.underlying as? StanzaDatabaseError == failure)
    }
}
