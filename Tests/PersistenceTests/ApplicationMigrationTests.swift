// Migrations of an application in the file that it shares with our tables. They run before ours or after them, by
// the application or when the file is opened. OpeningCheckTests.swift tests the checks of an opened file.

import Foundation
import GRDB
import Promises
import TestSupport
import Testing

@testable import Persistence

@Suite(.fewAtOnce) struct ApplicationMigrationTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    /// Each adds a row, so the tests notice one that runs twice. The first has a former name of one of our migrations.
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

    /// Each migration but the last has a database of the version whose last migration it was. Before you add a
    /// migration, write such a database (PersistenceProbe/Fixture.swift). Other tests open each of them.
    @Test func everyMigrationHasAFixture() {
        #expect(Fixtures.names == Schema.migrator.migrations.dropLast().map { String($0.dropFirst(7)) }.sorted())
    }

    /// As former versions of this package have left it: their migrations had no prefix.
    @Test(arguments: ["sessions", "replays", "mark", "losses"])
    func theMigrationsOfAnOlderFileGetTheirPrefix(fixture: String) async throws {
        try Fixtures.copy(fixture, to: place)
        await #expect(throws: StanzaDatabaseError.olderVersion) { try await StanzaDatabase.inspect(at: place.path) }
        var migrations = DatabaseMigrator()
        migrations.registerMigration("note") { try $0.execute(sql: "CREATE TABLE note (text TEXT)") }
        let database = try await place.open(.init(migrations: migrations))
        let names = try await database.read { try Schema.migrator.appliedIdentifiers($0.db) }
        #expect(names == Set(Schema.migrator.migrations + ["note"]))
        #expect(try await database.read { try $0.promises.promise(key: "fulfilled")?.state } == .fulfilled)
        #expect(try await database.handlers().count == 2)
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
