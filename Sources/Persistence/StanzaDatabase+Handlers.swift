// The database as a store of handlers: each call is its own transaction.

import Foundation
import Handlers

/// Each function throws `StanzaDatabaseError`, and `CancellationError` in a canceled task. Those that throw errors of
/// handlers, too, document them.
extension StanzaDatabase: HandlerStore {
    public func save(_ handler: StoredHandler) async throws { try await write { try $0.handlers.save(handler) } }

    public func handler(_ id: UUID) async throws -> StoredHandler? { try await read { try $0.handlers.handler(id) } }

    public func handlers() async throws -> [StoredHandler] { try await read { try $0.handlers.handlers() } }

    public func remove(_ id: UUID) async throws { try await write { try $0.handlers.remove(id) } }

    public func marks(of ids: [UUID]) async throws -> [UUID: HandlerMark] {
        try await read { try $0.handlers.marks(of: ids) }
    }

    /// Grants a claim unless the handler has ended, and stores its mark.
    ///
    /// - Throws: `HandlerError` of kind `notStored` for a handler that was stored and exists no more.
    public func claim(_ claim: HandlerClaim, of id: UUID, wasStored: Bool) async throws -> HandlerMark? {
        try await write { try $0.handlers.claim(claim, of: id, wasStored: wasStored) }
    }

    /// Records that a handler could not be loaded, and its missed call, if any.
    ///
    /// - Throws: `HandlerError` of kind `notStored`, or `tooLarge` for more calls than `HandlerLimits.deferredCalls`.
    public func deferHandler(_ id: UUID, reason: String, call: Data?) async throws {
        try await write { try $0.handlers.deferHandler(id, reason: reason, call: call, at: Date()) }
    }

    public func beginReplay(of id: UUID) async throws -> StoredHandler? {
        let token = try replayToken()
        return try await write { [owners] transaction in
            guard let stored = try transaction.handlers.handler(id), stored.deferral != nil else { return nil }
            if let other = try transaction.handlers.replayer(of: id), try owners.lives(other) { return nil }
            try transaction.handlers.setReplayer(of: id, to: token)
            return stored
        }
    }

    public func endReplay(of id: UUID) async throws { try await write { try $0.handlers.setReplayer(of: id, to: nil) } }

    public func removeDeferredCall(_ number: Int64, of id: UUID) async throws {
        try await write { try $0.handlers.removeDeferredCall(number, of: id) }
    }

    public func endDeferral(_ id: UUID) async throws { try await write { try $0.handlers.endDeferral(id) } }
}
