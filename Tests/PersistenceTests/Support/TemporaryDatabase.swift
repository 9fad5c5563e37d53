// A database in its own folder, which is removed with this object.

import Foundation
import Handlers
import Persistence
import TestSupport

final class TemporaryDatabase: Sendable {
    private let temporary: TemporaryFolder
    var folder: URL { temporary.url }
    var path: String { temporary.database }

    init() throws { temporary = try TemporaryFolder() }

    func open(_ options: StanzaDatabase.Options = .init()) async throws -> StanzaDatabase {
        try await StanzaDatabase.open(at: path, options: options)
    }

    /// A database and a center on it, as a process has them.
    func process(_ role: PromiseCenter.Role) async throws -> PromiseCenter {
        try await PromiseCenter.start(store: try await open(), role: role)
    }
}
