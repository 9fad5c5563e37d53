// What a handler wants to change. A transaction of SQLite cannot wait for asynchronous code, so a handler is given this,
// and what it has collected is done in one transaction when the handler has returned.

import Foundation
import Promises
import Synchronization

/// Changes that are collected, and made together: all of them, or none.
///
/// A handler gets it as an argument of its call. It hands over what it wants to change, and may be asynchronous itself.
public final class DatabaseWork: Sendable {
    private typealias Step = @Sendable (DatabaseTransaction) throws -> Void

    private let steps = Mutex<[Step]?>([])

    init() {}

    /// Adds a change, which is made after those that were added before.
    /// - Throws: `StanzaDatabaseError.closed` when the transaction has begun already.
    public func add(_ step: @escaping @Sendable (DatabaseTransaction) throws -> Void) throws(StanzaDatabaseError) {
        let isOpen = steps.withLock { steps in
            steps?.append(step)
            return steps != nil
        }
        if !isOpen { throw .closed }
    }

    /// Makes all changes. None can be added afterwards.
    func perform(in transaction: DatabaseTransaction) throws {
        let all = steps.withLock { steps in
            defer { steps = nil }
            return steps ?? []
        }
        for step in all { try step(transaction) }
    }
}

extension StanzaDatabase {
    /// Runs `body`, and then makes all changes that it has collected in one transaction. When it throws, none is made.
    ///
    ///     try await database.collect { work in
    ///         try await handlers.call(handler, ["work": work, "promises": promises])
    ///     }
    ///
    /// - Throws: What `body` or a change throws, or a `StanzaDatabaseError`.
    @discardableResult
    public func collect<Result: Sendable>(
        _ body: (DatabaseWork) async throws -> Result
    ) async throws -> Result {
        let work = DatabaseWork()
        let result = try await body(work)
        try await write { try work.perform(in: $0) }
        return result
    }
}

extension Promise {
    /// Resolves it with a value together with the other changes of a handler. The first outcome counts, as always.
    public func fulfil(_ value: Value, in work: DatabaseWork) throws {
        try work.add { try fulfil(value, in: $0.promises) }
    }

    /// Resolves it with an error together with the other changes of a handler.
    public func reject(_ error: any Error, in work: DatabaseWork) throws {
        let rejection = PromiseRejection(bridging: error)
        try work.add { try reject(rejection, in: $0.promises) }
    }
}
