// When requests are given up, by the uptime of this process, and the reads that find that out.

internal import Foundation

/// The deadlines of the requests that were read last.
struct RequestDeadlines {
    typealias Core = DurableSessionCore

    /// Something may have changed since the last read began.
    var isStale = true
    /// When the next request is given up, or the read is tried again.
    private(set) var wakeTime: Duration?
    private var limits: [Core.Serial: (deadline: Date, uptime: Duration)] = [:]
    private var reading: Core.AccessNumber?
    /// Requests that have ended since the read began.
    private var ended: Set<Core.Serial> = []

    /// Whether something is to be read.
    var isBusy: Bool { isStale || reading != nil }

    /// Whether a read is to begin now.
    mutating func isDue(at now: Duration) -> Bool {
        if let wakeTime, wakeTime <= now {
            isStale = true
            self.wakeTime = nil
        }
        return isStale && reading == nil
    }

    mutating func begin(_ number: Core.AccessNumber) {
        reading = number
        isStale = false
        ended = []
    }

    mutating func noteEnd(of serial: Core.Serial) {
        if reading != nil { ended.insert(serial) }
    }

    /// - Returns: Whether it is the read that is awaited.
    mutating func end(_ number: Core.AccessNumber) -> Bool {
        guard reading == number else { return false }
        reading = nil
        return true
    }

    mutating func retry(at time: Duration) {
        isStale = false
        wakeTime = time
    }

    /// The requests that have ended by now, because of a cause or because their time is over.
    mutating func due(of requests: [Core.Request], at now: Core.Moment) -> [EndingJob] {
        wakeTime = nil
        var due: [EndingJob] = []
        var kept: [Core.Serial: (deadline: Date, uptime: Duration)] = [:]
        for request in requests where !ended.contains(request.serial) {
            if let cause = request.cause {
                due.append(EndingJob(request, because: cause))
            } else if let limit = limit(of: request, at: now) {
                kept[request.serial] = limit
                if limit.uptime <= now.uptime {
                    due.append(EndingJob(request, because: .timedOut))
                } else {
                    wakeTime = min(wakeTime ?? limit.uptime, limit.uptime)
                }
            }
        }
        limits = kept
        return due
    }

    /// Up to when a request waits; `nil` for ever. A clock that is set meanwhile changes nothing; one that was set back
    /// before prolongs no request beyond its whole time.
    private func limit(of request: Core.Request, at now: Core.Moment) -> (deadline: Date, uptime: Duration)? {
        guard let deadline = request.deadline else { return nil }
        if let known = limits[request.serial], known.deadline == deadline { return known }
        let left = min(deadline.timeIntervalSince(now.date), request.timeout ?? Self.longest, Self.longest)
        return (deadline, now.uptime + .seconds(max(left, 0)))
    }

    /// Seconds that can be added to any uptime: no process lives that long.
    private static let longest: TimeInterval = 1e10

    /// Nothing is awaited any more.
    mutating func stop() {
        reading = nil
        isStale = true
        wakeTime = nil
    }
}

/// The clean-up before a stream begins.
enum Sweep: Hashable, Sendable {
    case none
    /// The requests are read that have timed out.
    case reading(losesUnresumable: Bool)
    case sweeping
}
