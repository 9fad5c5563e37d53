// The deadlines of requests on the uptime of this process, and the reads that find them.

internal import Foundation

/// The deadlines of the requests in the last read.
struct RequestDeadlines {
    typealias Core = DurableSessionCore

    /// The requests may have changed since the last read began.
    var isStale = true
    /// The time of the next deadline, or of the next attempt to read.
    private(set) var wakeTime: Duration?
    private var limits: [Core.Serial: (deadline: Date, uptime: Duration)] = [:]
    private var reading: Core.AccessNumber?
    /// Requests that have ended since the read began.
    private var ended: Set<Core.Serial> = []

    /// Whether a read is due or runs.
    var isBusy: Bool { isStale || reading != nil }

    /// Whether a read has to begin now.
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

    /// - Returns: Whether this is the awaited read.
    mutating func end(_ number: Core.AccessNumber) -> Bool {
        guard reading == number else { return false }
        reading = nil
        return true
    }

    mutating func retry(at time: Duration) {
        isStale = false
        wakeTime = time
    }

    /// The requests that end now, because of a cause or a timeout.
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

    /// The deadline of a request; `nil` for none. Setting the clock during the wait changes nothing. A clock that was
    /// set back before the wait prolongs no request beyond its timeout.
    private func limit(of request: Core.Request, at now: Core.Moment) -> (deadline: Date, uptime: Duration)? {
        guard let deadline = request.deadline else { return nil }
        if let known = limits[request.serial], known.deadline == deadline { return known }
        let left = min(deadline.timeIntervalSince(now.date), request.timeout ?? Self.longest, Self.longest)
        return (deadline, now.uptime + .seconds(max(left, 0)))
    }

    /// Seconds that can be added to any uptime: no process lives that long.
    private static let longest: TimeInterval = 1e10

    /// Stops waiting for a read.
    mutating func stop() {
        reading = nil
        isStale = true
        wakeTime = nil
    }
}

/// The clean-up before a stream begins.
enum Sweep: Hashable, Sendable {
    case none
    /// The core waits for the read of the requests that have timed out.
    case reading(losesUnresumable: Bool)
    case sweeping(DurableSessionCore.AccessNumber)
}
