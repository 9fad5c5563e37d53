// A store in memory whose writes a test holds or fails, and counts.

import Foundation
import Handlers
import TestSupport

/// Holds or fails writes, as a busy or frozen store does.
final class HeldStore: PromiseStore {
    private struct State {
        var isHolding = false
        var held: [CheckedContinuation<Void, Never>] = []
        var failure: (any Error)?
        var writes = 0
    }

    private let store = MemoryPromiseStore()
    private let listeners = Listeners()
    private let state = Watched(State())

    /// The number of writes that have begun.
    var writes: Int { state.withLock(\.writes) }
    /// Waits until a write waits for `release()`.
    func holdsWrite() async throws { try await state.wait(for: "a write") { $0.held.count == 1 } }

    /// Lets writes wait before they change anything.
    func hold() { state.withLock { $0.isHolding = true } }

    /// Lets the held writes and all later ones run.
    func release() {
        let held = state.withLock { state in
            state.isHolding = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Fails the next write.
    func failOnce(_ error: any Error) { state.withLock { $0.failure = error } }

    func promises(_ ids: [UUID]) async throws -> [UUID: PromiseRecord] { await store.promises(ids) }

    func promise(key: String) async throws -> PromiseRecord? { await store.promise(key: key) }

    func allPromises() async throws -> [PromiseRecord] { await store.allPromises() }

    @discardableResult
    func writePromises<Result: Sendable>(
        _ body: @escaping @Sendable (any PromiseTransaction) throws -> Result
    ) async throws -> Result {
        state.withLock { $0.writes += 1 }
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHolding { state.held.append(continuation) }
                return state.isHolding
            }
            if !isHeld { continuation.resume() }
        }
        if let failure = state.withLock({ $0.failure.take() }) { throw failure }
        defer { listeners.notify() }
        return try await store.writePromises(body)
    }

    /// Writes as another process does, whose transaction came first.
    func writeUnheld(_ body: @escaping @Sendable (any PromiseTransaction) throws -> Void) async throws {
        try await store.writePromises(body)
    }

    func changes() -> AsyncStream<Void> { listeners.add() }

    func close() { listeners.finish() }
}
