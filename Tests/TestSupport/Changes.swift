// Waiting for changes of a fake, instead of looking again and again.

import Locking

/// The changes of a fake.
public final class Changes: Sendable {
    private struct State {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    public init() {}

    public func note() {
        let waiters = state.withLock { state in
            state.count += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private var count: Int { state.withLock(\.count) }

    /// Waits for a change after the one with this number.
    private func next(after count: Int) async {
        await withCheckedContinuation { continuation in
            let hasChanged = state.withLock { state in
                if state.count == count { state.waiters.append(continuation) }
                return state.count != count
            }
            if hasChanged { continuation.resume() }
        }
    }

    /// Waits until the condition holds, which each change may cause, or the task is canceled.
    func wait(_ what: String, until condition: () throws -> Bool) async throws {
        let limit = TimeLimit(what) { self.note() }
        defer { limit.end() }
        try await withTaskCancellationHandler {
            while true {
                let count = count
                if try condition() { return }
                try Task.checkCancellation()
                try limit.check()
                await next(after: count)
            }
        } onCancel: {
            note()
        }
    }
}

/// A fake that notes its changes.
public protocol Changing: Sendable {
    var changes: Changes { get }
}

extension Changing {
    /// Waits until the condition holds, or the task is canceled. A test that waits in vain fails after minutes.
    public func until(
        file: String = #fileID, line: Int = #line, _ condition: (Self) throws -> Bool
    ) async throws {
        try await changes.wait("\(file):\(line)") { try condition(self) }
    }
}

/// Ends waits that are in vain.
public struct TimeLimit {
    private let place: String
    private let deadline = ContinuousClock.now + .seconds(600)
    private let alarm: Task<Void, any Error>

    public init(_ place: String, _ wake: @escaping @Sendable () async -> Void) {
        self.place = place
        alarm = Task {
            try await Task.sleep(for: .seconds(600))
            await wake()
        }
    }

    public func check() throws {
        if ContinuousClock.now >= deadline { throw WaitedInVain(description: "\(place): waited in vain") }
    }

    public func end() { alarm.cancel() }
}
