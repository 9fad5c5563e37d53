// Whose fault it is when a step of a transaction fails, and what would fail when it is committed.

import Foundation
import GRDB
import GRDBSQLite

extension DatabaseTransaction {
    /// Asks now what SQLite asks when the transaction is committed: whether foreign keys are violated whose check was
    /// put off. By then it is too late to blame whoever has done it.
    ///
    /// - Throws: `StanzaDatabaseError.failed` with the code that committing would fail with.
    func checkForeignKeys() throws {
        var isViolated: CInt = 0
        var unused: CInt = 0
        let code = sqlite3_db_status(database.sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &isViolated, &unused, 0)
        if code == SQLITE_OK, isViolated != 0 {
            throw StanzaDatabaseError.failed(code: Int(ResultCode.SQLITE_CONSTRAINT_FOREIGNKEY.rawValue))
        }
    }

    /// Whether a step that threw this has failed because this database could not do it, and not because of what was
    /// wanted, or of another database.
    func couldNotDo(_ error: any Error) -> Bool {
        guard let thrown = error as? DatabaseError else { return false }
        switch StanzaDatabaseError(thrown, path: "") {
        case .full?: return isLastError(thrown) || hasRolledBack || hasLittleRoom
        case .corrupt?, .unreadable?: return isLastError(thrown) || hasRolledBack
        // Whatever else is wrong with the disk.
        case .failed? where thrown.resultCode == .SQLITE_IOERR: return isLastError(thrown) || hasRolledBack
        // Whoever is in a transaction that writes waits for nobody.
        case .busy?: return false
        case .newerVersion?, .olderVersion?, .foreign?, .invalidRecord?, .recordTooLarge?, .failed?, .frozen?, .closed?,
            nil:
            return false
        }
    }

    /// Whether the last call on this connection came to the same. After the rollback to a savepoint, or what else is
    /// done before an error is thrown again, SQLite does not know it any more.
    private func isLastError(_ thrown: DatabaseError) -> Bool {
        [thrown.extendedResultCode, thrown.resultCode].contains(database.lastErrorCode)
    }

    /// Whether SQLite has undone the transaction by itself, which it does for nothing but such failures.
    private var hasRolledBack: Bool { !database.isInsideTransaction }

    /// Whether there is less room in this database, or on its disk, than one stanza may take.
    private var hasLittleRoom: Bool {
        func number(_ pragma: String) -> Int {
            (try? Int.fetchOne(database, sql: "PRAGMA \(pragma)")).flatMap(\.self) ?? 0
        }
        let pages = number("max_page_count") - number("page_count") + number("freelist_count")
        let (room, isUnlimited) = pages.multipliedReportingOverflow(by: number("page_size"))
        if !isUnlimited, room < PersistenceLimits.stanzaRoom { return true }
        let file = "SELECT file FROM pragma_database_list WHERE name = 'main'"
        guard let path = try? String.fetchOne(database, sql: file),
            let free = try? FileManager.default.attributesOfFileSystem(forPath: path)[.systemFreeSize] as? NSNumber
        else { return false }
        return free.intValue < PersistenceLimits.stanzaRoom
    }
}
