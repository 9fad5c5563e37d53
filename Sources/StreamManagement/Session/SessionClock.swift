// Real time, and a place to put another one in.

import Foundation

/// The time that a session lives by.
public protocol SessionClock: Sendable {
    var now: Moment { get }

    /// Sleeps until that uptime, or longer.
    ///
    /// - Throws: `CancellationError`.
    func sleep(until uptime: Duration) async throws
}

/// The system's clocks. Uptime goes on while the machine sleeps.
public struct SystemClock: SessionClock {
    private let start = ContinuousClock.now

    public init() {}

    public var now: Moment { Moment(uptime: start.duration(to: .now), date: Date()) }

    public func sleep(until uptime: Duration) async throws {
        try await Task.sleep(until: start.advanced(by: uptime), clock: .continuous)
    }
}
