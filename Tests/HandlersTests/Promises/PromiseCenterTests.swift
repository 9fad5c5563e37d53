// Promises with a store in memory. Two centers with one store represent two processes.

import Foundation
import TestSupport
import Testing

@testable import Handlers

struct PromiseCenterTests {
    private let store = MemoryPromiseStore()
    private let clock = ManualClock()

    /// The failure of a closure or of a transaction.
    private struct Failure: Error {}

    private func center(_ role: PromiseCenter.Role) async throws -> PromiseCenter {
        try await PromiseCenter.start(store: store, role: role, clock: clock)
    }

    @Test func aPromiseIsFulfilledByAnotherProcess() async throws {
        let (app, appex) = (try await center(.consumer), try await center(.resolver))
        let promise = try await app.create(String.self, key: "avatar")
        #expect(try await promise.state == .pending)
        async let value = promise.value
        let same = try #require(try await appex.reattach(key: "avatar", as: String.self))
        #expect(same.id == promise.id)
        for wrong in [app, appex] {
            await #expect(throws: PromiseError.wrongType(expected: "Int", actual: "String")) {
                try await wrong.reattach(key: "avatar", as: Int.self)
            }
            await #expect(throws: PromiseError.wrongType(expected: "Int", actual: "String")) {
                try await wrong.promise(promise.id).fulfill(1)
            }
        }
        #expect(try await same.fulfill("done") == .resolved)
        #expect(try await value == "done")
        #expect(try await promise.state == .fulfilled)
        #expect(try await same.reject(PromiseRejection(code: "late")) == .alreadyResolved(.fulfilled))
    }

    @Test func rejectionsCancellationsAndTimeoutsAreThrown() async throws {
        let app = try await center(.consumer)
        let rejected = try await app.create(Int.self, key: "k")
        let rejection = PromiseRejection(code: "forbidden", message: "no", account: "a@b")
        try await rejected.reject(rejection)
        await #expect(throws: rejection) {
            try await rejected.withValue { _ in Issue.record("the closure was called without a value") }
        }
        // The outcome is acknowledged when it is thrown.
        _ = try await app.create(Int.self, key: "k")

        let canceled = try await app.create(Int.self)
        try await canceled.cancel()
        await #expect(throws: PromiseError.canceled(canceled.id)) { try await canceled.value }

        let late = try await app.create(Int.self, timeout: .seconds(10))
        let value = Task { try await late.value }
        try await clock.hasSleeper()
        clock.advance(by: 10)
        await #expect(throws: PromiseError.timedOut(late.id)) { try await value.value }
        #expect(try await late.fulfill(1) == .alreadyResolved(.timedOut))
    }

    @Test func onlyTheConsumerWaits() async throws {
        let appex = try await center(.resolver)
        let promise = try await appex.create(Int.self)
        await #expect(throws: PromiseError.mayNotConsume) { try await promise.value }
        try await promise.fulfill(1)
        await #expect(throws: PromiseError.mayNotConsume) { try await promise.value }
    }

    @Test func keysAreUniqueAndCodePointsCount() async throws {
        let app = try await center(.consumer)
        _ = try await app.create(Int.self, key: "\u{E9}")
        await #expect(throws: PromiseError.keyTaken("\u{E9}")) { try await app.create(Int.self, key: "\u{E9}") }
        _ = try await app.create(Int.self, key: "e\u{301}")
        let long = String(repeating: "k", count: PromiseLimits.codeLength + 1)
        await #expect(throws: PromiseError.self) { try await app.create(Int.self, key: long) }
    }

    @Test func aKeyIsFreeWhenItsOutcomeWasAcknowledgedOrItsTimeIsOver() async throws {
        let app = try await center(.consumer)
        let first = try await app.create(Int.self, key: "k")
        await #expect(throws: PromiseError.keyTaken("k")) { try await app.create(Int.self, key: "k") }
        try await first.fulfill(1)
        await #expect(throws: PromiseError.keyTaken("k")) { try await app.create(Int.self, key: "k") }
        #expect(try await first.value == 1)
        let second = try await app.create(Int.self, key: "k", timeout: .seconds(10), retention: .seconds(10))
        #expect(try await app.reattach(key: "k", as: Int.self)?.id == second.id)
        clock.advance(by: 15)
        await #expect(throws: PromiseError.keyTaken("k"), "the app may still ask for the outcome") {
            try await app.create(Int.self, key: "k")
        }
        clock.advance(by: 5)
        let third = try await app.create(Int.self, key: "k")
        #expect(try await app.reattach(key: "k", as: Int.self)?.id == third.id)
    }

    /// A process that is killed, or a closure that fails, gets the outcome again later.
    @Test func anOutcomeIsOfferedUntilItIsAcknowledged() async throws {
        let app = try await center(.consumer)
        let promise = try await app.create(Int.self, key: "k")
        try await promise.fulfill(7)
        await #expect(throws: Failure.self) { try await promise.withValue { _ in throw Failure() } }
        clock.advance(by: 86_400)
        let restarted = try await center(.consumer)
        let again = try #require(try await restarted.reattach(key: "k", as: Int.self))
        await #expect(throws: PromiseError.keyTaken("k")) { try await restarted.create(Int.self, key: "k") }
        #expect(try await again.withValue { $0 + 1 } == 8)
        #expect(try await again.value == 7, "a second read returns the value again")
        #expect(try await restarted.create(Int.self, key: "k").id != promise.id)
        // The store offers the outcome only within the promise's retention.
        let lost = try await app.create(Int.self, retention: .seconds(10))
        try await lost.fulfill(1)
        await #expect(throws: Failure.self) { try await lost.withValue { _ in throw Failure() } }
        clock.advance(by: 10)
        #expect(try await app.sweep().lost == [lost.id])
    }

    @Test func anOutcomeIsAcknowledgedWithOtherChanges() async throws {
        let app = try await center(.consumer)
        let promise = try await app.create(Int.self, key: "k")
        try await promise.fulfill(7)
        try await promise.withValue { [store] value in
            await #expect(throws: Failure.self) {
                try await store.writePromises { transaction in
                    try promise.acknowledge(in: transaction)
                    throw Failure()
                }
            }
            await #expect(throws: PromiseError.keyTaken("k")) { try await app.create(Int.self, key: "k") }
            try await store.writePromises { try promise.acknowledge(in: $0) }
            #expect(try await app.create(Int.self, key: "k").id != promise.id)
            #expect(value == 7)
        }
        let id = UUID()
        await #expect(throws: PromiseError.unknownPromise(id)) {
            try await store.writePromises { try app.promise(id, of: Int.self).acknowledge(in: $0) }
        }
    }

    @Test func aRestartedProgramFindsItsPromises() async throws {
        let before = try await center(.consumer)
        let first = try await before.create(String.self, key: "first", timeout: .seconds(50))
        clock.advance(by: 60)
        let second = try await before.create([String].self)
        let taken = try await before.create(Int.self, key: "taken")
        let acknowledged = try await before.create(Int.self)
        for promise in [taken, acknowledged] { try await promise.fulfill(1) }
        await #expect(throws: Failure.self) { try await taken.withValue { _ in throw Failure() } }
        _ = try await acknowledged.value
        clock.advance(by: 40)
        let app = try await center(.consumer)
        let open = try await app.openPromises()
        #expect(
            Set(open) == [
                OpenPromise(id: first.id, key: "first", type: "String", state: .timedOut, age: .seconds(100)),
                OpenPromise(id: second.id, key: nil, type: "[String]", state: .pending, age: .seconds(40)),
                OpenPromise(id: taken.id, key: "taken", type: "Int", state: .fulfilled, age: .seconds(40)),
            ])
        #expect(open.first?.id == first.id)
        #expect(try await app.reattach(id: second.id, as: [String].self) == second)
    }

    @Test func aProcessThatLivesLongSweeps() async throws {
        let app = try await center(.consumer)
        let over = try await app.create(Int.self, timeout: .seconds(1), retention: .seconds(10))
        clock.advance(by: PromiseLimits.sweepInterval)
        let asked = try await app.create(Int.self)
        try await asked.fulfill(1)
        _ = try await asked.value
        try await eventually("it is swept") { try await app.reattach(id: over.id, as: Int.self) == nil }
        #expect(try await asked.state == .fulfilled)
    }

    @Test func outdatedPromisesAreSweptAndReported() async throws {
        let app = try await center(.consumer)
        let taken = try await app.create(Int.self, retention: .seconds(1000))
        try await taken.fulfill(1)
        _ = try await taken.value
        let untaken = try await app.create(Int.self, retention: .seconds(700))
        try await untaken.fulfill(1)
        let late = try await app.create(Int.self, timeout: .seconds(650), retention: .seconds(1000))
        let kept = try await app.create(Int.self)
        clock.advance(by: 701)
        let sweep = try await app.sweep()
        #expect(sweep.acknowledged == [taken.id])
        #expect(sweep.lost == [untaken.id])
        #expect(sweep.timedOut == [late.id])
        #expect(try await kept.state == .pending)
        #expect(try await late.state == .timedOut)
        await #expect(throws: PromiseError.unknownPromise(taken.id)) { try await taken.value }
        await #expect(throws: PromiseError.unknownPromise(taken.id)) { try await taken.cancel() }
        #expect(try await app.sweep() == PromiseSweep())
    }

    /// Its outcome may come at any time, and a process may wait for it.
    @Test func aPendingPromiseWithoutATimeoutDoesNotExpire() async throws {
        let app = try await center(.consumer)
        let promise = try await app.create(Int.self, key: "k", retention: .seconds(10))
        clock.advance(by: 30 * 86_400)
        #expect(try await app.sweep() == PromiseSweep())
        await #expect(throws: PromiseError.keyTaken("k")) { try await app.create(Int.self, key: "k") }
        #expect(try await promise.fulfill(1) == .resolved)
        #expect(try await promise.value == 1)
    }

    @Test func manyAreSweptInSmallTransactions() async throws {
        let app = try await center(.consumer)
        for _ in 0..<(2 * PromiseLimits.batch + 3) {
            _ = try await app.create(Int.self, timeout: .seconds(1), retention: .seconds(1))
        }
        clock.advance(by: 1)
        #expect(try await app.sweep().timedOut.count == 2 * PromiseLimits.batch + 3)
        clock.advance(by: 1)
        #expect(try await app.sweep().lost.count == 2 * PromiseLimits.batch + 3)
    }
}
