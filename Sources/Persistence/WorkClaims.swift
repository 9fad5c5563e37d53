// Claims of handlers that are not in the database yet: they wait for the transaction of their work.
//
// Without them, a second call in this process would run its function before a commit could refuse it.

import Foundation
import Handlers
import Synchronization

/// The claims of all running work of this process on a database.
final class PendingClaims: Sendable {
    private let marks = Mutex<[UUID: HandlerMark]>([:])

    /// Returns the mark that other work is about to set on the handler. Otherwise records this mark, and returns `nil`.
    func take(_ mark: HandlerMark?, of id: UUID) -> HandlerMark? {
        marks.withLock { marks in
            if let other = marks[id] { return other }
            marks[id] = mark
            return nil
        }
    }

    func giveBack(_ ids: [UUID]) {
        marks.withLock { marks in
            for id in ids { marks[id] = nil }
        }
    }
}

/// The claims of one piece of work.
final class WorkClaims: Sendable {
    private struct State {
        /// The claims, in order.
        var claims: [(claim: HandlerClaim, id: UUID)] = []
        /// Whether the work can claim more handlers.
        var isOpen = true
        /// The handlers that the database had when they were claimed.
        var stored: Set<UUID> = []
        /// The handlers that the work will store.
        var saved: Set<UUID> = []
        var replays: [UUID] = []
    }

    private let pending: PendingClaims
    private let state = Mutex(State())

    init(_ pending: PendingClaims) { self.pending = pending }

    /// Records a claim.
    ///
    /// - Throws: `HandlerError` if work of this process, this or other, is about to end the handler;
    ///   `StanzaDatabaseError.closed` if the claims were already made.
    func take(_ claim: HandlerClaim, of id: UUID) throws {
        try state.withLock { state in
            if !state.isOpen { throw StanzaDatabaseError.closed }
            if let other = pending.take(claim.mark, of: id) { throw HandlerError(other.error) }
            state.claims.append((claim, id))
        }
    }

    /// Forgets a claim of this work.
    func giveBack(_ claim: HandlerClaim, of id: UUID) {
        let wasNoted = state.withLock { state in
            guard state.isOpen, let index = state.claims.lastIndex(where: { $0 == (claim, id) }) else { return false }
            state.claims.remove(at: index)
            return true
        }
        if wasNoted, claim.mark != nil { pending.giveBack([id]) }
    }

    /// Records that the database has the handler.
    func noteStored(_ id: UUID) { state.withLock { _ = $0.stored.insert(id) } }

    /// Records that the work will store the handlers.
    func noteSaving(_ ids: [UUID]) { state.withLock { $0.saved.formUnion(ids) } }

    /// Whether the work will store the handler.
    func saves(_ id: UUID) -> Bool { state.withLock { $0.saved.contains(id) } }

    /// Whether this work is about to end the handler.
    func contains(_ id: UUID) -> Bool {
        state.withLock { $0.isOpen && $0.claims.contains { $0.id == id && $0.claim.mark != nil } }
    }

    func noteReplay(of id: UUID) { state.withLock { $0.replays.append(id) } }

    /// Writes the claims in the transaction. After a rollback, another transaction can write them again.
    /// - Throws: `HandlerError` if other work has ended or removed one of the handlers.
    func make(in transaction: DatabaseTransaction) throws {
        let (claims, stored) = close()
        for (claim, id) in claims {
            let mark = try transaction.handlers.claim(claim, of: id, wasStored: stored.contains(id))
            if let mark { throw HandlerError(mark.error) }
        }
    }

    /// Closes the list of claims. Returns the handlers that the claims end, the handlers that the work stores, and the
    /// handlers whose calls it replays.
    func end() -> (claimed: [UUID], saved: [UUID], replays: [UUID]) {
        let claims = close().claims
        return state.withLock { state in
            (claims.filter { $0.claim.mark != nil }.map(\.id), Array(state.saved), state.replays)
        }
    }

    private func close() -> (claims: [(claim: HandlerClaim, id: UUID)], stored: Set<UUID>) {
        state.withLock { state in
            state.isOpen = false
            return (state.claims, state.stored)
        }
    }
}
