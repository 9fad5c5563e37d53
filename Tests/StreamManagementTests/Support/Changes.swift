// Waiting for changes of a fake, or of a session, instead of looking again and again.

import Synchronization
import TestSupport

@testable import StreamManagement

/// The changes of a fake.
final class Changes: Sendable {
    private struct State {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func note() {
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

    /// Waits until the condition holds, which each change may cause.
    fileprivate func wait(_ place: String, until condition: () throws -> Bool) async throws {
        let limit = TimeLimit(place) { self.note() }
        defer { limit.end() }
        while true {
            let count = count
            if try condition() { return }
            try limit.check()
            await next(after: count)
        }
    }
}

/// A fake that notes its changes.
protocol Changing: Sendable {
    var changes: Changes { get }
}

extension Changing {
    /// Waits until the condition holds. A test that waits in vain fails after minutes.
    func until(
        file: String = #fileID, line: Int = #line, _ condition: (Self) throws -> Bool
    ) async throws {
        try await changes.wait("\(file):\(line)") { try condition(self) }
    }
}

extension StreamSession {
    /// Waits until the condition holds, which each event of the session may cause.
    func until(
        file: String = #fileID, line: Int = #line, _ condition: @Sendable (isolated StreamSession) -> Bool
    ) async throws {
        let limit = TimeLimit("\(file):\(line)") { await self.wakeReaders(.inputRoom) }
        defer { limit.end() }
        while !condition(self) {
            try limit.check()
            await wait(for: .inputRoom)
        }
    }
}

extension SentStanza {
    /// Waits until the stanza has, or had, this state. Fails at once if the stanza ends without it.
    func becomes(_ state: StanzaState, file: String = #fileID, line: Int = #line) async throws {
        let waiting = Task { await states.contains(state) }
        let limit = TimeLimit("\(file):\(line)") { waiting.cancel() }
        defer { limit.end() }
        if await !waiting.value { throw WaitedInVain(description: "\(file):\(line): the stanza is \(self.state)") }
    }
}

/// Ends waits that are in vain.
private struct TimeLimit {
    private let place: String
    private let deadline = ContinuousClock.now + .seconds(600)
    private let alarm: Task<Void, any Error>

    init(_ place: String, _ wake: @escaping @Sendable () async -> Void) {
        self.place = place
        alarm = Task {
            try await Task.sleep(for: .seconds(600))
            await wake()
        }
    }

    func check() throws {
        if ContinuousClock.now >= deadline { throw WaitedInVain(description: "\(place): waited in vain") }
    }

    func end() { alarm.cancel() }
}
