// The time of promises. Setting the time of day does not change it. Within a boot of the machine it follows the uptime.
// From one boot to the next it follows the time of day, within bounds. All processes that share a store have the same
// time, because the store keeps a moment of it.

import Foundation
import XMPPCore

/// A moment of the promises' time, with the readings of the system's clocks at that moment. A later process computes
/// from it how much time has passed.
public struct PromiseMoment: Sendable, Equatable {
    /// The promises' time.
    public let time: Date
    /// The time of day.
    public let date: Date
    /// `MachineClock.uptime`, in seconds.
    public let uptime: TimeInterval
    /// `MachineClock.boot`.
    public let boot: String?

    public init(time: Date, date: Date, uptime: TimeInterval, boot: String?) {
        self.time = time
        self.date = date
        self.uptime = uptime
        self.boot = boot
    }
}

/// Computes the promises' time during the life of a process. The machine does not restart in that time.
struct PromiseTime {
    let clock: any MachineClock
    /// The time at which the machine was started.
    private let origin: Date

    /// Continues from the moment in the store. Stores a new moment for later processes if one is due.
    init(goingOnIn transaction: any PromiseTransaction, _ clock: any MachineClock) throws {
        let uptime = clock.secondsOfUptime
        let now = try transaction.lastMoment()?.time(by: clock, uptime) ?? clock.date
        self.clock = clock
        origin = now - uptime
        try note(in: transaction)
    }

    var now: Date { origin + clock.secondsOfUptime }

    /// Stores the current moment if the last one is from another boot or older than `PromiseLimits.noteInterval`. The
    /// newer the last moment is, the less a change of the time of day matters when the machine restarts.
    func note(in transaction: any PromiseTransaction) throws {
        let moment = PromiseMoment(time: now, date: clock.date, uptime: clock.secondsOfUptime, boot: clock.boot)
        if let last = try transaction.lastMoment(), last.boot == moment.boot, last.uptime <= moment.uptime,
            moment.time.timeIntervalSince(last.time) < PromiseLimits.noteInterval
        {
            return
        }
        try transaction.note(moment)
    }
}

extension PromiseMoment {
    /// The promises' time now, for a reader of the store that stores no moment.
    package func time(by clock: any MachineClock) -> Date { time(by: clock, clock.secondsOfUptime) }

    fileprivate func time(by clock: any MachineClock, _ uptime: TimeInterval) -> Date {
        let passed = clock.date.timeIntervalSince(date)
        // If the system does not identify its boots, a smaller uptime shows that the machine has restarted.
        if clock.boot == boot, uptime >= self.uptime {
            let running = uptime - self.uptime
            return time + (boot == nil && passed >= 0 ? min(running, passed) : running)
        }
        // The uptime may be that of another machine, to which the store was moved. So it only shows how much of the
        // time of day counts. If the time of day went back, the uptime is all that is known.
        let longest = PromiseLimits.longestPause
        return time + (passed >= 0 ? min(passed, max(longest, uptime)) : min(uptime, longest))
    }
}
