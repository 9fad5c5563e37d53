// The greeting of a stream session: presence, carbons and the like, which the application collects.

/// The greeting that is wanted, runs, or waits for its commit. One attempt counts, and each has its number, so that an
/// attempt for an earlier session delays no later one.
struct Greeting {
    typealias Core = DurableSessionCore

    private enum Stage {
        case none, wanted
        case running(Core.Attempt, deadline: Duration)
        case collected(Core.Attempt)
        case resting(until: Duration)
    }

    private var stage = Stage.none
    /// A session has begun in this process, and the application has not greeted it.
    private(set) var isNew = false
    /// The number of failures on this connection.
    private var failures = 0

    /// The running attempt.
    var attempt: Core.Attempt? { if case .running(let attempt, _) = stage { attempt } else { nil } }

    var isBusy: Bool { if case .none = stage { false } else { true } }

    var wakeTime: Duration? {
        switch stage {
        case .running(_, let time), .resting(let time): time
        case .none, .wanted, .collected: nil
        }
    }

    func isDue(at now: Duration) -> Bool {
        switch stage {
        case .wanted: true
        case .resting(let time): time <= now
        case .none, .running, .collected: false
        }
    }

    func isOverdue(at now: Duration) -> Bool { if case .running(_, let time) = stage { time <= now } else { false } }

    /// A session has begun. Attempts for an earlier one do not count.
    mutating func noteNewSession() {
        isNew = true
        stage = .none
    }

    /// A connection has begun. An attempt for its session continues.
    mutating func want() {
        failures = 0
        switch stage {
        case .running, .collected: break
        case .none, .wanted, .resting: stage = .wanted
        }
    }

    mutating func begin(_ attempt: Core.Attempt, until deadline: Duration) {
        stage = .running(attempt, deadline: deadline)
    }

    /// - Returns: Whether this is the running attempt. Its changes can commit.
    mutating func collect(_ attempt: Core.Attempt) -> Bool {
        guard self.attempt == attempt else { return false }
        stage = .collected(attempt)
        return true
    }

    /// The application has greeted the session.
    ///
    /// - Returns: Whether this is the current attempt.
    mutating func end(_ attempt: Core.Attempt) -> Bool {
        guard isCurrent(attempt) else { return false }
        stage = .none
        isNew = false
        return true
    }

    mutating func rest(_ attempt: Core.Attempt, until time: Duration) {
        if isCurrent(attempt) { stage = .resting(until: time) }
    }

    /// - Parameter limit: The number of attempts for each connection.
    /// - Returns: Whether this was the last one.
    mutating func fail(_ attempt: Core.Attempt, restingUntil time: Duration, limit: Int) -> Bool {
        guard isCurrent(attempt) else { return false }
        failures += 1
        stage = failures < limit ? .resting(until: time) : .none
        return failures >= limit
    }

    /// Whether this attempt greets the session, and has not failed.
    func isCurrent(_ attempt: Core.Attempt) -> Bool {
        switch stage {
        case .running(attempt, _), .collected(attempt): true
        case .none, .wanted, .running, .collected, .resting: false
        }
    }

    /// The run ends. Collected changes may commit.
    mutating func stop() {
        switch stage {
        case .collected: break
        case .none, .wanted, .running, .resting: stage = .none
        }
    }
}
