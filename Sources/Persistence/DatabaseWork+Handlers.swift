// The store of handlers that takes part in the work's transaction. If the process is killed before the transaction, no
// handler counts as called, and the calls can be made again.

import Foundation
import Handlers

/// A store of handlers whose changes commit with the work. Claims come first: the called mark of a single-shot handler,
/// or an invalidation.
///
/// Reads return the state of the database with the changes of earlier stanzas, without the changes that this work has
/// collected. If several processes call a single-shot handler at once, each runs it, but only one makes its changes.
/// The work of the others fails as a whole.
///
/// Its functions throw `StanzaDatabaseError`. Those that read also throw `CancellationError` in a canceled task.
extension DatabaseWork: HandlerStore, ProvisionalClaims {
    /// The work itself, as `changes`.
    public var arguments: HandlerArguments { ["changes": self] }

    public func save(_ handler: StoredHandler) throws(StanzaDatabaseError) {
        try add { try $0.handlers.save(handler) }
        claims.noteSaving([handler.id] + handler.nested)
    }

    public func handler(_ id: UUID) async throws -> StoredHandler? {
        try await UncommittedBatch.current?.commit()
        return try await lookUp { try await $0.handler(id) }
    }

    public func handlers() async throws -> [StoredHandler] {
        try await UncommittedBatch.current?.commit()
        return try await lookUp { try await $0.handlers() }
    }

    public func remove(_ id: UUID) throws(StanzaDatabaseError) { try add { try $0.handlers.remove(id) } }

    public func marks(of ids: [UUID]) async throws -> [UUID: HandlerMark] {
        try await UncommittedBatch.current?.commit()
        return try await lookUp { try await $0.marks(of: ids) }
    }

    /// Grants a claim until the work ends, unless the handler has ended. A handler that the database has now must still
    /// exist when the changes are made.
    ///
    /// - Throws: `HandlerError` if other work of this process is about to end the handler, or if the handler was stored
    ///   and exists no more; the errors of a lookup.
    public func claim(_ claim: HandlerClaim, of id: UUID, wasStored: Bool) async throws -> HandlerMark? {
        try claims.take(claim, of: id)
        do {
            // Read the mark after taking the claim: earlier work that held the claim may have ended the handler.
            let (earlier, isStored) = try await lookUp { database in
                try await database.read { try ($0.handlers.marks(of: [id])[id], $0.handlers.isKnown(id)) }
            }
            if isStored { claims.noteStored(id) }
            if wasStored, !isStored, !claims.saves(id) { throw HandlerError(.notStored) }
            if earlier != nil { claims.giveBack(claim, of: id) }
            return earlier
        } catch {
            claims.giveBack(claim, of: id)
            throw error
        }
    }

    package func hasClaimed(_ id: UUID) -> Bool { claims.contains(id) }

    public func deferHandler(_ id: UUID, reason: String, call: Data?) throws(StanzaDatabaseError) {
        let now = Date()
        try add { try $0.handlers.deferHandler(id, reason: reason, call: call, at: now) }
    }

    /// Lends the deferred calls to this work until it ends.
    public func beginReplay(of id: UUID) async throws -> StoredHandler? {
        guard let handler = try await database.beginReplay(of: id) else { return nil }
        claims.noteReplay(of: id)
        return handler
    }

    public func endReplay(of id: UUID) {}

    /// Removes a deferred call when the work commits. If other work has removed the call before, this work fails and
    /// none of its changes are made.
    ///
    /// - Throws: `StanzaDatabaseError.closed` if the transaction has already begun.
    public func removeDeferredCall(_ number: Int64, of id: UUID) throws(StanzaDatabaseError) {
        try add { transaction in
            if try !transaction.handlers.removeDeferredCall(number, of: id) { throw HandlerError(.notStored) }
        }
    }

    public func endDeferral(_ id: UUID) throws(StanzaDatabaseError) { try add { try $0.handlers.endDeferral(id) } }

    /// Gives back the claims and loans of the work, after the transaction or instead of it. Call it once.
    package func end(isCommitted: Bool) async {
        let (ids, saved, replays) = claims.end()
        // First: a caller that finds a handler ended must also find its claim.
        if isCommitted { HandlerDispatcher.keepClaims(of: ids) } else { HandlerDispatcher.releaseClaims(of: ids) }
        if isCommitted { HandlerDispatcher.noteStored(saved) }
        database.pendingClaims.giveBack(ids)
        if replays.isEmpty { return }
        let database = database
        // A canceled task has to do this, too. If it fails, the loan lasts as long as the process.
        await Task {
            for id in replays { try? await database.endReplay(of: id) }
        }.value
    }
}
