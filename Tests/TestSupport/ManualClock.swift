// The clock of a machine that a test sets, advances and restarts.

public import Foundation
public import XMPPCore

/// A clock that changes only when a test changes it.
public final class ManualClock: MachineClock, Changing, @unchecked Sendable {
    private struct State {
        var date = Date(timeIntervalSince1970: 1_000_000)
        var uptime = Duration.zero
        var boot: String? = "1"
        var sleepers: [(end: Duration, number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        var last = 0
    }

    public let changes = Changes()
    /// Everything is read and written under the lock, so the class is sendable.
    private let lock = NSLock()
    private var state = State()

    public init() {}

    private func withLock<Result>(_ change: (inout State) -> Result) -> Result {
        defer { changes.note() }
        return lock.withLock { change(&state) }
    }

    public var date: Date { lock.withLock { state.date } }
    public var uptime: Duration { lock.withLock { state.uptime } }
    public var boot: String? { lock.withLock { state.boot } }
    public var sleeperCount: Int { lock.withLock { state.sleepers.count } }

    /// Waits until a task sleeps.
    public func hasSleeper() async throws { try await until { $0.sleeperCount > 0 } }

    /// Lets the system not identify its boots.
    public func hideBoots() { withLock { $0.boot = nil } }

    /// Restarts the machine with this time of day. Sleepers do not wake up.
    public func restart(at date: Date, uptime: TimeInterval = 10) {
        withLock { state in
            state.date = date
            state.uptime = .seconds(uptime)
            state.boot = state.boot.map { $0 + "1" }
        }
    }

    /// Sets the time of day. Sleepers do not wake up.
    public func set(to date: Date) { withLock { $0.date = date } }

    /// Lets time pass, and wakes the sleepers whose time is over. A negative time is a fault of the machine's clock.
    public func advance(by time: Duration) {
        let due = withLock { state in
            state.date += time / .seconds(1)
            state.uptime += time
            let due = state.sleepers.filter { $0.end <= state.uptime }
            state.sleepers.removeAll { $0.end <= state.uptime }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    public func advance(by seconds: TimeInterval) { advance(by: .seconds(seconds)) }

    public func sleep(until end: Duration) async throws {
        let number = withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                withLock { state in
                    if Task.isCancelled {
                        continuation.resume(throwing: CancellationError())
                    } else if state.uptime >= end {
                        continuation.resume()
                    } else {
                        state.sleepers.append((end, number, continuation))
                    }
                }
            }
        } onCancel: {
            withLock { state in
                guard let place = state.sleepers.firstIndex(where: { $0.number == number }) else { return }
                state.sleepers.remove(at: place).continuation.resume(throwing: CancellationError())
            }
        }
    }
}
