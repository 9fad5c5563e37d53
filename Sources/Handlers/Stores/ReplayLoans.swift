// Whose parked calls are being replayed: for stores that one process has for itself, so that nothing outlives it.

import Foundation
import Synchronization

/// Lends the parked calls of handlers to one task at a time.
final class ReplayLoans: Sendable {
    private let lent = Mutex<Set<UUID>>([])

    /// What `find` finds, if it is parked and not lent already.
    func lend(_ id: UUID, _ find: () throws -> StoredHandler?) rethrows -> StoredHandler? {
        guard lent.withLock({ $0.insert(id).inserted }) else { return nil }
        var isLent = false
        defer { if !isLent { giveBack(id) } }
        // Only now: whoever had it before may have changed it.
        guard let handler = try find(), handler.parking != nil else { return nil }
        isLent = true
        return handler
    }

    func giveBack(_ id: UUID) { lent.withLock { _ = $0.remove(id) } }
}
