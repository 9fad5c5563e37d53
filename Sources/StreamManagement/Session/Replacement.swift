// An attempt to connect beside a stream that may be dead. ConnectingLoop.swift begins and ends it.

/// An attempt whose connection may replace the running stream.
struct Replacement: Sendable {
    let number: UInt64
    /// The place to connect to; `nil` for the ordinary place.
    let place: ServerLocation?
    /// Whether the stream has ended in favor of this attempt.
    var isCurrent = false
    private let task: Task<ConnectedStream, any Error>

    init(
        number: UInt64, place: ServerLocation?, connecting: @escaping @Sendable () async throws -> ConnectedStream
    ) {
        self.number = number
        self.place = place
        task = Task { try await connecting() }
    }

    /// Waits for the connection. A canceled caller cancels the attempt.
    func connected() async throws -> ConnectedStream {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Ends the attempt, and cuts its connection.
    func discard() {
        task.cancel()
        Task { [task] in try? await task.value.transport.abort() }
    }
}

/// Why the stream before a replacement has ended. Not a `StreamConnectionError`: the client ended the connection, so
/// this leaves no resumption unanswered (rule R32).
struct ReplacedConnection: Error, CustomStringConvertible {
    var description: String { "the network changed, and another connection was faster than an answer on this one" }
}

/// A moment between two streams.
package enum StreamPreparation: Sendable {
    /// The previous stream has ended, and another one is about to begin.
    case isGone
    /// The next stream is connected. Connecting takes time.
    case isConnected
}

/// Cuts a connection if its preparation fails.
func discarding(
    _ connected: ConnectedStream, unless prepare: () async throws -> Void
) async throws -> ConnectedStream {
    do {
        try await prepare()
        return connected
    } catch {
        await connected.transport.abort()
        throw error
    }
}
