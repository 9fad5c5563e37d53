// Who evaluates: some threads, as evaluations block and cannot be stopped. Knows neither HTTP nor what an evaluation
// is.

import Foundation
import Synchronization

/// Runs at most so many jobs at the same time, and waits for each only so long.
final class EvaluationDesk: Sendable {
    /// How many jobs run at the same time.
    let places: Int
    /// How long a job is waited for.
    let patience: Duration
    private let running = Mutex(0)

    init(
        places: Int = PlaygroundLimits.evaluations, patience: Duration = PlaygroundLimits.evaluationTime
    ) {
        self.places = places
        self.patience = patience
    }

    /// What came of a job.
    enum Outcome<Value: Sendable>: Sendable {
        case done(Value)
        /// It still runs, and nobody waits for it any more.
        case tooLong
        /// As many jobs run as may.
        case busy
    }

    /// How many jobs run now, for tests.
    var runningCount: Int { running.withLock(\.self) }

    /// Runs a job on a thread of its own: those of queues are as many as processors, and Swift's tasks need them, too.
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
            let seconds = Double(patience.components.seconds) + Double(patience.components.attoseconds) / 1e18
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { waiter.resume(.tooLong) }
        }
    }
}

/// Who waits for a job: the first outcome is told, others are not.
private final class Waiter<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, Never>?>

    init(_ continuation: CheckedContinuation<Value, Never>) {
        self.continuation = Mutex(continuation)
    }

    func resume(_ value: Value) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: value)
    }
}
