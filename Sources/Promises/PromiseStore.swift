// The interface between promises and their store: transactions over records, and notifications of changes.
//
// The rules are not the store's: it reads and writes records, and runs each transaction as if it were alone.
// InMemoryPromiseStore.swift is the shortest one; the module Persistence has the one that processes share.

import Foundation

/// The records of promises inside of one transaction.
///
/// All changes of a transaction become visible together, or none does. It must not be used after its end.
public protocol PromiseTransaction {
    /// The promise with this identity.
    func promise(_ id: UUID) throws -> PromiseRecord?
    /// The promise with this key.
    func promise(key: String) throws -> PromiseRecord?
    /// Adds a promise.
    /// - Throws: `PromiseError.keyTaken` if another one has its key.
    func insert(_ record: PromiseRecord) throws
    /// Replaces the mutable fields of a promise: its time of creation, outcome, consumption and acknowledgement.
    func update(_ record: PromiseRecord) throws
    /// Removes a promise, if it is there.
    func remove(_ id: UUID) throws
    /// Returns at most `limit` pending promises whose deadline has passed, or that were created later than now. Here
    /// and below, records that cannot be read are left out: one damaged record must not fail a query for many.
    func duePromises(at now: Date, limit: Int) throws -> [PromiseRecord]
    /// At most `limit` promises that need not be kept any longer.
    func expiredPromises(at now: Date, limit: Int) throws -> [PromiseRecord]
    /// All promises, the oldest first.
    func allPromises() throws -> [PromiseRecord]
    /// Removes at most `limit` promises that cannot be read. Returns their identities and keys, as far as these are
    /// readable.
    func removeDamaged(limit: Int) throws -> [DamagedPromise]
    /// The moment that was noted last; `nil` if there is none, or none that can be read.
    func lastMoment() throws -> PromiseMoment?
    /// Keeps a moment in place of the last one.
    func note(_ moment: PromiseMoment) throws
}

/// An error of a store that may concern a single record: then the others are served all the same.
package protocol PromiseStoreError: Error {
    /// Whether a record cannot be read, and others can.
    var isOfOneRecord: Bool { get }
    /// Whether the store can do nothing until it is unfrozen, which is a change then.
    var isFrozen: Bool { get }
}

/// Keeps promises.
///
/// An app freezes the store before its process is suspended, and need not do more: the store releases its own locks.
/// Tasks that wait for a promise keep waiting.
///
/// Errors of the store itself (busy, full, corrupt) are thrown unchanged.
public protocol PromiseStore: Sendable {
    /// Returns the promises with these identities as they are now, without a lock that blocks others. Waiting tasks
    /// call this method repeatedly, and their process may be suspended during the call.
    func promises(_ ids: [UUID]) async throws -> [UUID: PromiseRecord]

    /// The promise with this key, read in the same way.
    func promise(key: String) async throws -> PromiseRecord?

    /// All promises that can be read, the oldest first, read in the same way.
    func allPromises() async throws -> [PromiseRecord]

    /// Runs `body` as one transaction, which is undone when it throws.
    @discardableResult
    func writePromises<Result: Sendable>(
        _ body: @escaping @Sendable (any PromiseTransaction) throws -> Result
    ) async throws -> Result

    /// Yields after commits that may have changed promises, of this process and of others: at least once after the
    /// last of several. Ends when the store is closed.
    func changes() -> AsyncStream<Void>
}
