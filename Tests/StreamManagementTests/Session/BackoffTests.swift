// The waits between connections, as the loop of connections counts failures.

import Foundation
import Locking
import StreamManagement
import TestSupport
import Testing
import XMPPCore

@Suite struct BackoffTests {
    @Test("When the network is back, a wait ends early, in the same run, and attempts stay apart")
    func hurried() async throws {
        let clock = ManualClock()
        let connector = TestConnector(errors: Array(repeating: .init(isFinal: false), count: 3))
        var policy = ReconnectionPolicy()
        policy.first = .seconds(100)
        policy.jitter = 0
        policy.probeInterval = .zero
        let session = try await StreamSession.quiet(clock: clock)
        // Nothing runs yet.
        await session.networkChanged()
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        for attempt in 1...3 {
            try await connector.until { $0.places.count == attempt }
            try await clock.until { $0.sleeperCount == 1 }
            // A storm changes nothing: the last attempt has only begun.
            for _ in 1...100 { await session.networkChanged() }
            try await clock.until { $0.sleeperCount == 1 }
            #expect(connector.places.count == attempt)
            clock.advance(by: policy.shortest)
        }
        _ = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        await session.close()
        #expect(connector.places.count == 4)
        #expect(try await run.value == .closed)
    }

    @Test("Each failure doubles the wait, and a stream that lived long enough resets it") func waits() async throws {
        let clock = SleeplessClock()
        let connector = TestConnector(errors: Array(repeating: .init(isFinal: false), count: 4))
        var policy = ReconnectionPolicy()
        policy.first = .seconds(1)
        policy.factor = 2
        policy.jitter = 0
        policy.stableTime = .seconds(30)
        policy.probeInterval = .zero
        let session = try await StreamSession.quiet(clock: clock) { $0.closingTimeout = .zero }
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        for (number, lifetime) in [(1, Duration.seconds(30)), (2, .seconds(29))] {
            let server = try await connector.server(number)
            try await session.until { $0.state == .enabled }
            clock.advance(by: lifetime)
            server.cut()
        }
        _ = try await connector.server(3)
        // Four failures, a good stream, and one that did not live long enough.
        #expect(clock.sleeps == [1, 2, 4, 8, 1, 2].map { .seconds($0) })
        await session.close()
        _ = try await run.value
    }
}

/// A clock whose sleeping tasks wake at once, at the time that they wait for.
private final class SleeplessClock: MachineClock {
    private let state = Lock((uptime: Duration.zero, sleeps: [Duration]()))

    /// The length of each sleep.
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    var date: Date { TestCore.start }
    var uptime: Duration { state.withLock { $0.uptime } }
    var boot: String? { nil }

    func sleep(until uptime: Duration) async throws {
        state.withLock { state in
            state.sleeps.append(uptime - state.uptime)
            state.uptime = max(state.uptime, uptime)
        }
    }

    func advance(by time: Duration) { state.withLock { $0.uptime += time } }
}
