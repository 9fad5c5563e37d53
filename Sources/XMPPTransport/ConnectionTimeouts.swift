// How long each part of a connection may take, and the part itself that keeps to it.

import Synchronization

/// How long each stage may take as a whole, however slowly bytes trickle in.
public struct ConnectionTimeouts: Hashable, Sendable {
    /// Asking DNS for the domain's servers. If it says nothing in that time, the domain itself is tried.
    public var find: Duration = .seconds(30)
    /// Finding the host's addresses and connecting to one of them.
    public var connect: Duration = .seconds(30)
    /// TLS's handshake.
    public var secure: Duration = .seconds(30)
    /// From a stream header to the server's features.
    public var open: Duration = .seconds(30)
    /// Authentication, with what is resumed and bound on the way.
    public var authenticate: Duration = .seconds(60)
    /// Binding a resource.
    public var bind: Duration = .seconds(30)
    /// How long the server may take to close the stream, too; then the connection is cut.
    public var close: Duration = .seconds(5)

    public init() {}
}

extension ByteChannel {
    /// Does something that ends when the connection does, and cuts the connection when it takes too long. Which of both
    /// it was is settled once: what has been done in time keeps its connection.
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
