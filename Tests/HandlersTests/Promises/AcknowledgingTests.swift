// When outcomes are acknowledged: only after a task has received them, with as many attempts as the store needs.

import Foundation
import TestSupport
import Testing

@testable import Handlers

struct AcknowledgingTests {
    private struct Busy: Error {}

    private let store = HeldStore()

    private func consumer() async throws -> PromiseCenter {
        // By the system's clock, a slow test could meet a sweep, which writes, too.
        try await PromiseCenter.start(store: store, role: .consumer, clock: ManualClock())
    }

    /// Whether the outcome is offered again.
    private func isOffered(_ id: UUID, by center: PromiseCenter) async throws -> Bool {
        try await center.openPromises().contains { $0.id == id }
    }

    @Test func aCanceledValueLeavesTheOutcomeUnacknowledged() async throws {
        let app = try await consumer()
        let promise = try await app.create(Int.self)
        let waiting = Task { try await promise.value }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await promise.fulfill(7)
        #expect(try await isOffered(promise.id, by: app))
        #expect(try await promise.value == 7)
        #expect(try await !isOffered(promise.id, by: app))
    }

    /// The only write is the acknowledgement. An acknowledged outcome is not offered again, at a restart either.
    @Test func showingAnOutcomeIsOneWrite() async throws {
        let app = try await consumer()
        let promise = try await app.create(Int.self, key: "k")
        try await promise.fulfill(7)
        let before = store.writes
        #expect(try await promise.withValue { $0 } == 7)
        #expect(store.writes - before == 1)
        let restarted = try await consumer()
        #expect(try await restarted.reattach(key: "k", as: Int.self) == nil)
        #expect(try await restarted.reattach(id: promise.id, as: Int.self) == nil)
    }

    @Test func aValueThatCannotBeDecodedStaysUnacknowledged() async throws {
        let app = try await consumer()
        let promise = try await app.create(NewAvatar.self, key: "k")
        try await promise.fulfill(NewAvatar(hash: "a1b2"))
        let same = try #require(try await app.reattach(key: "k", as: Avatar.self))
        let error = await #expect(throws: PromiseError.self) { try await same.value }
        #expect("\(try #require(error))".contains("cannot be read as Avatar"))
        #expect(try await isOffered(promise.id, by: app))
        #expect(try await promise.value.hash == "a1b2")
    }

    /// A resolution waits for its write beyond the deadline, while a task waits for the outcome.
    @Test func aPromiseHasOneOutcome() async throws {
        let clock = ManualClock()
        let app = try await PromiseCenter.start(store: store, role: .consumer, clock: clock)
        let promise = try await app.create(Int.self, timeout: .seconds(10))
        let waiting = Task { try await promise.value }
        try await clock.hasSleeper()
        clock.advance(by: 9)
        store.hold()
        let resolving = Task { try await promise.fulfill(7) }
        try await store.holdsWrite()
        clock.advance(by: 1)
        store.release()
        #expect(try await resolving.value == .alreadyResolved(.timedOut))
        await #expect(throws: PromiseError.timedOut(promise.id)) { try await waiting.value }
    }

    /// Another process may have resolved it in time, in a transaction that commits late.
    @Test func aTimeoutIsStoredBeforeATaskGetsIt() async throws {
        let clock = ManualClock()
        let app = try await PromiseCenter.start(store: store, role: .consumer, clock: clock)
        let promise = try await app.create(Int.self, timeout: .seconds(10))
        let waiting = Task { try await promise.value }
        try await clock.hasSleeper()
        store.hold()
        clock.advance(by: 10)
        try await store.holdsWrite()
        try await store.writeUnheld { transaction in
            guard var record = try transaction.promise(promise.id) else { return }
            let payload = try PromisePayload(7)
            #expect(record.resolve(.fulfilled(payload), at: clock.date - 1) == .resolved)
            try transaction.update(record)
        }
        store.release()
        #expect(try await waiting.value == 7)
    }

    /// The acknowledgement that has just failed must not miss the change that it waits for.
    @Test func aChangeDuringAFailingAcknowledgementCounts() async throws {
        let app = try await consumer()
        let promise = try await app.create(Int.self)
        try await promise.fulfill(7)
        store.failOnce(Busy())
        store.hold()
        let acknowledging = Task { await app.acknowledge(promise.id) }
        try await store.holdsWrite()
        await app.storeHasChanged()
        store.release()
        await acknowledging.value
        try await eventually("it is acknowledged") { try await !isOffered(promise.id, by: app) }
    }

    @Test func acknowledgementsOfManyTasksShareTransactions() async throws {
        let app = try await consumer()
        let promises = try await (0..<300).asyncMap { number in
            let promise = try await app.create(Int.self)
            try await promise.fulfill(number)
            return promise
        }
        store.hold()
        let first = Task { await app.acknowledge(promises[0].id) }
        try await store.holdsWrite()
        let before = store.writes
        let rest = promises.dropFirst().map { promise in
            Task { await app.acknowledge(promise.id) }
        }
        try await eventually("all others wait for it") { await app.waitingAcknowledgements == 299 }
        store.release()
        await first.value
        for task in rest { await task.value }
        #expect(try await app.openPromises().isEmpty)
        #expect(store.writes - before == 2, "299 outcomes are more than one batch")
    }
}

private struct Avatar: StorableObject {
    static let storedName = "Avatar"
    var hash: String
}

/// The type of a newer program.
private struct NewAvatar: StorableObject {
    static let storedName = "Avatar"
    static let storedVersion = 2
    var hash: String
}

extension Range<Int> {
    fileprivate func asyncMap<Result>(_ body: (Int) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for number in self { results.append(try await body(number)) }
        return results
    }
}
