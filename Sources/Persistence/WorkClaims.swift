// Claims of handlers that are not made yet: they wait for the transaction of the work that wants them.

import Foundation
import Handlers
import Synchronization

/// The claims of all work that this process has in hand on a database.
final class PendingClaims: Sendable {
    private let marks = Mutex<[UUID: HandlerMark]>([:])

    /// What other work wants to leave on the handler; `nil` if there is none, and then the mark is noted.
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
        /// In their order; `nil` once they were made.
        var claims: [(claim: HandlerClaim, id: UUID)]? = []
        var made: [UUID] = []
        var replays: [UUID] = []
    }

    private let pending: PendingClaims
    private let state = Mutex(State())

    init(_ pending: PendingClaims) { self.pending = pending }

    /// Notes a claim that leaves a mark.
    /// - Throws: `HandlerError` if work of this process, this or other, is about to end the handler;
    ///   `StanzaDatabaseError.closed` when the claims were made already.
    func take(_ claim: HandlerClaim, of id: UUID) throws {
        try state.withLock { state in
            if state.claims == nil { throw StanzaDatabaseError.closed }
            if let other = pending.take(claim.mark, of: id) { throw HandlerError(other.error) }
            if claim.mark != nil { state.claims?.append((claim, id)) }
        }
    }

    /// Forgets a claim of this work.
    func giveBack(_ id: UUID) {
        let wasNoted = state.withLock { state in
            guard let index = state.claims?.firstIndex(where: { $0.id == id }) else { return false }
            state.claims?.remove(at: index)
            return true
        }
        if wasNoted { pending.giveBack([id]) }
    }

    /// Whether this work is about to end the handler.
    func contains(_ id: UUID) -> Bool { state.withLock { $0.claims?.contains { $0.id == id } ?? false } }

    func noteReplay(of id: UUID) { state.withLock { $0.replays.append(id) } }

    /// Makes the claims.
    /// - Throws: `HandlerError` for a handler that somebody else has ended.
    func make(in transaction: DatabaseTransaction) throws {
        let claims = close()
        for (claim, id) in claims {
            if let mark = try transaction.handlers.claim(claim, of: id) { throw HandlerError(mark.error) }
        }
    }

    /// The handlers that were claimed, and those whose calls were replayed.
    func end() -> (claimed: [UUID], replays: [UUID]) {
        _ = close()
        return state.withLock { ($0.made, $0.replays) }
    }

    private func close() -> [(claim: HandlerClaim, id: UUID)] {
        state.withLock { state in
            let claims = state.claims ?? []
            state.made += claims.map(\.id)
            state.claims = nil
            return claims
        }
    }
}
