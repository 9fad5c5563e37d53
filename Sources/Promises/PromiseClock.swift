// The time, injected: deadlines are points in the time of day, because they outlive processes and restarts.

import Foundation

/// Tells the time of day, and waits for it.
public protocol PromiseClock: Sendable {
    /// The time now. It may go back.
    func now() -> Date
    /// Seconds since some beginning, by a clock that nobody sets and that goes on while the machine sleeps.
    var uptime: TimeInterval { get }
    /// Returns when the time has come, or earlier: callers look at the time again.
    func sleep(until date: Date) async throws
}

/// The time of day that the system has.
public struct SystemPromiseClock: PromiseClock {
    public init() {}

    public func now() -> Date { Date() }

    public var uptime: TimeInterval { Self.beginning.duration(to: .now).inSeconds }

    private static let beginning = ContinuousClock.now

    /// The clock may be set while one waits, so nobody sleeps for longer than a minute.
    public func sleep(until date: Date) async throws {
        let interval = min(max(date.timeIntervalSince(now()), 0), 60)
        try await Task.sleep(for: .seconds(interval))
    }
}
