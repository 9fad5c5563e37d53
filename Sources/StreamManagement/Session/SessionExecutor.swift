// The thread of a session.

import Foundation

/// Runs a session on its own queue: storing waits for a disk, and must not block a thread that all tasks share.
final class SessionExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    #if canImport(Darwin)
    func enqueue(_ job: UnownedJob) { run(job) }
    #endif
    // From macOS 14 on.
    #if !canImport(Darwin)
    func enqueue(_ job: consuming ExecutorJob) { run(UnownedJob(job)) }
    #endif

    private func run(_ job: UnownedJob) {
        // The closure keeps this object until the job has ended. The job may release the session, and this executor
        // with it, while its thread still counts as this executor's.
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
