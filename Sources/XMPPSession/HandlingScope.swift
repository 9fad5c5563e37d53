// Whether the task at hand belongs to a handler that is at work: who waits for the handler's end there waits for ever.

import Synchronization

/// A handler of a session, from its call until it returns. Tasks that it begins know it, too, also when it is over.
final class HandlingScope: Sendable {
    @TaskLocal private static var current: HandlingScope?

    private let session: ObjectIdentifier
    private let isOver = Mutex(false)

    init(_ session: AnyObject) { self.session = ObjectIdentifier(session) }

    /// Whether this is done by a handler of that session which is at work.
    static func isWithin(_ session: AnyObject) -> Bool {
        guard let current, current.session == ObjectIdentifier(session) else { return false }
        return current.isOver.withLock { !$0 }
    }

    /// Runs a handler.
    func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        defer { end() }
        return try await Self.$current.withValue(self, operation: body)
    }

    /// The session waits for the handler no longer.
    func end() { isOver.withLock { $0 = true } }
}
