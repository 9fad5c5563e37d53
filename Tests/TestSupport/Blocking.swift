// Waiting for disks and processes, without holding up the threads that all tests share.

import Dispatch

/// Runs what blocks on a thread of its own.
public func blocking<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    try await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(returning: Result { () throws(Failure) -> Value in try body() })
        }
    }.get()
}
