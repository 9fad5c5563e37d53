// How long each part of a connection may take, and the part itself that keeps to it.

import Synchronization

/// How long each stage may take as a whole, however slowly bytes trickle in.
public struct ConnectionTimeouts: Hashable, Sendable {
    /// Asking DNS for the domain's servers. Without an answer in that time, the connector tries the domain itself.
    public var find: Duration = .seconds(30)
    /// Finding the host's addresses and connecting to one of them.
    public var connect: Duration = .seconds(30)
    /// TLS's handshake.
    public var secure: Duration = .seconds(30)
    /// From a stream header to the server's features.
    public var open: Duration = .seconds(30)
    /// Authentication, including resumption and binding within it.
    public var authenticate: Duration = .seconds(60)
    /// Binding a resource.
    public var bind: Duration = .seconds(30)
    /// How long the server may take to close the stream, too; then the connection is cut.
    public var close: Duration = .seconds(5)

    public init() {}
}

extension ByteChannel {
    /// Runs an operation that ends with the connection, and cuts the connection when the operation takes too long.
    /// Exactly one of the two happens: an operation that ends in time keeps its connection.
    func within<Value>(
        _ time: Duration, _ stage: ConnectionStage, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let isSettled = Flag()
        let alarm = Task {
            try await Task.sleep(for: time)
            if isSettled.raise() { self.abort() }
        }
        defer { alarm.cancel() }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        guard isSettled.raise() else { throw XMPPConnectionError.timedOut(stage) }
        return try result.get()
    }
}

/// Something that happens once.
private final class Flag: Sendable {
    private let state = Mutex(false)

    /// Whether it happens now, and has not before.
    func raise() -> Bool {
        state.withLock { isRaised in
            defer { isRaised = true }
            return !isRaised
        }
    }
}
