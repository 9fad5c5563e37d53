// The deadlines of requests on the uptime of this process, and the reads that find them. A read gets only the requests
// that are new, so its time does not grow with the number of open requests.

internal import Foundation
private import HeapModule

/// The deadlines of the requests that were read.
struct RequestDeadlines {
    typealias Core = DurableSessionCore

    /// A request that has not ended, and the uptime until which it waits.
    private struct Timed {
        let request: Core.Request
        let limit: Duration
    }

    /// A time until which a request waits.
    private struct Limit: Comparable {
        let time: Duration
        let serial: Core.Serial

        static func < (one: Limit, other: Limit) -> Bool {
            (one.time, one.serial) < (other.time, other.serial)
        }
    }

    /// The requests may have changed since the last read began.
    var isStale = true
    private var timed: [Core.Serial: Timed] = [:]
    /// The limits of the timed requests. Requests that have ended may still have theirs here, but not as the first one.
    private var queue: Heap<Limit> = []
    /// Requests whose limit has passed, in the order of their limits.
    private var overdue: [Core.Serial] = []
    /// The latest request that was read; `nil` before a read of all requests.
    private var latest: Core.Serial?
    private var reading: (number: Core.AccessNumber, readsAll: Bool)?
    /// Requests that have ended since the read began.
    private var ended: Set<Core.Serial> = []
    /// The time of the next attempt, after a read has failed.
    private var retryTime: Duration?

    /// The time of the next deadline, or of the next attempt to read.
    var wakeTime: Duration? { retryTime ?? queue.min?.time }

    /// Whether a read is due or runs.
    var isBusy: Bool { isStale || reading != nil }

    /// Whether a read has to begin now.
    mutating func isDue(at now: Duration) -> Bool {
        if let retryTime {
            if now < retryTime, !isStale { return false }
            if now >= retryTime { isStale = true }
            self.retryTime = nil
        }
        if passLimits(at: now) { isStale = true }
        return isStale && reading == nil
    }

    /// - Returns: The read skips the requests up to this one, unless they have a cause to end.
    mutating func begin(_ number: Core.AccessNumber) -> Core.Serial {
        reading = (number, readsAll: latest == nil)
        isStale = false
        ended = []
        return latest ?? Core.Serial(rawValue: 0)
    }

    mutating func noteEnd(of serial: Core.Serial) {
        timed[serial] = nil
        dropStaleLimits()
        if reading != nil { ended.insert(serial) }
    }

    /// - Returns: Whether this is the awaited read.
    mutating func end(_ number: Core.AccessNumber) -> Bool { reading?.number == number }

    mutating func retry(at time: Duration) {
        reading = nil
        isStale = false
        retryTime = time
    }

    /// Takes the requests of the awaited read.
    ///
    /// - Returns: The requests that end now, because of a cause or a timeout.
    mutating func due(of requests: [Core.Request], at now: Core.Moment) -> [EndingJob] {
        let known = timed
        if reading?.readsAll == true { (timed, queue, overdue, latest) = ([:], [], [], nil) }
        reading = nil
        var due: [EndingJob] = []
        latest = max(latest ?? Core.Serial(rawValue: 0), requests.map(\.serial).max() ?? Core.Serial(rawValue: 0))
        for request in requests where !ended.contains(request.serial) {
            let serial = request.serial
            if let cause = request.cause {
                timed[serial] = nil
                due.append(EndingJob(request, because: cause))
            } else if let limit = limit(of: request, known[serial], at: now) {
                if timed[serial]?.limit != limit { queue.insert(Limit(time: limit, serial: serial)) }
                timed[serial] = Timed(request: request, limit: limit)
            }
        }
        _ = passLimits(at: now.uptime)
        dropStaleLimits()
        overdue.removeAll { serial in timed[serial].map { $0.limit > now.uptime } ?? true }
        due += overdue.compactMap { timed[$0] }.map { EndingJob($0.request, because: .timedOut) }
        return due
    }

    /// Moves the requests whose time is over.
    ///
    /// - Returns: Whether there were any.
    private mutating func passLimits(at now: Duration) -> Bool {
        var hasPassed = false
        while let first = queue.min, first.time <= now {
            queue.removeMin()
            guard timed[first.serial]?.limit == first.time else { continue }
            overdue.append(first.serial)
            hasPassed = true
        }
        if queue.count > 2 * timed.count + Self.staleCount {
            queue = Heap(timed.lazy.filter { $1.limit > now }.map { Limit(time: $1.limit, serial: $0) })
        }
        return hasPassed
    }

    /// Removes limits of ended requests, so that no alarm rings for them.
    private mutating func dropStaleLimits() {
        while let first = queue.min, timed[first.serial]?.limit != first.time { queue.removeMin() }
    }

    /// Limits of ended requests that are not worth a new queue.
    private static let staleCount = 64

    /// The time until which a request waits; `nil` for none. Setting the clock during the wait changes nothing. A clock
    /// that was set back before the wait prolongs no request beyond its timeout.
    private func limit(of request: Core.Request, _ known: Timed?, at now: Core.Moment) -> Duration? {
        guard let deadline = request.deadline else { return nil }
        if let known, known.request.deadline == deadline { return known.limit }
        let left = min(deadline.timeIntervalSince(now.date), request.timeout ?? Self.longest, Self.longest)
        return now.uptime + .seconds(max(left, 0))
    }

    /// Seconds that can be added to any uptime: no process lives that long.
    private static let longest: TimeInterval = 1e10

    /// The next read gets all requests: another process may have ended some.
    mutating func readAll() {
        isStale = true
        latest = nil
    }

    /// Stops waiting for a read.
    mutating func stop() {
        reading = nil
        isStale = true
        retryTime = nil
    }
}

/// The clean-up before a stream begins.
enum Sweep: Hashable, Sendable {
    case none
    /// The core waits for the read of the requests that have timed out.
    case reading(losesUnresumable: Bool)
    case sweeping(DurableSessionCore.AccessNumber)
}
