// The phases of a session.

extension DurableSessionCore {
    /// The phase of a session. No other property stores it.
    package enum Phase: Hashable, Sendable {
        /// The session does not run. The application may store and send.
        case idle
        /// A run waits until the database is open and the session is claimed. If that fails, a suspended session stays
        /// suspended.
        case claiming(run: Call, isSuspended: Bool = false)
        case running(run: Call)
        case suspending(Suspending)
        /// The session stores and sends nothing until its next run.
        case suspended
        case closing(Closing)
        /// The session is over. Requests whose invalidations did not end may be left.
        case closed(hasRequestsLeft: Bool)
    }

    /// A session during its suspension, or at the end of its run.
    package struct Suspending: Hashable, Sendable {
        /// The run that ends, and the answer it gets.
        var run: Call?
        var answer: Answer
        /// The calls of `suspend`; none if the run ends by itself, and the session is idle afterwards.
        var callers: [Call] = []
        /// The time until which a handler may run.
        var deadline: Duration
        /// Handlers have ended, and the core waits for the stream's suspension.
        var isStoring = false
        /// Calls that wait for the end of the suspension.
        var nextRuns: [Call] = []
        /// The core closes the session afterwards, and these calls wait for that.
        var isClosed = false
        var closers: [Call] = []
    }

    /// A session during its closing.
    package struct Closing: Hashable, Sendable {
        enum Stage: Hashable, Sendable {
            /// A handler may finish.
            case finishing
            /// The stream closes; `isHurried` if it no longer waits for the server.
            case leaving(isHurried: Bool)
            /// The database removes the rows of the session; `failures` counts the failed attempts.
            case forgetting(failures: Int, next: Duration?)
            /// The core ends the requests that are left.
            case ending
        }

        var stage: Stage
        /// The time until which handlers may run.
        var deadline: Duration
        /// The time until which requests that are left may end; `nil` for the limits' time.
        var end: Duration?
        var run: Call?
        var callers: [Call] = []
        /// The calls of `suspend`, which ask the closing to end soon.
        var suspenders: [Call] = []
        /// The core could not end some requests.
        var hasRequestsLeft = false
    }
}

extension DurableSessionCore.Phase {
    /// Why the application can store and send nothing; `nil` if it can.
    package var refusal: DurableSessionCore.Answer? {
        switch self {
        case .idle, .claiming(_, isSuspended: false), .running: nil
        // A run that ends by itself refuses nothing.
        case .suspending(let suspending): suspending.callers.isEmpty ? nil : .suspended
        case .claiming, .suspended: .suspended
        case .closing, .closed: .closed
        }
    }

    /// Whether the closing of the stream waits for nothing any more.
    package var isHurried: Bool {
        if case .closing(let closing) = self { closing.stage == .leaving(isHurried: true) } else { false }
    }

    /// Whether the stream is closed for good: changes commit without it.
    package var isStreamClosed: Bool {
        switch self {
        case .idle, .claiming, .running, .suspending, .suspended: false
        case .closing(let closing):
            switch closing.stage {
            case .finishing, .leaving: false
            case .forgetting, .ending: true
            }
        case .closed: true
        }
    }

    /// The time until which handlers may run, and commits may wait.
    package var deadline: Duration? {
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
