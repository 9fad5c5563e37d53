// A clock that changes only when a test sets or advances it, or restarts its machine.

import Foundation
import Promises
import TestSupport

/// A clock that a test sets.
final class ManualClock: PromiseClock {
    private struct State {
        var now = Date(timeIntervalSince1970: 1_000_000)
        var uptime: TimeInterval = 0
        var boot = 1
        var reportsBoots = true
        var sleepers: [(end: TimeInterval, number: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var canceled: Set<Int> = []
        var last = 0
    }

    private let state = Watched(State())

    func now() -> Date { state.withLock(\.now) }

    var uptime: TimeInterval { state.withLock(\.uptime) }

    var boot: String? { state.withLock { $0.reportsBoots ? "\($0.boot)" : nil } }

    /// Lets the system not identify its boots.
    func hideBoots() { state.withLock { $0.reportsBoots = false } }

    /// Restarts the machine with this time of day. Sleepers do not wake up.
    func restart(at date: Date, uptime: TimeInterval = 10) {
        state.withLock { state in
            state.now = date
            state.uptime = uptime
            state.boot += 1
        }
    }

    /// Sets the time of day. Sleepers do not wake up.
    func set(to date: Date) { state.withLock { $0.now = date } }

    /// Lets time pass, and wakes the sleepers whose time is over.
    func advance(by seconds: TimeInterval) {
        let due = state.withLock { state in
            state.now += seconds
            state.uptime += seconds
            let due = state.sleepers.filter { $0.end <= state.uptime }
            state.sleepers.removeAll { $0.end <= state.uptime }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits until a task sleeps.
    func hasSleeper() async throws { try await state.wait(for: "a sleeper") { !$0.sleepers.isEmpty } }

    func sleep(for seconds: TimeInterval) async {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.canceled.remove(number) != nil || seconds <= 0 { return true }
                    state.sleepers.append((state.uptime + seconds, number, continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.canceled.insert(number)
                    return nil as CheckedContinuation<Void, Never>?
                }
                return state.sleepers.remove(at: index).continuation
            }
            sleeper?.resume()
        }
    }
}
