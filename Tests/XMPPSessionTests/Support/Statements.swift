// The transactions of a test's session, and a clock that lets no batch become old.

import Foundation
import Locking
import Persistence
import XMPPCore

/// Runs a hundred times as slowly as real time, so that no batch becomes old on a busy machine.
struct SlowClock: MachineClock {
    private let start = ContinuousClock.now

    var date: Date { Date() }
    var uptime: Duration { start.duration(to: .now) / 100 }
    var boot: String? { nil }

    func sleep(until uptime: Duration) async throws {
        try await Task.sleep(until: start.advanced(by: uptime * 100), clock: .continuous)
    }
}

/// Counts transactions that write, and the rows that each of them inserts into the table of notes.
final class Statements: Sendable {
    private struct State {
        var isWriting = false
        var sizes: [Int] = []
    }

    private let state = Lock(State())

    /// The committed transactions that write.
    var commits: Int { state.withLock { $0.sizes.count } }

    /// The number of notes in each transaction with notes.
    var sizes: [Int] { state.withLock { $0.sizes.filter { $0 > 0 } } }

    var commitsOfEffects: Int { sizes.count }

    func reset() { state.withLock { $0.sizes = [] } }

    func pass(_ moment: StanzaDatabase.StatementMoment) {
        guard case .before(let sql) = moment else { return }
        state.withLock { state in
            if sql.hasPrefix("BEGIN IMMEDIATE") {
                state.isWriting = true
                state.sizes.append(0)
            } else if sql.hasPrefix("BEGIN") {
                state.isWriting = false
            } else if state.isWriting, sql.hasPrefix("INSERT INTO note"), let last = state.sizes.indices.last {
                state.sizes[last] += 1
            }
        }
    }
}
