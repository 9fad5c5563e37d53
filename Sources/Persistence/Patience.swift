// How long a transaction waits while other processes hold the database. Who waits for its turn within this process is
// StanzaDatabase.swift's business.

import Foundation
import Synchronization

/// Tells SQLite how long to wait: `PersistenceLimits.busyTimeout`, unless whoever lays a session or the database aside
/// has less time. That counts for waits that have begun, too.
final class Patience: Sendable {
    private struct State {
        /// When the time is over that sessions have left, by account.
        var accounts: [String: ContinuousClock.Instant] = [:]
        /// When the time is over that everybody has left.
        var end: ContinuousClock.Instant?
        /// Whose session the access at work is for: one at a time is.
        var account: String?
        /// When the access at work began to wait.
        var start = ContinuousClock.now

        func end(for account: String?) -> ContinuousClock.Instant? {
            [end, account.flatMap { accounts[$0] }].compactMap(\.self).min()
        }
    }

    private let timeout: Duration
    private let state = Mutex(State())

    init(timeout: TimeInterval) { self.timeout = .seconds(timeout) }

    /// Lets nobody wait beyond that time, or no access for the session of an account; `nil` for as long as usual.
    func limit(_ account: String?, until end: ContinuousClock.Instant?) {
        state.withLock { state in
            if let account { state.accounts[account] = end } else { state.end = end }
        }
    }

    /// Whether it makes sense to wait again.
    func isLeft(for account: String?) -> Bool {
        state.withLock { $0.end(for: account).map { $0 > .now } ?? true }
    }

    /// Runs an access, on the database's queue.
    func run<Result>(for account: String?, _ access: () throws -> Result) rethrows -> Result {
        state.withLock { $0.account = account }
        defer { state.withLock { $0.account = nil } }
        return try access()
    }

    /// What SQLite asks while others hold the database. It sleeps for a while.
    ///
    /// - Parameter attempts: How often that access has asked before.
    /// - Returns: Whether to try again.
    func goesOn(after attempts: Int) -> Bool {
        let now = ContinuousClock.now
        let end = state.withLock { state in
            if attempts == 0 { state.start = now }
            let usual = state.start + timeout
            return min(usual, state.end(for: state.account) ?? usual)
        }
        if now >= end { return false }
        let pause = attempts < Self.pauses.count ? Self.pauses[attempts] : Self.longestPause
        Thread.sleep(forTimeInterval: min(pause, (end - now) / .seconds(1)))
        return true
    }

    /// Seconds between the first attempts, as SQLite itself has them.
    private static let pauses = [0.001, 0.002, 0.005, 0.010, 0.015, 0.020, 0.025, 0.025, 0.025, 0.050, 0.050]
    /// Seconds between two attempts later on.
    private static let longestPause = 0.1
}
