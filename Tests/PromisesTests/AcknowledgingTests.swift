// When outcomes are acknowledged: only after a task has received them, with as many attempts as the store needs.

import Foundation
import TestSupport
import Testing

@testable import Promises

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

    @Test func valueAcknowledgesTheOutcomeItReturns() async throws {
        let app = try await consumer()
        let promise = try await app.create(Int.self, key: "k")
        try await promise.fulfill(7)
        #expect(try await isOffered(promise.id, by: app))
        #expect(try await promise.value == 7)
        #expect(try await !isOffered(promise.id, by: app))
        #expect(try await app.create(Int.self, key: "k").id != promise.id)
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
        var types = PromiseTypes()
        try types.register(Avatar.self, as: "Avatar", version: 2, migrations: [1: { $0 }])
        let newer = try await PromiseCenter.start(store: store, role: .consumer, types: types)
        let promise = try await newer.create(Avatar.self, key: "k")
        try await promise.fulfill(Avatar())
        var olderTypes = PromiseTypes()
        try olderTypes.register(Avatar.self, as: "Avatar")
        let older = try await PromiseCenter.start(store: store, role: .consumer, types: olderTypes)
        let same = try #require(try await older.reattach(key: "k", as: Avatar.self))
        await #expect(throws: PromiseError.unknownVersion(type: "Avatar", version: 2)) { try await same.value }
        #expect(try await isOffered(promise.id, by: newer))
        #expect(try await promise.value == Avatar())
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
            let payload = try app.payload(of: 7)
            #expect(record.resolve(.fulfilled(payload), at: clock.date - 1) == .resolved)
            try transaction.update(record)
        }
        store.release()
        #expect(try await waiting.value == 7)
    }

    @Test func aFailedAcknowledgementIsRepeatedAtTheNextChange() async throws {
        let app = try await consumer()
        let promise = try await app.create(Int.self, key: "k")
        let other = try await app.create(Int.self)
        try await promise.fulfill(7)
        try await promise.withValue { _ in store.failOnce(Busy()) }
        #expect(try await isOffered(promise.id, by: app))
        try await other.fulfill(1)
        try await eventually("it is acknowledged") { try await !isOffered(promise.id, by: app) }
        #expect(try await app.create(Int.self, key: "k").id != promise.id)
    }

    /// The acknowledgement that has just failed must not miss the change that it waits for.
    @Test func aChangeDuringAFailingAcknowledgementCounts() async throws {
        let acknowledger = Acknowledger(
            store: store, time: try await store.writePromises { try PromiseTime(goingOnIn: $0, ManualClock()) },
            logger: .init(label: "test"))
        let app = try await consumer()
        let promise = try await app.create(Int.self)
        try await promise.fulfill(7)
        store.failOnce(Busy())
        store.hold()
        let acknowledging = Task { await acknowledger.acknowledge(promise.id) }
        try await store.holdsWrite()
        await acknowledger.storeHasChanged()
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

private struct Avatar: Codable, Sendable, Equatable {
    var hash = "a1b2"
}

extension Range<Int> {
    fileprivate func asyncMap<Result>(_ body: (Int) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for number in self { results.append(try await body(number)) }
        return results
    }
}
