// Access to the tables in one transaction: this package's by their rules, the application's by GRDB.

import Foundation
import GRDB
import Handlers
public import StreamManagement
public import XMPPCore

/// One transaction. Do not keep it: it ends when its closure returns.
///
/// Its functions, and those of its parts, throw a `StanzaDatabaseError` for a record that cannot be read or stored,
/// errors of GRDB as ``db`` does, and the errors of handlers, promises and session owners that each function documents.
/// `StanzaDatabase.write(_:)`, and every other function that runs a transaction, throws an error of GRDB as a
/// `StanzaDatabaseError`.
public struct DatabaseTransaction {
    /// GRDB's connection, for the application's own tables. Do not change this package's tables with it.
    public let db: Database

    /// Promises: `try promise.fulfill(value, in: transaction.promises)`.
    public var promises: any PromiseTransaction { PromiseTable(database: db) }

    /// Requests that wait for their answers.
    public var requests: RequestTransaction { RequestTransaction(database: db) }

    /// Returns the number of unreadable promises, which functions that return all promises leave out.
    ///
    /// - Throws: An error of GRDB.
    public func unreadablePromises() throws -> Int { try PromiseTable(database: db).unreadableCount() }

    /// Stream management's sessions. The owner of a session changes it with `DatabaseSession.write(_:in:)`.
    public var sessions: SessionTransaction { SessionTransaction(database: db) }
}

extension StanzaDatabase: PromiseStore {
    public func promises(_ ids: [UUID]) async throws -> [UUID: PromiseRecord] {
        try await read { transaction in
            var records: [UUID: PromiseRecord] = [:]
            for id in ids {
                do {
                    records[id] = try transaction.promises.promise(id)
                } catch StanzaDatabaseError.invalidRecord where ids.count > 1 {
                    // The others are readable. A call for this one alone throws.
                }
            }
            return records
        }
    }

    public func allPromises() async throws -> [PromiseRecord] { try await read { try $0.promises.allPromises() } }

    public func promise(key: String) async throws -> PromiseRecord? {
        try await read { try $0.promises.promise(key: key) }
    }

    @discardableResult
    public func writePromises<Result: Sendable>(
        _ body: @escaping @Sendable (any PromiseTransaction) throws -> Result
    ) async throws -> Result {
        try await write { try body($0.promises) }
    }
}

extension StanzaDatabase: MechanismStore {
    public func strongestMechanism(of account: JID) async throws -> String? {
        try await read { try $0.db.value("SELECT strongest FROM stanza_mechanism WHERE account = ?", [account.key]) }
    }

    public func setStrongestMechanism(_ mechanism: String?, of account: JID) async throws {
        try await write { transaction in
            try transaction.db.run("DELETE FROM stanza_mechanism WHERE account = ?", [account.key])
            if let mechanism {
                try transaction.db.run("INSERT INTO stanza_mechanism VALUES (?, ?)", [account.key, mechanism])
            }
        }
    }
}

/// A row that each run tries to handle again, by its number.
package enum RetriedRow: Sendable {
    case request(Int64)
    case heldStanza(Int64)

    fileprivate var place: (table: String, key: String, number: Int64) {
        switch self {
        case .request(let number): ("stanza_request", "serial", number)
        case .heldStanza(let number): ("stanza_held", "number", number)
        }
    }
}

extension DatabaseTransaction {
    /// Counts an attempt until ``endAttempt(_:)``, or until the row is removed. Commit it before the attempt begins
    /// (rule R40).
    ///
    /// - Returns: Whether the attempt may be made: no process survived so many attempts before, or the row is gone.
    package func beginAttempt(_ row: RetriedRow, atMost maximum: Int) throws -> Bool {
        let (table, key, number) = row.place
        try db.run("UPDATE \(table) SET attempts = attempts + 1 WHERE \(key) = ? AND attempts < ?", [number, maximum])
        return db.changesCount > 0
    }

    /// The process has survived the attempt, which may have failed.
    package func endAttempt(_ row: RetriedRow) throws {
        let (table, key, number) = row.place
        try db.run("UPDATE \(table) SET attempts = 0 WHERE \(key) = ?", [number])
    }
}
