// Kills the process before or after a statement of its database.

import Foundation
import Persistence
import Synchronization

/// Counts the moments of statements, a moment being before or after one, and ends the process at one of them.
final class Moments: Sendable {
    private let killAt: Int
    private let state = Mutex((isCounting: false, count: 0))

    init(killAt: Int) { self.killAt = killAt }

    func begin() { state.withLock { $0.isCounting = true } }

    func pass(_ moment: StanzaDatabase.StatementMoment) {
        // Looking for commits of others comes at any time.
        switch moment {
        case .before(let sql), .after(let sql): if sql.hasSuffix("data_version") { return }
        }
        state.withLock { state in
            guard state.isCounting else { return }
            if state.count == killAt { kill(getpid(), SIGKILL) }
            state.count += 1
        }
    }
}
