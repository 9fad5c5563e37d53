// Waiting for disks and processes, without holding up the threads that all tests share.

import Dispatch

/// Runs what blocks on a thread of its own.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result { try body() }) }
    }
}
