// A database in its own folder, which is removed with this object.

import Foundation
import Persistence
import Promises

/// The folder of a test's database.
final class TemporaryDatabase: Sendable {
    let folder: URL
    var path: String { folder.appendingPathComponent("test.db").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("stanza-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func open(_ options: StanzaDatabase.Options = .init()) async throws -> StanzaDatabase {
        try await StanzaDatabase.open(at: path, options: options)
    }

    /// A database and a center on it, as a process has them.
    func process(_ role: PromiseCenter.Role) async throws -> PromiseCenter {
        try await PromiseCenter.start(store: try await open(), role: role)
    }
}
