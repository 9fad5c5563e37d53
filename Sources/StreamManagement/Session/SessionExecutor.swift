// The thread of a session.

import Foundation

/// Runs a session on a queue of its own: storing waits for a disk, and must not hold up a thread that all tasks share.
final class SessionExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Keeps this object until the job has ended: that may let go of the session, and of this with it, while its
        // thread still counts as this executor's.
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
