// Databases as former versions of this package have written them (PersistenceProbe/Fixture.swift), named after their
// last migration. They have to open forever.

import Foundation

enum Fixtures {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures")

    /// The names of all of them. `ApplicationMigrationTests.everyMigrationHasAFixture` checks that none is missing.
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".db") }.map { String($0.dropLast(3)) }.sorted()

    static func copy(_ name: String, to place: TemporaryDatabase) throws {
        try FileManager.default.copyItem(at: folder.appending(path: "\(name).db"), to: URL(filePath: place.path))
    }
}
