// The alarm of the core: one task sleeps for all its times.

import Locking
import XMPPCore

/// Rings once at the time that was set last.
final class CoreAlarm: Sendable {
    private struct State {
        /// The wanted time.
        var time: Duration?
        /// The time until which the task sleeps.
        var wake: Duration?
        var task: Task<Void, Never>?
    }

    private let state = Lock(State())

    deinit { state.withLock { $0.task?.cancel() } }

    /// Sets the time; `nil` for never.
    func set(_ time: Duration?, on clock: any MachineClock, _ ring: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.time = time
            guard let time else { return }
            // The task sleeps again if it wakes too early.
            if let wake = state.wake, wake <= time { return }
            state.task?.cancel()
            // A timer of the system cannot sleep for centuries.
            let wake = min(time, clock.uptime + Self.longestSleep)
            state.wake = wake
            state.task = Task.detached { [weak self] in
                do { try await clock.sleep(until: wake) } catch { return }
                await self?.wakeUp(at: wake, on: clock, ring)
            }
        }
    }

    private func wakeUp(at wake: Duration, on clock: any MachineClock, _ ring: @escaping @Sendable () async -> Void)
        async
    {
        let time: Duration? = state.withLock { state in
            guard state.wake == wake else { return nil }
            (state.wake, state.task) = (nil, nil)
            return state.time
        }
        guard let time else { return }
        if clock.uptime < time { return set(time, on: clock, ring) }
        await ring()
    }

    private static let longestSleep = Duration.seconds(86_400)
}
