// The interface between promises and their store: transactions over records, and notifications of changes.
//
// A store has no rules: it reads and writes records, and isolates each transaction. MemoryPromiseStore.swift is the
// shortest store. The module Persistence has the store that processes share.

import Foundation

/// Reads and writes the records of promises in one transaction.
///
/// All changes of a transaction become visible together, or none does. It must not be used after its end.
///
/// Its functions throw the errors of the store.
public protocol PromiseTransaction {
    /// The promise with this identity.
    func promise(_ id: UUID) throws -> PromiseRecord?
    /// The promise with this key.
    func promise(key: String) throws -> PromiseRecord?
    /// Adds a promise.
    /// - Throws: `PromiseError.keyTaken` if another one has its key; the errors of the store.
    func insert(_ record: PromiseRecord) throws
    /// Replaces the mutable fields of a promise: its time of creation, outcome and acknowledgement.
    func update(_ record: PromiseRecord) throws
    /// Removes a promise, if it exists.
    func remove(_ id: UUID) throws
    /// Returns at most `limit` pending promises whose deadline has passed, or that were created later than now. Here
    /// and below, records that cannot be read are left out: one damaged record must not fail a query for many.
    func duePromises(at now: Date, limit: Int) throws -> [PromiseRecord]
    /// Returns at most `limit` promises that have expired.
    func expiredPromises(at now: Date, limit: Int) throws -> [PromiseRecord]
    /// All promises, the oldest first.
    func allPromises() throws -> [PromiseRecord]
    /// Removes at most `limit` promises that cannot be read. Returns their identities and keys, as far as these are
    /// readable.
    func removeDamaged(limit: Int) throws -> [DamagedPromise]
    /// The last noted moment; `nil` if it does not exist or cannot be read.
    func lastMoment() throws -> PromiseMoment?
    /// Replaces the last moment.
    func note(_ moment: PromiseMoment) throws
}

/// An error of a store. It may concern a single record, and the others remain usable then.
package protocol PromiseStoreError: Error {
    /// Whether only one record cannot be read.
    var isOfOneRecord: Bool { get }
    /// Whether the store is frozen. It does nothing until it is unfrozen, and reports that as a change.
    var isFrozen: Bool { get }
}

/// A store whose handlers collect changes, for one transaction after they have returned.
package protocol CollectingStore: PromiseStore {
    /// Adds a step to the changes of the handler that runs in the current task.
    ///
    /// - Returns: `false` if none runs, or its changes are for another store.
    func addToRunningHandler(_ step: @escaping @Sendable (any PromiseTransaction) throws -> Void) -> Bool
}

/// Keeps promises.
///
/// Freeze the store before the system suspends your process. The store releases its own locks, and tasks that wait for
/// a promise keep waiting.
///
/// Its functions throw the errors of the store (busy, full, corrupt), which promises throw unchanged.
public protocol PromiseStore: Sendable {
    /// Returns the promises with these identities as they are now, without a lock that blocks others. Waiting tasks
    /// call this method repeatedly, and their process may be suspended during the call.
    func promises(_ ids: [UUID]) async throws -> [UUID: PromiseRecord]

    /// The promise with this key, read in the same way.
    func promise(key: String) async throws -> PromiseRecord?

    /// All promises that can be read, the oldest first, read in the same way.
    func allPromises() async throws -> [PromiseRecord]

    /// Runs `body` as one transaction, and rolls it back if `body` throws.
    ///
    /// - Throws: The errors of `body` and of the store.
    @discardableResult
    func writePromises<Result: Sendable>(
        _ body: @escaping @Sendable (any PromiseTransaction) throws -> Result
    ) async throws -> Result

    /// Yields after commits of this process and of others that may have changed promises: at least once after the last
    /// of several. Ends when the store is closed.
    func changes() -> AsyncStream<Void>
}
