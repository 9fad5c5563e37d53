// The time that counts for promises. It goes on evenly whatever the time of day is set to: within a run of the machine
// by its uptime, and from one run to the next by the time of day, within bounds. All processes that share a store have
// the same, because the store keeps a point of it.

import Foundation

/// A point of the promises' time, with what the clocks of the system said then: from it, any later process knows how
/// much time has passed.
public struct PromiseMoment: Sendable, Equatable {
    /// The promises' time.
    public let time: Date
    /// The time of day.
    public let date: Date
    /// `PromiseClock.uptime`.
    public let uptime: TimeInterval
    /// `PromiseClock.boot`.
    public let boot: String?

    public init(time: Date, date: Date, uptime: TimeInterval, boot: String?) {
        self.time = time
        self.date = date
        self.uptime = uptime
        self.boot = boot
    }
}

/// Tells the promises' time for as long as a process lives: so long the machine is not started anew.
struct PromiseTime {
    let clock: any PromiseClock
    /// The time at which the machine was started.
    private let origin: Date

    /// Goes on from the moment that the store has, and notes one that whoever comes later can go on from.
    init(goingOnIn transaction: any PromiseTransaction, _ clock: any PromiseClock) throws {
        let uptime = clock.uptime
        let last = try transaction.lastMoment()
        let now = last.map { $0.time + Self.seconds(from: $0, to: clock, uptime) } ?? clock.now()
        self.clock = clock
        origin = now - uptime
        try note(in: transaction)
    }

    var now: Date { origin + clock.uptime }

    /// Notes the time now and then: the nearer the last note, the less does it matter what the time of day was set to
    /// when the machine is started anew.
    func note(in transaction: any PromiseTransaction) throws {
        let moment = PromiseMoment(time: now, date: clock.now(), uptime: clock.uptime, boot: clock.boot)
        if let last = try transaction.lastMoment(), last.boot == moment.boot,
            moment.time.timeIntervalSince(last.time) < PromiseLimits.noteInterval
        {
            return
        }
        try transaction.note(moment)
    }

    /// How much time has passed since a moment.
    private static func seconds(
        from moment: PromiseMoment, to clock: any PromiseClock, _ uptime: TimeInterval
    ) -> TimeInterval {
        // Where the system does not tell its runs apart, an uptime that is less tells.
        if clock.boot == moment.boot, uptime >= moment.uptime { return uptime - moment.uptime }
        let passed = clock.now().timeIntervalSince(moment.date)
        return max(min(passed, PromiseLimits.longestPause), uptime)
    }
}
