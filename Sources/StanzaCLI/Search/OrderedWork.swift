// Runs work on several threads and returns the results in the order of the work. It does not depend on stanzas.
//
// The thread that adds the work is one of them: while it waits for a result, it runs tasks.

import Foundation
import Locking

/// Work in progress. Belongs to one thread, which adds tasks, takes results, and helps with the tasks.
///
/// ```swift
/// let work = OrderedWork<Int, Int>(threads: 2, capacity: 8) { { $0 + 1 } }
/// work.add(1)
/// let result = work.next()  // 2
/// ```
final class OrderedWork<Task: Sendable, Value: Sendable> {
    private let desk = Desk<Task, Value>()
    /// The number of threads beside the one that adds the tasks.
    private let others: Int
    private let makeWorker: @Sendable () -> (Task) -> Value
    private let capacity: Int
    private var hasBegun = false
    /// Runs the tasks of this thread.
    private lazy var worker = makeWorker()
    /// The oldest first; at most `capacity`.
    private var results: [PendingResult<Value>] = []

    /// - Parameters:
    ///   - count: The number of threads, with this one.
    ///   - capacity: The maximum number of pending results.
    ///   - makeWorker: Makes the function that runs tasks, once in each thread. It may keep state from task to task.
    init(threads count: Int, capacity: Int, makeWorker: @escaping @Sendable () -> (Task) -> Value) {
        precondition(count >= 1, "this thread is one of them")
        others = count - 1
        self.capacity = capacity
        self.makeWorker = makeWorker
    }

    deinit {
        desk.close(threads: others)
    }

    /// Whether a result has to be taken before more may be added.
    var isFull: Bool { results.count >= capacity }

    /// Adds a task for the next free thread.
    func add(_ task: Task) {
        if !hasBegun { begin() }
        desk.put(task, for: newResult())
    }

    /// Adds a known result.
    func add(known value: Value) {
        newResult().set(value)
    }

    /// Returns the oldest result, and runs tasks until it is ready; `nil` when no work is pending.
    func next() -> Value? {
        while !results.isEmpty {
            if let value = nextIfReady() { return value }
            guard let (task, result) = desk.takeIfAny() else { return results.removeFirst().wait() }
            result.set(worker(task))
        }
        return nil
    }

    /// Returns the oldest result, if it is ready.
    func nextIfReady() -> Value? {
        guard let value = results.first?.value(within: .nanoseconds(0)) else { return nil }
        results.removeFirst()
        return value
    }

    /// Drops tasks that have not begun and results that have not been taken, and waits for the rest.
    func cancel() {
        let dropped = desk.clear()
        for result in results where !dropped.contains(where: { $0 === result }) { _ = result.wait() }
        results = []
    }

    private func newResult() -> PendingResult<Value> {
        precondition(!isFull, "work is added only if there is room")
        let result = PendingResult<Value>()
        results.append(result)
        return result
    }

    private func begin() {
        hasBegun = true
        for _ in 0..<others {
            Thread.detachNewThread { [desk, makeWorker] in
                let work = makeWorker()
                while let (task, result) = desk.take() { result.set(work(task)) }
            }
        }
    }
}

/// The tasks that wait for a thread.
private final class Desk<Task: Sendable, Value: Sendable>: Sendable {
    private struct State {
        /// The oldest first.
        var tasks: [(Task, PendingResult<Value>)] = []
        var isClosed = false
    }

    private let state = Lock(State())
    /// One for each task, or for each thread when there will be no more tasks.
    private let occasions = DispatchSemaphore(value: 0)

    func put(_ task: Task, for result: PendingResult<Value>) {
        state.withLock { $0.tasks.append((task, result)) }
        occasions.signal()
    }

    /// Waits for the oldest task and returns it; `nil` when no task will come.
    func take() -> (Task, PendingResult<Value>)? {
        while true {
            occasions.wait()
            if let task = takeIfAny() { return task }
            // Another thread may have taken it.
            if state.withLock({ $0.isClosed }) { return nil }
        }
    }

    /// The oldest task, if there is one.
    func takeIfAny() -> (Task, PendingResult<Value>)? {
        state.withLock { $0.tasks.isEmpty ? nil : $0.tasks.removeFirst() }
    }

    /// Removes all tasks. Returns their results, which nothing will set.
    func clear() -> [PendingResult<Value>] {
        state.withLock { state in
            defer { state.tasks = [] }
            return state.tasks.map(\.1)
        }
    }

    func close(threads: Int) {
        state.withLock { $0.isClosed = true }
        for _ in 0..<threads { occasions.signal() }
    }
}

/// A value that one thread produces and another waits for. It can be taken once.
final class PendingResult<Value: Sendable>: Sendable {
    private let value = Lock<Value?>(nil)
    private let isReady = DispatchSemaphore(value: 0)

    func set(_ value: Value) {
        self.value.withLock { $0 = value }
        isReady.signal()
    }

    /// Waits for the value and takes it.
    func wait() -> Value {
        isReady.wait()
        return take()
    }

    /// Takes the value, if it is ready within this time.
    func value(within time: DispatchTimeInterval) -> Value? {
        isReady.wait(timeout: .now() + time) == .success ? take() : nil
    }

    private func take() -> Value {
        guard let value = value.withLock({ $0.take() }) else {
            preconditionFailure("a value is taken once, after it was set")
        }
        return value
    }
}

/// Asks threads to stop, because their work is not needed any more.
final class StopSign: Sendable {
    private let flag = AtomicWord()

    deinit { flag.deallocate() }

    var isSet: Bool { flag.value == 1 }

    func set() { flag.value = 1 }
}
