// Waiting for disks and processes, without holding up the threads that all tests share.

import Foundation

/// Runs a blocking body on a thread of its own. It starts at once: the threads of queues are those of tasks, and other
/// tests may occupy all of them.
public func blocking<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    try await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(returning: Result { () throws(Failure) -> Value in try body() })
        }
    }.get()
}
