// The time limits of a connection, and the function that enforces them.

import Locking

/// The time limits of a connection. Bytes that arrive slowly extend none of them.
public struct ConnectionTimeouts: Hashable, Sendable {
    /// A whole attempt: from the look-up in DNS to an authenticated stream, with all servers and redirections.
    public var attempt: Duration = .seconds(10)
    /// How long a server may be silent before the connector tries the next one beside it: the Connection Attempt Delay
    /// of RFC 8305 §5. The first server that offers its features is used.
    public var stagger: Duration = .milliseconds(250)
    /// Asking DNS for the domain's servers. Without an answer in that time, the connector tries the domain itself.
    public var find: Duration = .seconds(5)
    /// Binding a resource.
    public var bind: Duration = .seconds(30)
    /// The time for the server to close its stream, too. Then the client cuts the connection.
    public var close: Duration = .seconds(5)

    public init() {}
}

extension ByteChannel {
    /// Runs an operation that ends with the connection, and cuts the connection if the operation takes too long. An
    /// operation that ends in time keeps its connection.
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

/// A flag that is raised once.
private final class Flag: Sendable {
    private let state = Lock(false)

    /// - Returns: Whether this call has raised the flag.
    func raise() -> Bool {
        state.withLock { isRaised in
            defer { isRaised = true }
            return !isRaised
        }
    }
}
