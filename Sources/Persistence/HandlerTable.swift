// The tables of handlers: their data, their ends and their deferred calls. The rules are those of Handlers' own stores,
// in SQL; the StoreTests of both check the same.

import Foundation
import GRDB
import Handlers

/// Handlers within one transaction.
///
/// Each function also throws errors of GRDB. See ``DatabaseTransaction``.
public struct HandlerTransaction {
    let database: Database

    /// Stores a handler, and replaces the stored data of its identity. Marks and deferral stay.
    ///
    /// - Throws: `StanzaDatabaseError.recordTooLarge`.
    public func save(_ handler: StoredHandler) throws {
        let id = handler.id.data
        try [handler.description.databaseValue, handler.data.databaseValue].checkStorable(table: "stanza_handler")
        try statement(
            """
            INSERT INTO stanza_handler (id, description, data) VALUES (?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET description = excluded.description, data = excluded.data
            """
        ).execute(arguments: [id, handler.description, handler.data])
        let before = try nested(in: id)
        try statement("DELETE FROM stanza_handlerNesting WHERE outer = ?").execute(arguments: [id])
        for (position, inner) in handler.nested.enumerated() {
            try statement("INSERT INTO stanza_handlerNesting (outer, position, inner) VALUES (?, ?, ?)")
                .execute(arguments: [id, position, inner.data])
        }
        try forgetMarks(of: before)
        if let deferral = handler.deferral, try self.handler(handler.id)?.deferral == nil {
            try setDeferral(id, deferral.reason, since: deferral.since)
            for call in deferral.calls { try add(call.data, to: id) }
        }
    }

    /// Returns the stored handler with this identity.
    ///
    /// - Throws: `StanzaDatabaseError.invalidRecord` if it is unreadable.
    public func handler(_ id: UUID) throws -> StoredHandler? {
        try Row.fetchOne(statement("SELECT * FROM stanza_handler WHERE id = ?"), arguments: [id.data]).map(handler)
    }

    /// Returns all stored handlers but unreadable ones: one damaged row must not make the call fail.
    /// `DatabaseTransaction.unreadableRecords()` counts those.
    public func handlers() throws -> [StoredHandler] { try allRows().readable }

    func unreadableCount() throws -> Int { try allRows().unreadable }

    private func allRows() throws -> (readable: [StoredHandler], unreadable: Int) {
        var result: (readable: [StoredHandler], unreadable: Int) = ([], 0)
        for row in try Row.fetchAll(statement("SELECT * FROM stanza_handler")) {
            do {
                result.readable.append(try handler(row))
            } catch StanzaDatabaseError.invalidRecord {
                result.unreadable += 1
            }
        }
        return result
    }

    /// Removes a handler with its deferred calls.
    public func remove(_ id: UUID) throws {
        let inner = try nested(in: id.data)
        try statement("DELETE FROM stanza_handler WHERE id = ?").execute(arguments: [id.data])
        try forgetMarks(of: inner + [id.data])
    }

    /// Grants a claim unless the handler has ended, and stores its mark.
    ///
    /// A claim that ends the handler also removes a few handlers that ended longer ago than `HandlerLimits.retention`.
    ///
    /// - Returns: `nil` if the claim is granted; otherwise the mark of the earlier end.
    /// - Throws: `HandlerError` of kind `notStored` for a handler that was stored and exists no more.
    public func claim(
        _ claim: HandlerClaim, of id: UUID, wasStored: Bool, at now: Date = Date()
    ) throws -> HandlerMark? {
        if let mark = try mark(of: id) { return mark }
        let isKnown = try isKnown(id.data)
        if wasStored, !isKnown { throw HandlerError(.notStored) }
        let words: (isCall: Bool, reason: String?)? =
            switch claim.mark {
            case nil: nil
            case .called: (true, nil)
            case .invalidated(let reason): (false, reason.rawValue)
            }
        guard let words, isKnown else { return nil }
        try [words.reason.databaseValue].checkStorable(table: "stanza_handlerMark")
        try removeEnded(at: now)
        try statement("INSERT INTO stanza_handlerMark (id, isCall, reason, ended) VALUES (?, ?, ?, ?)")
            .execute(arguments: [id.data, words.isCall, words.reason, now.timeIntervalSince1970])
        return nil
    }

    /// Removes handlers whose retention is over. One end removes several, so the table does not grow.
    private func removeEnded(at now: Date) throws {
        let now = now.timeIntervalSince1970
        let oldest = now - HandlerLimits.retention
        // An end later than now dates from before the clock was set back.
        let ends = try Row.fetchAll(
            statement("SELECT id, ended FROM stanza_handlerMark WHERE ended <= ? OR ended > ? LIMIT ?"),
            arguments: [oldest, now, PersistenceLimits.endedBatch])
        for row in ends {
            let reader = RowReader(row, table: "stanza_handlerMark")
            guard let id = try? reader.uuid("id") else {
                // No handler has such an identity, and an unreadable mark must not make the end of another one fail.
                try statement("DELETE FROM stanza_handlerMark WHERE id = ?").execute(arguments: [
                    row["id"] as DatabaseValue
                ])
                continue
            }
            if try reader.value("ended") <= oldest { try remove(id) }
            // A mark of a handler that is bound to another one gets another retention.
            try statement("UPDATE stanza_handlerMark SET ended = ? WHERE id = ?").execute(arguments: [now, id.data])
        }
    }

