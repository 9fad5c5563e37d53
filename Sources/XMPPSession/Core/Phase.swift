// Where a session is in its life.

extension DurableSessionCore {
    /// Where a session is in its life. Nothing else says the same.
    package enum Phase: Hashable, Sendable {
        /// It does not run. The application may store and send.
        case idle
        /// A run waits for the database to be opened and the session to be claimed.
        case claiming(run: Call)
        case running(run: Call)
        case suspending(Suspending)
        /// Nothing is stored or sent until it is run.
        case suspended
        case closing(Closing)
        /// For good. Requests may be left whose invalidations did not end.
        case closed(hasRequestsLeft: Bool)
    }

    /// A session that is being suspended, or whose run has ended.
    package struct Suspending: Hashable, Sendable {
        /// The run that ends, and what it is answered.
        var run: Call?
        var answer: Answer
        /// The calls of `suspend`; none if the run ends by itself, and the session is idle afterwards.
        var callers: [Call] = []
        /// Until when a handler may run.
        var deadline: Duration
        /// Handlers have ended, and the stream is being suspended.
        var isStoring = false
        /// Calls that wait for the suspension to be over.
        var nextRuns: [Call] = []
        /// The session is closed afterwards, and these calls wait for that.
        var isClosed = false
        var closers: [Call] = []
    }

    /// A session that is being closed.
    package struct Closing: Hashable, Sendable {
        enum Stage: Hashable, Sendable {
            /// A handler may finish.
            case finishing
            /// The stream is being closed; `isHurried` if the server is not waited for any more.
            case leaving(isHurried: Bool)
            /// The rows of the session are being removed; that has failed so often.
            case forgetting(failures: Int, next: Duration?)
            /// The requests are ended that are left.
            case ending
        }

        var stage: Stage
        /// Until when handlers may run.
        var deadline: Duration
        var run: Call?
        var callers: [Call] = []
        /// The calls of `suspend`, which want it to be over soon.
        var suspenders: [Call] = []
        /// Requests could not be ended.
        var hasRequestsLeft = false
    }
}

extension DurableSessionCore.Phase {
    /// Until when handlers may run.
    var deadline: Duration? {
        switch self {
        case .idle, .claiming, .running, .suspended, .closed: nil
        case .suspending(let suspending): suspending.isStoring ? nil : suspending.deadline
        case .closing(let closing):
            switch closing.stage {
            case .finishing, .ending: closing.deadline
            case .leaving: closing.suspenders.isEmpty ? nil : closing.deadline
            case .forgetting(_, let next): next
            }
        }
    }

    /// The name, without payloads.
    package var name: String {
        switch self {
        case .idle: "idle"
        case .claiming: "claiming"
        case .running: "running"
        case .suspending(let suspending): suspending.isStoring ? "storing" : "suspending"
        case .suspended: "suspended"
        case .closing(let closing):
            switch closing.stage {
            case .finishing: "finishing"
            case .leaving: "leaving"
            case .forgetting: "forgetting"
            case .ending: "ending"
            }
        case .closed: "closed"
        }
    }
}
