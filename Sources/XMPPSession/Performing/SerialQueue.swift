// Operations that run one after the other, in the order of their requests.

/// A queue of asynchronous operations. It ends with its last operation after its owner lets go of it.
final class SerialQueue: Sendable {
    private let continuation: AsyncStream<@Sendable () async -> Void>.Continuation

    init() {
        let (operations, continuation) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
        self.continuation = continuation
        Task.detached { for await operation in operations { await operation() } }
    }

    deinit { continuation.finish() }

    /// Runs an operation after those that were added before.
    func add(_ operation: @escaping @Sendable () async -> Void) { continuation.yield(operation) }
}
