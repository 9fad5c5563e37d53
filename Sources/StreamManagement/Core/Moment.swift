// A point in time, passed to the core with each event.

public import Foundation
import XMPPCore

/// A point in time on both clocks of the core.
public struct Moment: Hashable, Sendable {
    /// The time since a fixed point. It never goes backwards, and all deadlines use it.
    public var uptime: Duration
    /// The time of day, which the user can set. Used only for times that outlive the process or are sent.
    public var date: Date

    public init(uptime: Duration, date: Date) {
        self.uptime = uptime
        self.date = date
    }
}

extension MachineClock {
    /// The time on both clocks.
    package var now: Moment { Moment(uptime: uptime, date: date) }
}
