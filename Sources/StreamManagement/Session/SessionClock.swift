// The session's time: a protocol, and the system's clocks.

import Foundation

/// A session's source of time, which tests replace.
public protocol SessionClock: Sendable {
    var now: Moment { get }

    /// Sleeps at least until the given uptime.
    ///
    /// - Throws: `CancellationError`.
    func sleep(until uptime: Duration) async throws
}

/// The system's clocks. Uptime advances while the machine sleeps.
public struct SystemSessionClock: SessionClock {
    private let start = ContinuousClock.now

    public init() {}

    public var now: Moment { Moment(uptime: start.duration(to: .now), date: Date()) }

    public func sleep(until uptime: Duration) async throws(CancellationError) {
        // A sleep throws for no other reason.
        do { try await Task.sleep(until: start.advanced(by: uptime), clock: .continuous) } catch {
            throw CancellationError()
        }
    }
}
