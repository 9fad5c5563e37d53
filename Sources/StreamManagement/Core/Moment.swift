// The time as the core is told it.

public import Foundation

/// A point in time, on both clocks that matter.
public struct Moment: Hashable, Sendable {
    /// Time since some fixed point, which never goes backwards: deadlines are on this clock.
    public var uptime: Duration
    /// The time of day, which may be set: it is only used where it has to outlive the process, or to be told to others.
    public var date: Date

    public init(uptime: Duration, date: Date) {
        self.uptime = uptime
        self.date = date
    }
}
