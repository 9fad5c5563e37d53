// Access to the tables in one transaction: this package's by their rules, the application's by GRDB.

import Darwin
import Foundation
import GRDB
import Glibc
import Musl
import Promises
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

#if canImport(Glibc)
#elseif canImport(Musl)
#else
#endif

/// A resource that a system may lack for a while.
enum ScarceResource {
    case memory, temporaryFiles, descriptors

    var isLacking: Bool {
        switch self {
        // As many as SQLite needs: the file, its log and the index of the log.
        case .descriptors:
            let opened = (0..<3).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
            for descriptor in opened where descriptor >= 0 { close(descriptor) }
            return opened.contains { $0 < 0 }
        case .memory: return SQLiteCalls.lacksMemory()
        // In a transaction, SQLite opens only temporary files. There may be too many open files, or a locked device
        // protects the folder.
        case .temporaryFiles:
            var path = FileManager.default.temporaryDirectory.path.utf8CString.dropLast() + "/stanza-XXXXXX".utf8CString
            return path.withUnsafeMutableBufferPointer { path in
                guard let start = path.baseAddress else { return true }
                let descriptor = mkstemp(start)
                if descriptor < 0 { return true }
                unlink(start)
                close(descriptor)
                return false
            }
        }
    }
}

extension DatabaseTransaction {
    /// Checks the foreign keys now whose check SQLite defers to the commit. At the commit it is too late to blame the
    /// step at fault.
    ///
    /// - Throws: `StanzaDatabaseError.failed` with the code that committing would fail with.
    func checkForeignKeys() throws {
        if SQLiteCalls.violatesForeignKeys(db.sqliteConnection) {
            throw StanzaDatabaseError.failed(code: Int(ResultCode.SQLITE_CONSTRAINT_FOREIGNKEY.rawValue))
        }
    }

    /// Whether a step failed because this database could not do it, not because of the step's request or of another
    /// database.
    ///
    /// - Parameter lacks: Whether the system lacks a resource now.
    func couldNotDo(_ error: any Error, lacks: (ScarceResource) -> Bool = { $0.isLacking }) -> Bool {
        guard let thrown = error as? DatabaseError else { return false }
        let error = StanzaDatabaseError(thrown, path: "")
        switch error {
        case .full?: return isLastError(thrown) || hasRolledBack || hasLittleRoom
        case .corrupt?, .unreadable?, .readOnlyVolume?: return isLastError(thrown) || hasRolledBack
        // A step can need more memory than there ever is.
        case .failed? where [.SQLITE_NOMEM, .SQLITE_IOERR_NOMEM].contains(thrown.extendedResultCode):
            return lacks(.memory)
        // A step can name a file that does not exist.
        case .failed? where thrown.resultCode == .SQLITE_CANTOPEN: return lacks(.temporaryFiles)
        case .tooManyOpenFiles?, .deviceLocked?, .frozen?: return true
        // Any other failure of the disk.
        case .failed? where thrown.resultCode == .SQLITE_IOERR || error?.isTemporary == true:
            return isLastError(thrown) || hasRolledBack
        // A transaction that writes does not wait for other processes, so a busy database is another one.
        default: return false
        }
    }

    /// Whether the last call on this connection failed with the same code. After a rollback to a savepoint, or other
    /// calls before the error is thrown again, SQLite has forgotten the code.
    private func isLastError(_ thrown: DatabaseError) -> Bool {
        [thrown.extendedResultCode, thrown.resultCode].contains(db.lastErrorCode)
    }

    /// Whether SQLite has rolled back the transaction by itself, which it does only after such failures.
    private var hasRolledBack: Bool { !db.isInsideTransaction }

    /// Whether this database, or its disk, has less room than one stanza may take.
    private var hasLittleRoom: Bool {
        func number(_ pragma: String) -> Int {
            (try? Int.fetchOne(db, sql: "PRAGMA \(pragma)")).flatMap(\.self) ?? 0
        }
        let pages = number("max_page_count") - number("page_count") + number("freelist_count")
        let (room, isUnlimited) = pages.multipliedReportingOverflow(by: number("page_size"))
        if !isUnlimited, room < PersistenceLimits.stanzaRoom { return true }
        let file = "SELECT file FROM pragma_database_list WHERE name = 'main'"
        guard let path = try? String.fetchOne(db, sql: file),
            let free = try? FileManager.default.attributesOfFileSystem(forPath: path)[.systemFreeSize] as? NSNumber
        else { return false }
        return free.intValue < PersistenceLimits.stanzaRoom
    }
}
