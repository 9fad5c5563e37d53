// Opening while others close, and accesses whose task is canceled.

import Foundation
import GRDB
import Locking
import Persistence
import TestSupport
import Testing

@Suite(.fewAtOnce) struct OpeningTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    /// The last connection to close removes the file's companions, while others open it.
    @Test func severalProcessesAndConnectionsOpenAndClose() async throws {
        let rounds = 40
        let first = try await place.open()
        try await first.write { transaction in
            try transaction.db.execute(sql: "CREATE TABLE opening (count INTEGER)")
            try transaction.db.execute(sql: "INSERT INTO opening VALUES (0)")
        }
        first.close()
        let probes = try (0..<2).map { _ in try Probe(place.path, "reopen", "\(rounds)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask { [place] in
                    for _ in 0..<rounds {
                        let database = try await place.open()
                        try await database.write {
                            try $0.db.execute(sql: "UPDATE opening SET count = count + 1")
                        }
                        database.close()
                    }
                }
            }
            try await group.waitForAll()
        }
        for probe in probes { #expect(await probe.finish().output == "done") }
        let count = try await place.open().read { try Int.fetchOne($0.db, sql: "SELECT count FROM opening") }
        #expect(count == 4 * rounds)
    }

    /// The current directory changes while the database is frozen. A process of its own does that.
    @Test func aRelativePathKeepsItsMeaning() async throws {
        let output = try await Probe("test.db", "moves", environment: ["PROBE_FOLDER": place.folder.path]).finish()
            .output
        #expect(output == place.path)
        #expect(try await place.open().read { try $0.db.tableExists("moved") })
    }

    private func mode(of suffix: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: place.path + suffix)[.posixPermissions] as? Int
    }

    /// The mode also holds for SQLite's companion files, and for files that are made again.
    @Test func othersOnTheMachineCannotReadIt() async throws {
        let database = try await place.open()
        try await database.write { try $0.db.execute(sql: "CREATE TABLE note (text TEXT)") }
        _ = try database.openSession("juliet@example.org")
        for suffix in ["", "-wal", "-shm", ".lock"] {
            #expect(try mode(of: suffix) == 0o600, "\(suffix)")
        }
        database.close()
        try FileManager.default.removeItem(atPath: place.path)
        let again = try await place.open()
        defer { again.close() }
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(of: suffix) == 0o600, "\(suffix)") }
    }

    /// The app has chosen to share the file: opening keeps its mode.
    @Test func aDatabaseThatIsThereKeepsItsMode() async throws {
        try await place.open().close()
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: place.path)
        let database = try await place.open()
        try await database.write { try $0.db.execute(sql: "CREATE TABLE note (text TEXT)") }
        #expect(try mode(of: "") == 0o640)
    }

    /// Another program's migrations, or its mark alone.
    @Test(arguments: [
        "PRAGMA application_id = 5", "CREATE TABLE note (text TEXT); PRAGMA application_id = 5",
        "CREATE TABLE grdb_migrations (identifier TEXT); INSERT INTO grdb_migrations VALUES ('v1')",
    ])
    func theDatabaseOfAnotherProgramIsLeftAlone(sql: String) async throws {
        let other = try DatabaseQueue(path: place.path)
        try await other.writeWithoutTransaction { try $0.execute(sql: sql) }
        try other.close()
        let before = try Data(contentsOf: URL(filePath: place.path))
        await #expect(throws: StanzaDatabaseError.foreign) { try await place.open() }
        await #expect(throws: StanzaDatabaseError.foreign) { try await StanzaDatabase.inspect(at: place.path) }
        #expect(try Data(contentsOf: URL(filePath: place.path)) == before)
        #expect(!"\(StanzaDatabaseError.foreign)".contains(place.path))
    }

    /// The process that made the file was killed before the file had tables.
    @Test(arguments: ["SELECT 1", "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"])
    func aDatabaseThatWasJustMadeIsOurs(sql: String) async throws {
        let earlier = try DatabaseQueue(path: place.path)
        try await earlier.writeWithoutTransaction { try $0.execute(sql: sql) }
        try earlier.close()
        try await place.open().close()
        #expect(try await place.open().read { try Int.fetchOne($0.db, sql: "PRAGMA application_id") } != 0)
    }

    @Test func whatCannotBeOpenedForAMomentIsOpenedThen() async throws {
        try await place.open().close()
        // SQLite cannot open such a file.
        let obstacle = URL(filePath: place.path + "-wal")
        try? FileManager.default.removeItem(at: obstacle)
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
        await #expect(throws: StanzaDatabaseError.unreadable(place.path)) { try await place.open() }
        // A busy machine may take longer to remove it than opening waits.
        try await eventually("it is opened when the obstacle is gone") {
            try? FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) {
                try? FileManager.default.removeItem(at: obstacle)
            }
            return await (try? place.open().write { _ in }) != nil
        }
    }

    /// A connection that is interrupted at the begin of a read transaction must not stay in it.
    @Test func aCanceledReadDoesNotKeepOthersFromWriting() async throws {
        let reading = Lock<Task<Void, any Error>?>(nil)
        var options = StanzaDatabase.Options()
        options.statementObserver = { moment in
            guard case .before(let sql) = moment, sql.hasPrefix("BEGIN DEFERRED") else { return }
            reading.withLock { $0 }?.cancel()
        }
        let database = try await place.open(options)
        try await database.write { try $0.db.execute(sql: "CREATE TABLE note (text TEXT)") }
        for _ in 0..<10 {
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                for await _ in begun {}
                _ = try await database.read { try Int.fetchOne($0.db, sql: "SELECT 1") }
            }
            reading.withLock { $0 = task }
            begin.finish()
            _ = await task.result
            #expect(task.isCancelled)
            try await database.write { try $0.db.execute(sql: "INSERT INTO note VALUES ('x')") }
        }
    }
}
