// How long a transaction waits while other processes hold the database. StanzaDatabase.swift orders the accesses within
// this process.

import Foundation
import Locking
import XMPPCore

/// Decides how long SQLite waits: `PersistenceLimits.busyTimeout`, or less if a caller that suspends a session or
/// freezes the database sets a limit. The limit also applies to waits that have begun.
final class Patience: Sendable {
    private struct State {
        /// The ends of the waits for sessions, by account.
        var accounts: [JID: ContinuousClock.Instant] = [:]
        /// The end of all waits.
        var end: ContinuousClock.Instant?
        /// The account whose session the running access serves. Accesses run one at a time.
        var account: JID?
        /// When the running access began to wait.
        var start = ContinuousClock.now

        func end(for account: JID?) -> ContinuousClock.Instant? {
            [end, account.flatMap { accounts[$0] }].compactMap(\.self).min()
        }
    }

    private let timeout: Duration
    private let state = Lock(State())

    init(timeout: TimeInterval) { self.timeout = .seconds(timeout) }

    /// Limits all waits, or those for the session of an account. `nil` removes the limit.
    func limit(_ account: JID?, until end: ContinuousClock.Instant?) {
        state.withLock { state in
            if let account { state.accounts[account] = end } else { state.end = end }
        }
    }

    /// Whether time is left to wait again.
    func isLeft(for account: JID?) -> Bool {
        state.withLock { $0.end(for: account).map { $0 > .now } ?? true }
    }

    /// Runs an access on the database's queue.
    func run<Result>(for account: JID?, _ access: () throws -> Result) rethrows -> Result {
        state.withLock { $0.account = account }
        defer { state.withLock { $0.account = nil } }
        return try access()
    }

    /// Decides whether SQLite tries again while other processes hold the database, and sleeps before that.
    ///
    /// - Parameter attempts: How often SQLite has asked for this access before.
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

    /// Seconds between the first attempts, the same as SQLite's own.
    private static let pauses = [0.001, 0.002, 0.005, 0.010, 0.015, 0.020]
    /// Seconds between later attempts. Freezing waits as long.
    private static let longestPause = 0.025
}
