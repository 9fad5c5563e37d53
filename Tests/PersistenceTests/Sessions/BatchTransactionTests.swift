// Several works in one transaction, each in a savepoint.

import GRDB
import Persistence
import StreamManagement
import Synchronization
import Testing

@Suite struct BatchTransactionTests {
    private let place: TemporaryDatabase
    private let account = "juliet@example.org"

    init() throws { place = try TemporaryDatabase() }

    /// The database, its session, and how often it has committed since it was opened.
    private func open() async throws -> (database: StanzaDatabase, session: DatabaseSession, commits: Commits) {
        let commits = Commits()
        var options = StanzaDatabase.Options()
        options.statementObserver = { moment in
            if case .before(let sql) = moment, sql.hasPrefix("COMMIT") { commits.count() }
        }
        let database = try await StanzaDatabase.open(at: place.path, options: options)
        try await database.write { try $0.database.execute(sql: "CREATE TABLE note (text TEXT NOT NULL UNIQUE)") }
        return (database, try database.openSession(account), commits)
    }

    /// Commits works of a note each, and as many handled marks as works were made.
    private func commit(
        _ statements: [String], _ database: StanzaDatabase, _ session: DatabaseSession
    ) async throws -> (failure: EffectsError?, counts: [Int]) {
        var works: [DatabaseWork] = []
        for statement in statements {
            try await database.collect { work in
                try work.add { try $0.database.execute(sql: statement) }
            } commit: { work, _ in
                works.append(work)
            }
        }
        var counts: [Int] = []
        let failure = try session.write(with: works) { count in
            counts.append(count)
            return [.handled(StanzaCounter(rawValue: UInt32(count)))]
        }
        return (failure, counts)
    }

    private func notes(_ database: StanzaDatabase) async throws -> [String] {
        try await database.read { try String.fetchAll($0.database, sql: "SELECT text FROM note ORDER BY rowid") }
    }

    @Test func aBatchIsOneCommit() async throws {
        let (database, session, commits) = try await open()
        let before = commits.value
        let (failure, counts) = try await commit(
            (1...100).map { "INSERT INTO note VALUES ('\($0)')" }, database, session)
        #expect(failure == nil)
        #expect(counts == [100])
        #expect(commits.value - before == 1)
        #expect(try await notes(database).count == 100)
        #expect(try session.load()?.handledByClient == StanzaCounter(rawValue: 100))
    }

    @Test func aWorkThatFailsHarmsNoWorkBeforeIt() async throws {
        let (database, session, _) = try await open()
        let statements = ["'a'", "'b'", "'a'", "'c'"].map { "INSERT INTO note VALUES (\($0))" }
        let (failure, counts) = try await commit(statements, database, session)
        #expect((failure?.underlying as? DatabaseError)?.resultCode == .SQLITE_CONSTRAINT)
        #expect(counts == [2])
        #expect(try await notes(database) == ["a", "b"])
        #expect(try session.load()?.handledByClient == StanzaCounter(rawValue: 2))
    }

    /// A violated foreign key fails with the work, and not with the commit.
    @Test func aWorkWhoseForeignKeyIsViolatedHarmsNoWorkBeforeIt() async throws {
        let (database, session, _) = try await open()
        try await database.write {
            try $0.database.execute(
                sql: "CREATE TABLE other (id INTEGER REFERENCES line (id) DEFERRABLE INITIALLY DEFERRED)")
            try $0.database.execute(sql: "CREATE TABLE line (id INTEGER PRIMARY KEY)")
        }
        let statements = ["INSERT INTO note VALUES ('a')", "INSERT INTO other VALUES (7)"]
        let (failure, counts) = try await commit(statements, database, session)
        #expect(failure != nil)
        #expect(counts == [1])
        #expect(try await notes(database) == ["a"])
    }

    @Test(arguments: [1, 3]) func aFirstWorkThatFailsChangesNothing(count: Int) async throws {
        let (database, session, commits) = try await open()
        let before = commits.value
        let statements = Array(repeating: "INSERT INTO note VALUES (NULL)", count: count)
        let (failure, counts) = try await commit(statements, database, session)
        #expect(failure != nil)
        #expect(counts == [])
        #expect(commits.value == before)
        #expect(try session.load() == nil)
    }

    /// Such a statement undoes the whole transaction, and so the works before it.
    @Test func aStatementThatUndoesTheTransactionCommitsNothing() async throws {
        let (database, session, _) = try await open()
        let statements = ["INSERT INTO note VALUES ('a')", "INSERT OR ROLLBACK INTO note VALUES ('a')"]
        await #expect(throws: StanzaDatabaseError.self) { try await commit(statements, database, session) }
        #expect(try await notes(database) == [])
        #expect(try session.load() == nil)
        // The database works on.
        #expect(try await commit(["INSERT INTO note VALUES ('b')"], database, session).failure == nil)
    }

    @Test func theLastOpenedSessionIsTheOpenStore() async throws {
        let (database, session, _) = try await open()
        #expect(database.openStore(of: account) === session)
        #expect(database.openStore(of: "romeo@example.org") == nil)
        let next = try database.openSession(account, takingOver: true)
        #expect(database.openStore(of: account) === next)
    }
}

private final class Commits: Sendable {
    private let state = Mutex(0)

    var value: Int { state.withLock(\.self) }

    func count() { state.withLock { $0 += 1 } }
}
