// Waiting for a change of a value on another task, without polling.

import Synchronization
import TestSupport

/// A value that tasks change, and that others wait for.
final class Watched<Value: Sendable>: Sendable {
    private struct Wait {
        let isMet: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var value: Value
        var waits: [Int: Wait] = [:]
        var lastID = 0
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    func withLock<Result>(_ change: (inout Value) throws -> Result) rethrows -> Result {
        try state.withLock { state in
            defer {
                for (id, wait) in state.waits where wait.isMet(state.value) {
                    state.waits[id] = nil
                    wait.continuation.resume(returning: true)
                }
            }
            return try change(&state.value)
        }
    }

    /// Waits until the value meets a condition. The time limit only ends tests that hang.
    func wait(for what: String, until isMet: @escaping @Sendable (Value) -> Bool) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let limit = Task { [self] in
            try await Task.sleep(for: .seconds(600))
            end(id)
        }
        defer { limit.cancel() }
        let hasMet = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    let isOver = isMet(state.value)
                    if isOver || Task.isCancelled { return continuation.resume(returning: isOver) }
                    state.waits[id] = Wait(isMet: isMet, continuation: continuation)
                }
            }
        } onCancel: {
            end(id)
        }
        if hasMet { return }
        try Task.checkCancellation()
        throw WaitedInVain(description: "waited in vain: \(what)")
    }

    /// Ends a wait without result.
    private func end(_ id: Int) {
        state.withLock { $0.waits.removeValue(forKey: id) }?.continuation.resume(returning: false)
    }
}
