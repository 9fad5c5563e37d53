// Blocking code, away from the threads that all tasks share. Not in Locking: the engine would bring the library of
// concurrency, 0.8 MB of a static program.

import Locking

/// Runs blocking code elsewhere, and waits for its result.
///
/// - Parameter enqueue: Passes the code on, for example to a queue, which runs it once.
package func runBlocking<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value, on enqueue: (@escaping @Sendable () -> Void) -> Void
) async throws -> Value {
    // The lock shows the thread sanitizer that the code has ended before the task continues. It does not see that if a
    // continuation is resumed before its task waits (Swift 6.3).
    let ended = Lock<Result<Value, any Error>?>(nil)
    await withCheckedContinuation { continuation in
        enqueue {
            let result = Result { try body() }
            ended.withLock { $0 = result }
            continuation.resume()
        }
    }
    guard let result = ended.withLock(\.self) else { preconditionFailure("the task continues after the code") }
    return try result.get()
}
