// The tasks that wait for promises. This file does not depend on stores or on the meaning of outcomes.

import Foundation

/// The waiting tasks of each promise.
struct WaitingTasks {
    typealias Continuation = CheckedContinuation<PromiseOutcome, any Error>

    private var tasks: [UUID: [Int: Continuation]] = [:]
    private var recent: [(number: Int, id: UUID)] = []
    private var last = 0

    var isEmpty: Bool { tasks.isEmpty }
    var promises: [UUID] { Array(tasks.keys) }

    /// Reserves a number for a task that is about to wait.
    mutating func reserve() -> Int {
        last += 1
        return last
    }

    mutating func add(_ continuation: Continuation, _ number: Int, for id: UUID) {
        tasks[id, default: [:]][number] = continuation
        recent.append((number, id))
    }

    /// Removes one waiting task.
    mutating func remove(_ number: Int, for id: UUID) -> Continuation? {
        let task = tasks[id]?.removeValue(forKey: number)
        if tasks[id]?.isEmpty ?? false { tasks[id] = nil }
        return task
    }

    /// The tasks that arrived since the last call.
    mutating func newcomers() -> [(number: Int, id: UUID)] {
        defer { recent = [] }
        return recent
    }

    mutating func deliver(_ result: Result<PromiseOutcome, any Error>, to id: UUID) {
        for task in (tasks.removeValue(forKey: id) ?? [:]).values { task.resume(with: result) }
    }

    mutating func failAll(_ error: any Error) {
        for id in promises { deliver(.failure(error), to: id) }
    }

    mutating func fail(_ some: [(number: Int, id: UUID)], _ error: any Error) {
        for (number, id) in some { remove(number, for: id)?.resume(throwing: error) }
    }
}
