// How a `PromiseCenter` behaves when its store closes, and when it writes to the store.

import Foundation
import Promises
import Synchronization
import TestSupport
import Testing

struct StoreEventTests {
    private let store = WatchedStore()

    @Test func closingTheStoreEndsWaiting() async throws {
        let app = try await PromiseCenter.start(store: store, role: .consumer)
        let promise = try await app.create(Int.self)
        let waiting = (0..<3).map { _ in Task { try await promise.value } }
        for _ in 0..<100 { await Task.yield() }
        store.close()
        for task in waiting { await #expect(throws: PromiseError.closed) { try await task.value } }
        await #expect(throws: PromiseError.closed) { try await promise.value }
    }

    @Test func reattachingOnlyReads() async throws {
        let app = try await PromiseCenter.start(store: store, role: .consumer)
        let promise = try await app.create(Int.self, key: "k")
        let before = store.writes
        #expect(try await app.reattach(key: "k", as: Int.self)?.id == promise.id)
        #expect(try await app.reattach(id: promise.id, as: Int.self)?.id == promise.id)
        #expect(store.writes == before)
    }
}

/// A store that a test can close, and that counts its write transactions.
private final class WatchedStore: PromiseStore {
    private let store = InMemoryPromiseStore()
    private let listeners = Listeners()
    private let count = Mutex(0)

    var writes: Int { count.withLock(\.self) }

    func promises(_ ids: [UUID]) async throws -> [UUID: PromiseRecord] { await store.promises(ids) }

    func promise(key: String) async throws -> PromiseRecord? { await store.promise(key: key) }

    func allPromises() async throws -> [PromiseRecord] { await store.allPromises() }

    @discardableResult
    func writePromises<Result: Sendable>(
        _ body: @escaping @Sendable (any PromiseTransaction) throws -> Result
    ) async throws -> Result {
        count.withLock { $0 += 1 }
        defer { listeners.notify() }
        return try await store.writePromises(body)
    }

    func changes() -> AsyncStream<Void> { listeners.add() }

    func close() { listeners.finish() }
}