    /// Returns the marks of ended handlers: of stored ones, and of those bound within stored ones.
    ///
    /// - Throws: `StanzaDatabaseError.invalidRecord` if one is unreadable.
    public func marks(of ids: [UUID]) throws -> [UUID: HandlerMark] {
        var marks: [UUID: HandlerMark] = [:]
        for id in ids { marks[id] = try mark(of: id) }
        return marks
    }

    /// Records that a handler could not be loaded, and its missed call, if any.
    ///
    /// - Throws: `HandlerError` of kind `notStored`, or `tooLarge` for more calls than `HandlerLimits.deferredCalls`;
    ///   `StanzaDatabaseError.recordTooLarge`, or `.invalidRecord` for a handler that is unreadable.
    public func deferHandler(_ id: UUID, reason: String, call: Data?, at now: Date) throws {
        guard let deferral = try handler(id).map(\.deferral) else { throw HandlerError(.notStored) }
        if call != nil, deferral?.calls.count ?? 0 >= HandlerLimits.deferredCalls {
            throw HandlerError(.tooLarge(.deferredCalls, maximum: HandlerLimits.deferredCalls))
        }
        try setDeferral(id.data, reason, since: deferral?.since ?? now)
        if let call { try add(call, to: id.data) }
    }

    /// Removes a deferred call. Returns whether it existed.
    @discardableResult
    public func removeDeferredCall(_ number: Int64, of id: UUID) throws -> Bool {
        try statement("DELETE FROM stanza_deferredCall WHERE number = ? AND handler = ?").execute(arguments: [
            number, id.data,
        ])
        return database.changesCount > 0
    }

    /// The token of the database that replays the handler's deferred calls. Its process may have ended.
    func replayer(of id: UUID) throws -> Int64? {
        try Int64.fetchOne(statement("SELECT replayer FROM stanza_handler WHERE id = ?"), arguments: [id.data])
    }

    func setReplayer(of id: UUID, to token: Int64?) throws {
        try statement("UPDATE stanza_handler SET replayer = ? WHERE id = ?").execute(arguments: [token, id.data])
    }

    /// Records that a handler could be loaded. Does nothing while calls are deferred.
    public func endDeferral(_ id: UUID) throws {
        try statement(
            """
            UPDATE stanza_handler SET deferralReason = NULL, deferredSince = NULL
            WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM stanza_deferredCall WHERE handler = ?1)
            """
        ).execute(arguments: [id.data])
    }

    // MARK: Rows

    private func statement(_ sql: String) throws -> Statement { try database.cachedStatement(sql: sql) }

    private func handler(_ row: Row) throws -> StoredHandler {
        let reader = RowReader(row, table: "stanza_handler")
        let id = try reader.uuid("id")
        var deferral: StoredHandler.Deferral?
        if let reason: String = try reader.optional("deferralReason") {
            let calls = try Row.fetchAll(
                statement("SELECT number, call FROM stanza_deferredCall WHERE handler = ? ORDER BY number"),
                arguments: [id.data]
            ).map { row in
                let reader = RowReader(row, table: "stanza_deferredCall")
                return StoredHandler.Call(number: try reader.value("number"), data: try reader.value("call"))
            }
            deferral = StoredHandler.Deferral(reason: reason, since: try reader.date("deferredSince"), calls: calls)
        }
        let inner = try nested(in: id.data).map { try UUID(stored: $0, table: "stanza_handlerNesting") }
        return StoredHandler(
            id: id, description: try reader.value("description"), data: try reader.value("data"), nested: inner,
            deferral: deferral)
    }

    private func nested(in outer: Data) throws -> [Data] {
        try Data.fetchAll(
            statement("SELECT inner FROM stanza_handlerNesting WHERE outer = ? ORDER BY position"), arguments: [outer])
    }

    private func mark(of id: UUID) throws -> HandlerMark? {
        let row = try Row.fetchOne(
            statement("SELECT isCall, reason FROM stanza_handlerMark WHERE id = ?"), arguments: [id.data])
        guard let row else { return nil }
        let reader = RowReader(row, table: "stanza_handlerMark")
        if try reader.value("isCall") { return .called }
        return .invalidated(InvalidationReason(rawValue: try reader.value("reason")))
    }

    /// Whether this handler is stored, by itself or bound within another one.
    func isKnown(_ id: UUID) throws -> Bool { try isKnown(id.data) }

    private func isKnown(_ id: Data) throws -> Bool {
        try Bool.fetchOne(
            statement(
                """
                SELECT EXISTS (SELECT 1 FROM stanza_handler WHERE id = ?1)
                    OR EXISTS (SELECT 1 FROM stanza_handlerNesting WHERE inner = ?1)
                """), arguments: [id]) ?? false
    }

    /// Removes the marks of handlers that are not stored any more, neither by themselves nor within others.
    private func forgetMarks(of ids: [Data]) throws {
        for id in ids where try !isKnown(id) {
            try statement("DELETE FROM stanza_handlerMark WHERE id = ?").execute(arguments: [id])
        }
    }

    private func setDeferral(_ id: Data, _ reason: String, since date: Date) throws {
        try [reason.databaseValue].checkStorable(table: "stanza_handler")
        try statement("UPDATE stanza_handler SET deferralReason = ?, deferredSince = ? WHERE id = ?")
            .execute(arguments: [reason, date.timeIntervalSince1970, id])
    }

    private func add(_ call: Data, to id: Data) throws {
        try [call.databaseValue].checkStorable(table: "stanza_deferredCall")
        try statement("INSERT INTO stanza_deferredCall (handler, call) VALUES (?, ?)").execute(arguments: [id, call])
    }
}
