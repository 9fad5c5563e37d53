// Time that passes only when a test advances it.

import Foundation
import StreamManagement
import TestSupport

/// A clock for sessions under test.
///
/// Sendable without being checked: everything is read and written under the lock.
final class ManualClock: SessionClock, Changing, @unchecked Sendable {
    let changes = Changes()
    private let lock = NSLock()
    private var uptime: Duration = .zero
    private var sleepers: [(id: Int, deadline: Duration, continuation: CheckedContinuation<Void, any Error>)] = []
    private var nextID = 0

    var now: Moment {
        lock.withLock { Moment(uptime: uptime, date: TestCore.start + uptime / .seconds(1)) }
    }

    var sleeperCount: Int { lock.withLock { sleepers.count } }

    func sleep(until deadline: Duration) async throws {
        let id = lock.withLock {
            nextID += 1
            return nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                lock.withLock {
                    if Task.isCancelled {
                        continuation.resume(throwing: CancellationError())
                    } else if uptime >= deadline {
                        continuation.resume()
                    } else {
                        sleepers.append((id, deadline, continuation))
                    }
                }
                changes.note()
            }
        } onCancel: {
            lock.withLock {
                guard let position = sleepers.firstIndex(where: { $0.id == id }) else { return }
                sleepers.remove(at: position).continuation.resume(throwing: CancellationError())
            }
            changes.note()
        }
    }

    func advance(by time: Duration) {
        lock.withLock {
            uptime += time
            for sleeper in sleepers where sleeper.deadline <= uptime { sleeper.continuation.resume() }
            sleepers.removeAll { $0.deadline <= uptime }
        }
        changes.note()
    }
}
