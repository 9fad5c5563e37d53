// The order in which an attempt tries servers. A value: ServerRace.swift performs its actions.

/// Decides when each of an attempt's servers is tried (RFC 8305 §5).
///
/// The first server is tried at once. A server that fails, or is silent for a while, starts the next one beside it. The
/// first server that answers completely wins, and the caller stops the others. NIO staggers the addresses of a server
/// in the same way.
struct AttemptRace: ~Copyable {
    enum Action: Equatable {
        /// Try the server with this index.
        case start(Int)
        /// Call `wake(at:)` at this time. Replaces an earlier request.
        case wake(at: Duration)
        /// No server is left, or the time is over.
        case giveUp
    }

    private let count: Int
    /// How long servers may be silent before the next one is tried.
    private let stagger: Duration
    private let deadline: Duration
    private var startedCount = 0
    private var runningCount = 0
    private var nextStart: Duration
    private var isOver = false

    /// - Parameters:
    ///   - count: The number of servers, in the order of preference.
    ///   - stagger: How long servers may be silent before the next one is tried.
    ///   - deadline: When the race ends without a winner.
    init(count: Int, stagger: Duration, deadline: Duration, at now: Duration) {
        self.count = count
        self.stagger = stagger
        self.deadline = deadline
        nextStart = now
    }

    /// The race begins, or a requested time has come.
    mutating func wake(at now: Duration) -> [Action] {
        if isOver { return [] }
        if now >= deadline || startedCount == count && runningCount == 0 {
            isOver = true
            return [.giveUp]
        }
        var actions: [Action] = []
        if startedCount < count, now >= nextStart {
            actions.append(.start(startedCount))
            startedCount += 1
            runningCount += 1
            nextStart = now + stagger
        }
        actions.append(.wake(at: startedCount < count ? min(nextStart, deadline) : deadline))
        return actions
    }

    /// A server has answered one step, and is not silent.
    mutating func progressed(at now: Duration) -> [Action] {
        nextStart = now + stagger
        return wake(at: now)
    }

    /// A server has failed: the next one does not wait.
    mutating func failed(at now: Duration) -> [Action] {
        runningCount -= 1
        nextStart = now
        return wake(at: now)
    }
}
