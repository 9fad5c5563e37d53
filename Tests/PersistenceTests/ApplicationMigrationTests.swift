// Migrations of an application in the file that it shares with our tables. They run before ours or after them, by
// the application or when the file is opened. OpeningCheckTests.swift tests the checks of an opened file.

import Foundation
import GRDB
import Handlers
import TestSupport
import Testing

@testable import Persistence

@Suite(.fewAtOnce) struct ApplicationMigrationTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    /// Each adds a row, so the tests notice one that runs twice.
    private static func migrations(_ count: Int = 1) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("handlers") { try $0.execute(sql: "CREATE TABLE note (text TEXT)") }
        for number in 0..<count {
            migrator.registerMigration("note \(number)") { try $0.execute(sql: "INSERT INTO note VALUES ('x')") }
        }
        return migrator
    }

    private func migrateByItself(_ count: Int = 1) throws {
        let queue = try DatabaseQueue(path: place.path)
        try Self.migrations(count).migrate(queue)
        try queue.close()
    }

    private func notes(_ database: StanzaDatabase) async throws -> Int? {
        try await database.read { try $0.db.count("note") }
    }

    @Test func theApplicationMigratesAFileThatHasOurTables() async throws {
        let promise = try await place.process(.resolver).create(Int.self, key: "k")
        try migrateByItself()
        let database = try await place.open()
        let center = try await PromiseCenter.start(store: database, role: .consumer)
        #expect(try await center.reattach(key: "k", as: Int.self) == promise)
        database.close()
        try await StanzaDatabase.inspect(at: place.path).close()
        // Opening the file applies the application's other migrations after the first ones.
        let later = try await place.open(.init(migrations: Self.migrations(3)))
        #expect(try await notes(later) == 3)
    }

    @Test func theApplicationsMigrationsComeFirst() async throws {
        try migrateByItself()
        // Without these migrations, the library cannot decide whose file this is.
        await #expect(throws: StanzaDatabaseError.foreign) { try await place.open() }
        let database = try await place.open(.init(migrations: Self.migrations(2)))
        #expect(try await notes(database) == 2)
        #expect(try await database.read { try $0.promises.allPromises() } == [])
        database.close()
        try await place.open().close()
        try await place.open(.init(migrations: Self.migrations(2))).close()
    }

    @Test func anApplicationWithAMarkOfItsOwnComesFirst() async throws {
        let queue = try DatabaseQueue(path: place.path)
        try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA application_id = 5") }
        try Self.migrations().migrate(queue)
        try queue.close()
        let database = try await place.open(.init(migrations: Self.migrations()))
        #expect(try await database.read { try Int.fetchOne($0.db, sql: "PRAGMA application_id") } == 5)
        database.close()
        try await place.open().close()
    }

    @Test func theMigrationsOfAnotherApplicationAreNotThisOnes() async throws {
        let queue = try DatabaseQueue(path: place.path)
        var others = Self.migrations()
        others.registerMigration("other") { _ in }
        try others.migrate(queue)
        try queue.close()
        await #expect(throws: StanzaDatabaseError.foreign) {
            try await place.open(.init(migrations: Self.migrations()))
        }
    }

    @Test func aFailedMigrationThrowsAndTheRestStays() async throws {
        struct Failure: Error {}
        var migrations = Self.migrations()
        migrations.registerMigration("wrong") { database in
            try database.execute(sql: "INSERT INTO note VALUES ('y')")
            throw Failure()
        }
        await #expect(throws: Failure.self) { try await place.open(.init(migrations: migrations)) }
        let queue = try DatabaseQueue(path: place.path)
        let names = try await queue.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") }
        #expect(names.filter { $0.hasPrefix("stanza_") } == [])
        try queue.close()
        let database = try await place.open(.init(migrations: Self.migrations(2)))
        #expect(try await notes(database) == 2)
    }

    /// GRDB would erase the whole file when it finds tables that these migrations do not make.
    @Test func nothingIsErased() async throws {
        let promise = try await place.process(.resolver).create(Int.self, key: "k")
        var migrations = Self.migrations()
        migrations.eraseDatabaseOnSchemaChange = true
        for _ in 0..<2 {
            let database = try await place.open(.init(migrations: migrations))
            #expect(try await database.read { try $0.promises.promise(key: "k")?.id } == promise.id)
            database.close()
        }
    }

    /// The tables, the indexes and the migrations have the names that ours had in an earlier version.
    @Test func noNameOfTheApplicationMeetsOneOfOurs() async throws {
        var migrations = DatabaseMigrator()
        for table in ["promise", "handler", "request", "mechanism", "schema"] {
            migrations.registerMigration(table + "s") {
                try $0.execute(
                    sql: "CREATE TABLE \(table) (id INTEGER); CREATE INDEX \(table)Deadline ON \(table) (id)")
            }
        }
        let queue = try DatabaseQueue(path: place.path)
        try migrations.migrate(queue)
        try queue.close()
        let database = try await place.open(.init(migrations: migrations))
        let promise = try await PromiseCenter.start(store: database, role: .consumer).create(Int.self)
        try await promise.fulfill(3)
        #expect(try await promise.value == 3)
        let names = try await database.read { try DatabaseMigrator().appliedIdentifiers($0.db) }
        #expect(names == Set(migrations.migrations))
        // GRDB does not take our tables for those of a newer version of the app.
        let isSuperseded = try await database.read { [migrations] in try migrations.hasBeenSuperseded($0.db) }
        #expect(!isSuperseded)
    }

    /// The file of the application has no room for our tables.
    @Test func anOpeningThatFailsLeavesNothing() async throws {
        let queue = try DatabaseQueue(path: place.path)
        try await queue.write { try $0.execute(sql: "CREATE TABLE note (text TEXT)") }
        let schema = "SELECT name FROM sqlite_master"
        for count in [3, 6, 12] {
            await #expect(throws: StanzaDatabaseError.full) { try await place.open(.init(maximumPageCount: count)) }
            #expect(try await queue.read { try String.fetchAll($0, sql: schema) } == ["note"])
            #expect(try await queue.read { try Int.fetchOne($0, sql: "PRAGMA application_id") } == 0)
        }
        try queue.close()
        try await place.open().close()
    }

    /// Our names do not meet an application's, as the article says.
    @Test func allNamesHaveThePrefix() async throws {
        let names = try await place.open().read {
            try String.fetchAll($0.db, sql: "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite%'")
        }
        #expect(names.filter { !$0.hasPrefix("stanza_") } == [])
        // An opening checks all tables.
        let tables = try await place.open().read {
            try String.fetchSet($0.db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        #expect(tables.filter { !$0.hasPrefix("sqlite") } == Set(Schema.tables))
    }

    /// The file of a version from before the first release, with or without tables of an application.
    @Test(arguments: ["", "CREATE TABLE note (text TEXT)"])
    func aFileFromBeforeTheFirstReleaseIsRefused(tables: String) async throws {
        let queue = try DatabaseQueue(path: place.path)
        var former = DatabaseMigrator()
        former.registerMigration("stanza.promises") {
            try $0.execute(sql: "CREATE TABLE promise (id BLOB); PRAGMA application_id = \(Schema.mark); \(tables)")
        }
        try former.migrate(queue)
        try queue.close()
        let before = try Data(contentsOf: URL(filePath: place.path))
        await #expect(throws: StanzaDatabaseError.olderVersion) { try await place.open() }
        await #expect(throws: StanzaDatabaseError.olderVersion) { try await StanzaDatabase.inspect(at: place.path) }
        #expect(try Data(contentsOf: URL(filePath: place.path)) == before)
        #expect("\(StanzaDatabaseError.olderVersion)".contains("delete the file"))
    }

    /// The article lists each table.
    @Test func theArticleListsTheTables() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/Persistence/Persistence.docc/Tables.md")
        let text = try String(contentsOf: sources, encoding: .utf8)
        let listed = text.split(separator: "\n").filter { $0.hasPrefix("| `stanza_") }.map { line in
            String(line.split(separator: "`")[1])
        }
        #expect(listed.sorted() == Schema.tables.sorted())
    }

    /// Real processes of several versions of one program.
    @Test func manyProcessesMigrateOnce() async throws {
        let probes = try (0..<4).map { number in
            try Probe(place.path, "notes", environment: ["PROBE_NOTES": "\(number % 2 == 0 ? 3 : 5)"])
        }
        var counts: [String] = []
        for probe in probes { counts.append(await probe.finish().output) }
        #expect(counts.allSatisfy { ["3", "5"].contains($0) }, "\(counts)")
        let database = try await place.open(.init(migrations: Self.migrations(5)))
        #expect(try await notes(database) == 5)
        // An extension of the application that does not migrate.
        #expect(try await Probe(place.path, "create", "k").finish().output.count == UUID().uuidString.count)
    }
}
