// Runs work on several threads and gives the results back in the order in which the work came. Knows nothing of
// stanzas.

import Foundation
import Synchronization

/// Work in progress. Belongs to one thread, which adds work and takes results.
///
///     let work = OrderedWork<Int>(threads: 2, capacity: 8)
///     work.add { 1 + 1 }
///     work.next()  // 2
final class OrderedWork<Value: Sendable> {
    private let threads = OperationQueue()
    private let capacity: Int
    /// The oldest first; at most `capacity`.
    private var promises: [Promise<Value>] = []

    init(threads count: Int, capacity: Int) {
        threads.maxConcurrentOperationCount = count
        self.capacity = capacity
    }

    /// Whether a result has to be taken before more work may be added.
    var isFull: Bool { promises.count >= capacity }

    /// Adds work, to be done by a thread that is free.
    func add(_ work: @escaping @Sendable () -> Value) {
        precondition(!isFull, "who adds work makes room for it")
        let promise = Promise<Value>()
        promises.append(promise)
        threads.addOperation { promise.keep(work()) }
    }

    /// Adds a result that is known already.
    func add(_ value: Value) {
        precondition(!isFull, "who adds work makes room for it")
        let promise = Promise<Value>()
        promise.keep(value)
        promises.append(promise)
    }

    /// The oldest result, after waiting for it; `nil` when there is no work.
    func next() -> Value? {
        promises.isEmpty ? nil : promises.removeFirst().wait()
    }

    /// The oldest result, if it need not be waited for.
    func nextIfReady() -> Value? {
        guard let value = promises.first?.valueIfKept() else { return nil }
        promises.removeFirst()
        return value
    }

    /// Drops work that has not begun and results that have not been taken, and waits for the rest.
    func cancel() {
        threads.cancelAllOperations()
        threads.waitUntilAllOperationsAreFinished()
        promises = []
    }
}

/// A value that a thread makes and another one waits for.
private final class Promise<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isKept = DispatchSemaphore(value: 0)

    func keep(_ value: Value) {
        self.value.withLock { $0 = value }
        isKept.signal()
    }

    /// Waits for the value and takes it. Once only.
    func wait() -> Value {
        isKept.wait()
        return take()
    }

    /// Takes the value if it is there. Once only.
    func valueIfKept() -> Value? {
        isKept.wait(timeout: .now()) == .success ? take() : nil
    }

    private func take() -> Value {
        guard let value = value.withLock({ $0.take() }) else {
            preconditionFailure("a value is taken once, after it was kept")
        }
        return value
    }
}

/// Tells threads that their work is not wanted any more.
final class StopSign: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() {
        flag.store(true, ordering: .relaxed)
    }
}
