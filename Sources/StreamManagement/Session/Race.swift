// Waiting for something that may not hear that nobody wants it any more.

import Synchronization

/// What ends first counts: the work, or whoever gives it up.
package final class Race<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiter: CheckedContinuation<Value, any Error>?
        /// Gives the work up that has been cancelled.
        var alarm: Task<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether nobody needs what else comes of it.
    package var hasEnded: Bool { state.withLock { $0.result != nil } }

    /// Ends it, and tells whether nothing else had.
    @discardableResult
    package func end(_ result: Result<Value, any Error>) -> Bool {
        let (isFirst, waiter, alarm) = state.withLock { state in
            guard state.result == nil else {
                return (false, nil as CheckedContinuation<Value, any Error>?, nil as Task<Void, Never>?)
            }
            state.result = result
            defer {
                state.waiter = nil
                state.alarm = nil
            }
            return (true, state.waiter, state.alarm)
        }
        waiter?.resume(with: result)
        alarm?.cancel()
        return isFirst
    }

    /// Ends it with a `CancellationError`.
    package func giveUp() { end(.failure(CancellationError())) }

    /// Gives it up when that is done, unless it has ended by then.
    func giveUp(after pause: @escaping @Sendable () async throws -> Void) {
        state.withLock { state in
            guard state.result == nil, state.alarm == nil else { return }
            state.alarm = Task {
                do { try await pause() } catch { return }
                self.giveUp()
            }
        }
    }

    /// What ended first. Only one task waits.
    package func value(isolation: isolated (any Actor)? = #isolation) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiter = continuation }
                return state.result
            }
            if let result { continuation.resume(with: result) }
        }
    }
}

/// Does what does not hear of being cancelled: whoever is cancelled waits no longer, and what comes of it is let go.
package func untilCancelled<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let race = Race<Value>()
    let task = Task {
        do {
            race.end(.success(try await body()))
        } catch {
            race.end(.failure(error))
        }
    }
    return try await withTaskCancellationHandler {
        try await race.value()
    } onCancel: {
        task.cancel()
        race.giveUp()
    }
}
