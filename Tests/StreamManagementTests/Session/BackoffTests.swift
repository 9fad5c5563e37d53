// How long is waited between connections, as the loop of connections counts what has failed.

import StreamManagement
import Synchronization
import TestSupport
import Testing

@Suite struct BackoffTests {
    @Test("Each failure doubles the wait, and a stream that lived long enough begins anew") func waits() async throws {
        let clock = SleeplessClock()
        let connector = TestConnector(errors: Array(repeating: .init(isFinal: false), count: 4))
        var policy = ReconnectionPolicy()
        policy.first = .seconds(1)
        policy.factor = 2
        policy.jitter = 0
        policy.stableTime = .seconds(30)
        policy.probeInterval = .zero
        let session = try await StreamSession(
            account: "juliet@example.org", storage: MemoryStorage(),
            configuration: .quiet { $0.closingTimeout = .zero },
            clock: clock)
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        for (number, lifetime) in [(1, Duration.seconds(30)), (2, .seconds(29))] {
            let server = try await connector.server(number)
            try await eventually("enabled") { await session.state == .enabled }
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

/// A clock on which whoever sleeps wakes at once, when the time has come.
private final class SleeplessClock: SessionClock {
    private let state = Mutex((uptime: Duration.zero, sleeps: [Duration]()))

    /// How long was slept, each time.
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    var now: Moment { Moment(uptime: state.withLock { $0.uptime }, date: TestCore.start) }

    func sleep(until uptime: Duration) async throws {
        state.withLock { state in
            state.sleeps.append(uptime - state.uptime)
            state.uptime = max(state.uptime, uptime)
        }
    }

    func advance(by time: Duration) { state.withLock { $0.uptime += time } }
}
