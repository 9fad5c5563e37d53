// Whether a task belongs to a running handler. Such a task must not wait for the handler's end: that is a deadlock.

import Locking
import Persistence

/// The call of a handler, until it returns. The tasks that the handler starts inherit it, even if they outlive the
/// call.
final class HandlingScope: Sendable {
    @TaskLocal private static var current: HandlingScope?

    private let session: ObjectIdentifier
    private let over = Lock(false)

    init(_ session: AnyObject) { self.session = ObjectIdentifier(session) }

    /// Whether the current task belongs to a running handler of that session.
    static func isWithin(_ session: AnyObject) -> Bool {
        guard let current, current.session == ObjectIdentifier(session) else { return false }
        return !current.isOver
    }

    /// Runs a handler.
    func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        defer { end() }
        return try await Self.$current.withValue(self, operation: body)
    }

    /// Runs a body outside of all handlers and greetings that the current task belongs to. A task that the body starts
    /// inherits none of them.
    static func outside<Result>(_ body: () throws -> Result) rethrows -> Result {
        try $current.withValue(nil) {
            try GreetingScope.$session.withValue(nil) { try EarlierChanges.outside(body) }
        }
    }

    /// Whether the session waits for the handler no longer. Tasks that it has started may still run.
    var isOver: Bool { over.withLock(\.self) }

    func end() { over.withLock { $0 = true } }
}
