// A write of a session's changes, on a thread that may wait for the disk. SessionRecord.swift begins one at a time.

import Foundation
import Locking

/// A write that runs, and then its result.
final class RunningWrite: Sendable {
    typealias Outcome = Result<AppCommit.Written?, any Error>

    private let state = Lock<(outcome: Outcome?, waiter: CheckedContinuation<Void, Never>?)>((nil, nil))

    /// Begins the write.
    init(on disk: DispatchQueue, _ write: @escaping @Sendable () throws -> AppCommit.Written?) {
        disk.async { [self] in
            let outcome = Result { try write() }
            let waiter = state.withLock { state in
                state.outcome = outcome
                return state.waiter
            }
            waiter?.resume()
        }
    }

    /// `nil` while it runs.
    var outcome: Outcome? { state.withLock(\.outcome) }

    /// Waits for the outcome on the thread of the caller, to which the disk's thread passes it. Called once.
    func wait(isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.outcome == nil { state.waiter = continuation }
                return state.outcome != nil
            }
            if isOver { continuation.resume() }
        }
    }
}
