// Waits for work that may ignore its cancellation.

import Locking

/// Takes the first of two results: the work's, or the cancellation.
package final class Race<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiter: CheckedContinuation<Value, any Error>?
        /// Ends the race when canceled work takes too long.
        var alarm: Task<Void, Never>?
    }

    private let state = Lock(State())

    package init() {}

    /// Whether the race has a result; later ones are ignored.
    package var hasEnded: Bool { state.withLock { $0.result != nil } }

    /// Ends the race. Returns whether this result is the first.
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

    /// Ends the race with a `CancellationError`.
    package func giveUp() { end(.failure(CancellationError())) }

    /// Ends the race with a `CancellationError` after `pause`, unless it has ended by then.
    func giveUp(after pause: @escaping @Sendable () async throws -> Void) {
        state.withLock { state in
            guard state.result == nil, state.alarm == nil else { return }
            state.alarm = Task {
                do { try await pause() } catch { return }
                self.giveUp()
            }
        }
    }

    /// Waits for the first result. Only one task may wait.
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

/// Runs work that may ignore its cancellation. A canceled caller waits no longer, and the work's result is discarded.
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
