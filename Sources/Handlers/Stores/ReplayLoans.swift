// Tracks the handlers whose deferred calls are being replayed, for stores that only one process uses. The loans end
// with the process.

import Foundation
import Synchronization

/// Lends the deferred calls of handlers to one task at a time.
final class ReplayLoans: Sendable {
    private let lent = Mutex<Set<UUID>>([])

    /// Returns the handler that `find` finds, if it is deferred and not lent already.
    func lend<Failure>(_ id: UUID, _ find: () throws(Failure) -> StoredHandler?) throws(Failure) -> StoredHandler? {
        guard lent.withLock({ $0.insert(id).inserted }) else { return nil }
        var isLent = false
        defer { if !isLent { giveBack(id) } }
        // Look it up after taking the loan: the previous borrower may have changed it.
        guard let handler = try find(), handler.deferral != nil else { return nil }
        isLent = true
        return handler
    }

    func giveBack(_ id: UUID) { lent.withLock { _ = $0.remove(id) } }
}
