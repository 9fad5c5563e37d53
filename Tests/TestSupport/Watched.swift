// Waiting for a change of a value on another task, without polling.

import Locking

/// A value that tasks change, and that others wait for.
public final class Watched<Value: Sendable>: Sendable {
    private let changes = Changes()
    private let value: Lock<Value>

    public init(_ value: Value) { self.value = Lock(value) }

    public func withLock<Result>(_ change: (inout Value) throws -> Result) rethrows -> Result {
        defer { changes.note() }
        return try value.withLock { try change(&$0) }
    }

    /// Waits until the value meets a condition. A canceled task throws `CancellationError`, and a test that waits in
    /// vain fails after minutes.
    public func wait(for what: String, until isMet: (Value) -> Bool) async throws {
        try await changes.wait(what) { value.withLock { isMet($0) } }
    }
}
