// The time that passes for a promise when clocks are set and machines restart.

import Foundation
import Handlers
import TestSupport
import Testing
import XMPPCore

struct PromiseTimeTests {
    private let store = MemoryPromiseStore()
    private let clock = ManualClock()
    private let day: TimeInterval = 86_400

    private func center(_ role: PromiseCenter.Role = .consumer) async throws -> PromiseCenter {
        try await PromiseCenter.start(store: store, role: role, clock: clock)
    }

    /// A sweep while the clock is wrong removes nothing. A process that starts then removes nothing, either.
    @Test(arguments: [3_650.0, -3_650]) func aClockThatIsSetForthAndBackDestroysNothing(days: Double) async throws {
        let app = try await center()
        let promise = try await app.create(Int.self, key: "k", timeout: .seconds(day))
        let right = clock.date
        clock.set(to: right + days * day)
        #expect(try await app.sweep() == PromiseSweep())
        let other = try await center(.resolver)
        let during = try await other.create(Int.self, timeout: .seconds(day))
        clock.set(to: right)
        for asked in [promise, during] { #expect(try await state(of: asked) == .pending) }
        // Time that passes now counts for both promises.
        clock.advance(by: day - 1)
        #expect(try await app.sweep() == PromiseSweep())
        clock.advance(by: 1)
        #expect(try await Set(app.sweep().timedOut) == [promise.id, during.id])
    }

    /// The state of a promise in a process that was just started.
    private func state(of promise: Promise<Int>) async throws -> PromiseState {
        try await center().promise(promise.id, of: Int.self).state
    }

    @Test func theTimeForWhichTheMachineWasOffCounts() async throws {
        let promise = try await center().create(Int.self, timeout: .seconds(2 * day))
        clock.restart(at: clock.date + day)
        #expect(try await state(of: promise) == .pending)
        clock.restart(at: clock.date + day)
        #expect(try await state(of: promise) == .timedOut)
    }

    /// A machine whose clock has no battery starts with a time in the past.
    @Test func aClockThatIsSlowAfterARestartRevertsNothing() async throws {
        let promise = try await center().create(Int.self, timeout: .seconds(day))
        clock.advance(by: day / 2)
        _ = try await center()
        clock.restart(at: Date(timeIntervalSince1970: 0), uptime: 100)
        // The machine has been running for at least a hundred seconds.
        #expect(try await state(of: promise) == .pending)
        clock.advance(by: day / 2 - 101)
        #expect(try await state(of: promise) == .pending)
        clock.advance(by: 1)
        #expect(try await state(of: promise) == .timedOut)
    }

    /// The pause that counts is shorter than the default retention, so such promises stay.
    @Test func aClockThatIsFarAheadAfterANewStartCountsForAFewDaysOnly() async throws {
        let app = try await center()
        let pause = PromiseLimits.longestPause
        let short = try await app.create(Int.self, timeout: .seconds(pause - 1))
        let long = try await app.create(Int.self, timeout: .seconds(pause + 1))
        let open = try await app.create(Int.self)
        clock.restart(at: clock.date + 3_650 * day)
        #expect(try await state(of: short) == .timedOut)
        #expect(try await state(of: long) == .pending)
        #expect(try await state(of: open) == .pending)
        #expect(.seconds(pause) < PromiseCenter.retention)
    }

    /// The clock is wrong while the machine runs, and right after the restart.
    @Test(arguments: [3_650.0, -3_650]) func aClockThatWasWrongBeforeANewStartCountsNothing(days: Double) async throws {
        let app = try await center()
        let promise = try await app.create(Int.self, timeout: .seconds(day))
        let right = clock.date
        clock.set(to: right + days * day)
        clock.restart(at: right + 60, uptime: 60)
        #expect(try await state(of: promise) == .pending)
    }

    /// A copy of the store, or its volume, is opened on a machine that has been running for long.
    @Test(arguments: [0, 60]) func theUptimeOfAnotherMachineIsNotTimeThatHasPassed(seconds: TimeInterval) async throws {
        let app = try await center()
        let promise = try await app.create(Int.self, timeout: .seconds(day))
        clock.restart(at: clock.date + seconds, uptime: 300 * day)
        #expect(try await state(of: promise) == .pending)
        clock.advance(by: day - seconds)
        #expect(try await state(of: promise) == .timedOut)
    }

    /// The clock of the other machine is slow: only a few days of its uptime count.
    @Test func theUptimeOfAMachineWithASlowClockCountsForAFewDaysOnly() async throws {
        let open = try await center().create(Int.self, timeout: .seconds(PromiseLimits.longestPause + 1))
        clock.restart(at: clock.date - 60, uptime: 300 * day)
        #expect(try await state(of: open) == .pending)
    }

    @Test func theTimeIsNotedNowAndThen() async throws {
        func noted() async throws -> PromiseMoment {
            try #require(try await store.writePromises { try $0.lastMoment() })
        }
        let app = try await center()
        let first = try await noted()
        clock.advance(by: PromiseLimits.noteInterval - 1)
        _ = try await app.sweep()
        #expect(try await noted() == first)
        clock.advance(by: 1)
        _ = try await app.sweep()
        let second = try await noted()
        #expect(second.time == first.time + PromiseLimits.noteInterval)
        #expect(second.uptime == first.uptime + PromiseLimits.noteInterval)
        clock.restart(at: clock.date + 5)
        _ = try await center()
        #expect(try await noted().boot != second.boot)
    }

    /// A process of the next boot has the uptime of the last stored moment by then, and computes no earlier time.
    @Test func theTimeDoesNotGoBackWithoutTheIdentityOfABoot() async throws {
        clock.hideBoots()
        clock.advance(by: 1000)
        let app = try await center()
        let promise = try await app.create(Int.self, timeout: .seconds(600))
        clock.restart(at: clock.date + 600, uptime: 600)
        #expect(try await state(of: promise) == .timedOut)
        clock.advance(by: 500)
        #expect(try await center().create(Int.self).center.openPromises().first?.age == .seconds(1100))
    }

    /// All processes share the same clock, and it runs.
    @Test func theClocksOfTheSystem() async throws {
        let clock = SystemClock()
        let before = clock.uptime
        try await clock.sleep(until: before + .milliseconds(10))
        #expect(clock.uptime >= before + .milliseconds(10))
        #expect(before > .zero)
        #expect(clock.boot == SystemClock().boot && clock.boot?.isEmpty == false)
        #expect(abs(clock.date.timeIntervalSinceNow) < 60)
    }
}
