// How long a promise is waited for at most. Deadlines are times of day, because they outlive processes, and the time of
// day may be set back: whoever waits measures with a clock that nobody sets, too.

import Foundation

/// Up to when promises are waited for, by `PromiseClock.uptime`.
struct WaitLimits {
    private var limits: [UUID: TimeInterval] = [:]

    /// The time that counts for a promise: the time of day, or its deadline if that should have come by now.
    mutating func time(for record: PromiseRecord, at now: Date, uptime: TimeInterval) -> Date {
        guard record.outcome == nil, let deadline = record.deadline, let timeout = record.timeout else { return now }
        let left = now < record.created ? timeout : deadline.timeIntervalSince(now)
        let limit = min(limits[record.id] ?? .infinity, uptime + left)
        limits[record.id] = limit
        return limit <= uptime ? max(now, deadline) : now
    }

    /// The first limit of these promises.
    func next(of ids: [UUID]) -> TimeInterval? { ids.compactMap { limits[$0] }.min() }

    /// Forgets promises that nobody waits for.
    mutating func forget(allBut ids: [UUID]) {
        let ids = Set(ids)
        limits = limits.filter { ids.contains($0.key) }
    }
}
