// Kills a process before or after a statement of its database. `Tests/session-faults` has a link to this file.

import Foundation
import Locking
import Persistence

/// Counts the moments of an operation's statements, a moment being before or after one, and ends the process at one of
/// them.
final class Moments: Sendable {
    private let killAt: Int?
    private let state = Lock((isCounting: false, count: 0, isWriting: false, firstAfterCommit: Int.max))

    init(killAt: Int?) { self.killAt = killAt }

    var count: Int { state.withLock(\.count) }

    /// The first moment at which the last transaction that writes is committed.
    var firstAfterCommit: Int { state.withLock(\.firstAfterCommit) }

    func begin() { state.withLock { $0.isCounting = true } }

    func end() { state.withLock { $0.isCounting = false } }

    func pass(_ moment: StanzaDatabase.StatementMoment) {
        // Looking for commits of others comes at any time, and is not a part of the operation.
        switch moment {
        case .before(let sql), .after(let sql): if sql.hasSuffix("data_version") { return }
        }
        state.withLock { state in
            guard state.isCounting else { return }
            if state.count == killAt { kill(getpid(), SIGKILL) }
            switch moment {
            case .before(let sql): if sql.hasPrefix("BEGIN") { state.isWriting = sql.contains("IMMEDIATE") }
            case .after(let sql): if state.isWriting, sql.hasPrefix("COMMIT") { state.firstAfterCommit = state.count }
            }
            state.count += 1
        }
    }
}
