// Several pieces of work in one transaction: each has a savepoint, so that one that fails does not affect the others.

import StreamManagement
import Synchronization

/// The changes of several entries, in one transaction with a savepoint for each.
package struct DatabaseBatch: Sendable {
    /// Makes the changes of all entries.
    package let work: DatabaseWork
    private let savepoints: Savepoints

    /// Makes the changes of one entry after the other.
    package final class Savepoints: Sendable {
        private let path: String
        private let failure = Mutex<StanzaDatabaseError?>(nil)

        fileprivate init(path: String) { self.path = path }

        fileprivate var error: StanzaDatabaseError? { failure.withLock(\.self) }

        /// Makes the changes of one entry, and rolls them back if they fail.
        ///
        /// - Returns: The error of a step of the entry's work; `nil` if the entry has succeeded.
        /// - Throws: `UndoneTransaction` if the entry has rolled back the whole transaction; the error of the database,
        ///   which fails the whole transaction.
        package func make(in transaction: DatabaseTransaction, _ body: () throws -> Void) throws -> (any Error)? {
            do {
                try transaction.db.inSavepoint {
                    try body()
                    return .commit
                }
                return nil
            } catch let error as EffectsError {
                // A statement with `ON CONFLICT ROLLBACK` has undone the entries before, too.
                guard transaction.db.isInsideTransaction else {
                    throw UndoneTransaction(underlying: error.underlying)
                }
                return error.underlying
            } catch {
                failure.withLock { $0 = StanzaDatabaseError(error, path: path) }
                throw error
            }
        }
    }

    /// - Parameters:
    ///   - database: The database.
    ///   - body: Makes the changes, each entry in a savepoint. It runs once in each attempt to commit.
    package init(
        in database: StanzaDatabase, _ body: @escaping @Sendable (Savepoints, DatabaseTransaction) throws -> Void
    ) throws {
        let savepoints = Savepoints(path: database.path)
        self.savepoints = savepoints
        work = DatabaseWork(database: database)
        try work.add { transaction in try body(savepoints, transaction) }
    }

    /// The error of the database that stopped the transaction.
    package var databaseError: StanzaDatabaseError? { savepoints.error }

    /// Commits the changes in their own transaction, without a stream.
    package func commit() async throws { try await work.database.make(work) }
}

/// The changes of one entry have rolled back the whole transaction.
package struct UndoneTransaction: Error {
    /// The error of the changes.
    package let underlying: any Error
}

/// The changes that were collected before the work of the current task.
///
/// The task's value is an object: with a closure as the value, release builds of Swift 6.3 crash in `withValue`.
package final class UncommittedBatch: Sendable {
    @TaskLocal package static var current: UncommittedBatch?

    /// Commits the batch. Each access of the task to a database calls it first, so that a handler sees the changes of
    /// earlier handlers. So does a direct send. Lookups of the session itself do not call it.
    package let commit: @Sendable () async throws -> Void

    package init(commit: @escaping @Sendable () async throws -> Void) { self.commit = commit }
}
