// The changes that a handler collects. A transaction of SQLite cannot wait for asynchronous code. So the handler
// collects its changes in this object, and one transaction makes them after the handler has returned.

import Foundation
import Handlers
import Locking
import StreamManagement

/// Changes that a handler collects, and that one transaction makes: all of them, or none.
///
/// A handler gets it as an argument of its call, adds its changes, and may be asynchronous itself.
public final class DatabaseWork: Sendable {
    private typealias Step = @Sendable (DatabaseTransaction) throws -> Void

    let database: StanzaDatabase
    /// The work of the handler that the current task belongs to.
    @TaskLocal fileprivate static var current: DatabaseWork?
    private let steps = Lock<(all: [Step], isOpen: Bool, isRunning: Bool)>(([], true, false))
    private let failure = Lock<(any Error)?>(nil)
    /// Whether the changes are entries that each handle the errors of their steps. Other errors are the database's.
    private let hasEntries: Bool

    package init(database: StanzaDatabase, hasEntries: Bool = false) {
        self.database = database
        self.hasEntries = hasEntries
    }

    /// Adds a change. The transaction makes the changes in the order in which they were added.
    ///
    /// - Throws: `StanzaDatabaseError.closed` if the transaction has already begun.
    public func add(_ step: @escaping @Sendable (DatabaseTransaction) throws -> Void) throws(StanzaDatabaseError) {
        let isOpen = steps.withLock { steps in
            if steps.isOpen { steps.all.append(step) }
            return steps.isOpen
        }
        if !isOpen { throw .closed }
    }

    /// Runs the handler. Until it returns, the outcomes of promises in its tasks are among its changes.
    package func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        steps.withLock { $0.isRunning = true }
        defer { steps.withLock { $0.isRunning = false } }
        return try await Self.$current.withValue(self, operation: body)
    }

    fileprivate func addWhileRunning(_ step: @escaping @Sendable (DatabaseTransaction) throws -> Void) -> Bool {
        steps.withLock { steps in
            if steps.isRunning { steps.all.append(step) }
            return steps.isRunning
        }
    }

    /// Reads the database for the session, and records a failure of the database. Earlier changes need not commit
    /// first: the session knows its changes.
    package func lookUp<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (StanzaDatabase) async throws -> Result
    ) async throws -> Result {
        do {
            return try await EarlierChanges.$current.withValue(nil) { try await body(database) }
        } catch let error as StanzaDatabaseError {
            if error.isOfTheDatabase { failure.withLock { $0 = error } }
            throw error
        }
    }

    /// The database's last error in a lookup; `nil` if none failed. If it is set, an error of the work is not the fault
    /// of its handler.
    package var failedLookUp: (any Error)? { failure.withLock(\.self) }

    /// The number of changes.
    package var stepCount: Int { steps.withLock { $0.all.count } }

    /// Makes all changes. None can be added afterwards. After a rollback, another transaction can make them again.
    func perform(in transaction: DatabaseTransaction) throws {
        let all = steps.withLock { steps in
            steps.isOpen = false
            return steps.all
        }
        for step in all { try step(transaction) }
    }

    /// Makes all changes, and separates errors of the steps from those of the database.
    ///
    /// - Throws: `EffectsError` with the step's own error if a step throws, unless the database could not do it.
    package func performAsOne(in transaction: DatabaseTransaction) throws {
        if hasEntries { return try perform(in: transaction) }
        do {
            try perform(in: transaction)
            try transaction.checkForeignKeys()
        } catch {
            throw transaction.couldNotDo(error) ? error : EffectsError(error)
        }
    }
}

extension StanzaDatabase {
    /// Runs `body`, and then makes the collected changes in one transaction. If `body` throws, makes none.
    ///
    /// ```swift
    /// try await database.collect { changes in
    ///     try await handlers.call(handler, ["words": "done", "changes": changes])
    /// }
    /// ```
    ///
    /// - Throws: The errors of `body` and of the changes; a `StanzaDatabaseError`.
    @discardableResult
    public func collect<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (DatabaseWork) async throws -> Result
    ) async throws -> Result {
        try await collect(body) { work, _ in
            do { try await self.make(work) } catch let error as EffectsError {
                throw StanzaDatabaseError.ofStep(error.underlying)
            }
        }
    }

    /// Runs `body`, and then `commit`, which makes the collected changes as a part of its own transaction, such as
    /// `StreamSession.commit(_:with:sending:withdrawing:)`.
    ///
    /// - Throws: The errors of both. A `commit` that throws must not have made any change.
    @discardableResult
    public func collect<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (DatabaseWork) async throws -> Result,
        commit: (DatabaseWork, Result) async throws -> Void
    ) async throws -> Result {
        let work = DatabaseWork(database: self)
        let result = try await work.run { try await body(work) }
        try await commit(work, result)
        return result
    }
}

extension StanzaDatabase: CollectingStore {
    package func addToRunningHandler(_ step: @escaping @Sendable (any PromiseTransaction) throws -> Void) -> Bool {
        guard let work = DatabaseWork.current, work.database === self else { return false }
        return work.addWhileRunning { try step($0.promises) }
    }
}

extension StanzaDatabase {
    /// Begins work that makes several entries, each with ``DatabaseTransaction/makeEntry(_:)``.
    package func beginEntries(
        _ body: @escaping @Sendable (DatabaseTransaction) throws -> Void
    ) throws(StanzaDatabaseError) -> DatabaseWork {
        let work = DatabaseWork(database: self, hasEntries: true)
        try work.add(body)
        return work
    }

    /// Makes the collected changes of work in their own transaction.
    ///
    /// - Throws: `EffectsError` if a change throws, unless the database could not do it.
    package func make(_ work: DatabaseWork) async throws { try await write { try work.performAsOne(in: $0) } }
}

extension DatabaseTransaction {
    /// Makes the changes of one of several entries in a savepoint, and rolls them back if they fail.
    ///
    /// - Returns: The error of a step of the entry's work; `nil` if the entry has succeeded.
    /// - Throws: `UndoneTransaction` if the entry has rolled back the whole transaction; the error of the database,
    ///   which fails the whole transaction.
    package func makeEntry(_ body: () throws -> Void) throws -> (any Error)? {
        do {
            try db.inSavepoint {
                try body()
                return .commit
            }
            return nil
        } catch let error as EffectsError {
            // A statement with `ON CONFLICT ROLLBACK` has undone the entries before, too.
            if db.isInsideTransaction { return error.underlying }
            throw UndoneTransaction(underlying: error.underlying)
        }
    }
}

/// The changes of one entry have rolled back the whole transaction.
package struct UndoneTransaction: Error {
    /// The error of the changes.
    package let underlying: any Error
}

/// The changes that were collected before the work of the current task.
///
/// The task's value is an object: with a closure as the value, release builds of Swift 6.3 crash in `withValue`.
package final class EarlierChanges: Sendable {
    @TaskLocal package static var current: EarlierChanges?

    /// Commits the earlier changes. Each access of the task to a database calls it first, so that a handler sees them.
    /// So does a direct send. Lookups of the session itself do not call it.
    package let commit: @Sendable () async throws -> Void

    package init(commit: @escaping @Sendable () async throws -> Void) { self.commit = commit }

    /// Runs a body outside of the handler that the current task belongs to. A task that the body starts belongs to no
    /// handler, and waits for no earlier changes.
    package static func outside<Result>(_ body: () throws -> Result) rethrows -> Result {
        try DatabaseWork.$current.withValue(nil) { try $current.withValue(nil, operation: body) }
    }
}
