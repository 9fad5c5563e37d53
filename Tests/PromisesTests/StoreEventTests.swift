// What becomes of a centre when its store is frozen, opened and closed, in any order and slowly.

import Foundation
import Promises
import Synchronization
import TestSupport
import Testing

struct StoreEventTests {
    private let store = SlowStore()

    @Test func theLastWishCounts() async throws {
        let app = try await PromiseCentre.start(store: store, role: .consumer)
        try await app.freeze()
        // The store is being opened when the application is suspended again.
        store.holdsUnfreezing.withLock { $0 = true }
        let unfreezing = Task { try await app.unfreeze() }
        try await eventually("it is being opened") { store.state == .unfreezing }
        let freezing = Task { try await app.freeze() }
        for _ in 0..<100 { await Task.yield() }
        store.holdsUnfreezing.withLock { $0 = false }
        try await unfreezing.value
        try await freezing.value
        #expect(store.state == .frozen)
        await #expect(throws: PromiseError.frozen) { try await app.create(Int.self) }
        try await app.unfreeze()
        #expect(store.state == .open)
        _ = try await app.create(Int.self)
    }

    @Test func whoIsCancelledFreezesAllTheSame() async throws {
        let app = try await PromiseCentre.start(store: store, role: .consumer)
        let freezing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await app.freeze()
        }
        try await freezing.value
        #expect(store.state == .frozen)
    }

    @Test func whoWaitsIsToldWhenTheStoreIsClosed() async throws {
        let app = try await PromiseCentre.start(store: store, role: .consumer)
        let promise = try await app.create(Int.self)
        let waiting = (0..<3).map { _ in Task { try await promise.value } }
        for _ in 0..<100 { await Task.yield() }
        store.close()
        for task in waiting { await #expect(throws: PromiseError.closed) { try await task.value } }
        await #expect(throws: PromiseError.closed) { try await promise.value }
    }

    @Test func reattachingOnlyReads() async throws {
        let app = try await PromiseCentre.start(store: store, role: .consumer)
        let promise = try await app.create(Int.self, key: "k")
        let before = store.writes
        #expect(try await app.reattach(key: "k", as: Int.self)?.id == promise.id)
        #expect(try await app.reattach(id: promise.id, as: Int.self)?.id == promise.id)
        #expect(store.writes == before)
    }
}

/// A store that opens as slowly as a test wants, and can be closed.
private final class SlowStore: PromiseStore {
    enum State {
        case open
        case frozen
        case unfreezing
    }

    let holdsUnfreezing = Mutex(false)
    private let store = InMemoryPromiseStore()
    private let listeners = Listeners()
    private let current = Mutex((state: State.open, writes: 0))

    var state: State { current.withLock(\.state) }
    var writes: Int { current.withLock(\.writes) }

    func promises(_ ids: [UUID]) async throws -> [UUID: PromiseRecord] { await store.promises(ids) }

    func promise(key: String) async throws -> PromiseRecord? { await store.promise(key: key) }

    @discardableResult
    func writePromises<Result: Sendable>(
        _ body: @escaping @Sendable (any PromiseTransaction) throws -> Result
    ) async throws -> Result {
        current.withLock { $0.writes += 1 }
        defer { listeners.tell() }
        return try await store.writePromises(body)
    }

    func changes() -> AsyncStream<Void> { listeners.add() }

    func close() { listeners.finish() }

    func freeze() { current.withLock { $0.state = .frozen } }

    func unfreeze() async {
        current.withLock { $0.state = .unfreezing }
        while holdsUnfreezing.withLock({ $0 }) { await Task.yield() }
        current.withLock { $0.state = .open }
        listeners.tell()
    }
}
