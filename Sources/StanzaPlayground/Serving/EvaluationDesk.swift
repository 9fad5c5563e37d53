// Runs evaluations on a few threads, as they block and cannot be stopped. The desk depends neither on HTTP nor on the
// kind of job.

import Foundation
import Locking

/// Runs a limited number of jobs at the same time, and waits a limited time for each.
final class EvaluationDesk: Sendable {
    /// The maximum number of jobs at the same time.
    let places: Int
    /// The maximum wait for a job.
    let patience: Duration
    private let running = Lock(0)

    init(
        places: Int = PlaygroundLimits.evaluations, patience: Duration = PlaygroundLimits.evaluationTime
    ) {
        self.places = places
        self.patience = patience
    }

    /// The outcome of a job.
    enum Outcome<Value: Sendable>: Sendable {
        case done(Value)
        /// The job exceeded its time. It still runs, and its result will be dropped.
        case tooLong
        /// The maximum number of jobs runs already.
        case busy
    }

    /// The number of running jobs, for tests.
    var runningCount: Int { running.withLock(\.self) }

    /// Runs a job on a thread of its own. Queues have only as many threads as processors, and Swift's tasks need them,
    /// too.
    func run<Value: Sendable>(_ job: @escaping @Sendable () -> Value) async -> Outcome<Value> {
        let isFree = running.withLock { count in
            guard count < places else { return false }
            count += 1
            return true
        }
        guard isFree else { return .busy }
        return await withCheckedContinuation { continuation in
            let waiter = Waiter(continuation)
            Thread.detachNewThread { [self] in
                let value = job()
                running.withLock { $0 -= 1 }
                waiter.resume(.done(value))
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + patience / .seconds(1)) { waiter.resume(.tooLong) }
        }
    }
}

/// The caller that waits for a job: it gets the first outcome, and later ones are dropped.
private final class Waiter<Value: Sendable>: Sendable {
    private let continuation: Lock<CheckedContinuation<Value, Never>?>

    init(_ continuation: CheckedContinuation<Value, Never>) {
        self.continuation = Lock(continuation)
    }

    func resume(_ value: Value) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: value)
    }
}
