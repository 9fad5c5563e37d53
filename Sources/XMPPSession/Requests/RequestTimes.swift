// When requests are given up. Deadlines are times of day, because they outlive processes, and the time of day may be
// set: what is left of a request's time when a process sees it first is measured there with a clock that nobody sets.

import Foundation
import Persistence
import StreamManagement

/// Up to when requests wait for their answers, by the uptime of this process.
struct RequestTimes {
    private var limits: [Int64: (deadline: Date, uptime: Duration)] = [:]
    private var newestRead = 0

    /// The requests that have ended by now, because they are lost or their time is over, and when the next one does, by
    /// the uptime of this process.
    ///
    /// - Parameters:
    ///   - requests: Those that are lost, and those that have a deadline.
    ///   - read: The number of the transaction that has read them. Of several that are under way, one that has read
    ///     earlier may come later, and knows less: it makes nothing be forgotten.
    ///   - now: The time.
    mutating func ends(
        of requests: [StoredRequest], read: Int, at now: Moment
    ) -> (ended: [StoredRequest], next: Duration?) {
        var next: Duration?
        let ended = requests.filter { request in
            if request.end != nil { return true }
            guard let limit = limit(of: request, at: now) else { return false }
            if limit > now.uptime { next = min(next ?? limit, limit) }
            return limit <= now.uptime
        }
        if read > newestRead {
            newestRead = read
            let serials = Set(requests.map(\.serial))
            limits = limits.filter { serials.contains($0.key) }
        }
        return (ended, next)
    }

    /// Up to when a request waits; `nil` for ever. A clock that is set meanwhile changes nothing; one that was set back
    /// before prolongs no request beyond its whole time.
    private mutating func limit(of request: StoredRequest, at now: Moment) -> Duration? {
        guard let deadline = request.deadline else { return nil }
        if let known = limits[request.serial], known.deadline == deadline { return known.uptime }
        let left = min(deadline.timeIntervalSince(now.date), request.timeout ?? Self.longest, Self.longest)
        let limit = now.uptime + .seconds(max(left, 0))
        limits[request.serial] = (deadline, limit)
        return limit
    }

    /// Seconds that can be added to any uptime: no process lives that long.
    private static let longest: TimeInterval = 1e10
}
