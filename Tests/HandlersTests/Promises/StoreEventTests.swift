// How a `PromiseCenter` behaves when its store closes or fails, and when it writes to the store.

import TestSupport
import Testing

@testable import Handlers

struct StoreEventTests {
    private let store = HeldStore()

    @Test func closingTheStoreEndsWaiting() async throws {
        let app = try await PromiseCenter.start(store: store, role: .consumer)
        let promise = try await app.create(Int.self)
        let waiting = (0..<3).map { _ in Task { try await promise.value } }
        for _ in 0..<100 { await Task.yield() }
        store.close()
        for task in waiting { await #expect(throws: PromiseError.closed) { try await task.value } }
        await #expect(throws: PromiseError.closed) { try await promise.value }
    }

    @Test func theLogNamesTheTypeOfAnErrorAndNotItsText() async throws {
        let lines = LoggedLines()
        let app = try await PromiseCenter.start(store: store, role: .consumer, logger: lines.logger)
        let promise = try await app.create(Int.self)
        try await promise.fulfill(7)
        store.failOnce(Failed())
        #expect(try await promise.value == 7)
        store.failOnce(Failed())
        await app.acknowledge(promise.id)
        #expect(lines.all.count { $0.text.contains("Failed") } >= 2, "\(lines.all)")
        #expect(!lines.text.contains("secret"))
    }

    private struct Failed: Error, CustomStringConvertible {
        var description: String { "cannot write /home/secret" }
    }
}
