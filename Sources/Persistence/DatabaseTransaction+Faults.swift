// Whose fault it is when a step of a transaction fails, and what would fail when it is committed.

import GRDB
import GRDBSQLite

extension DatabaseTransaction {
    /// Asks now what SQLite asks when the transaction is committed: whether foreign keys are violated whose check was put
    /// off. By then it is too late to blame whoever has done it.
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

    /// Whether a step that threw this has failed because this database could not do it, and not because of what was wanted,
    /// or of another database.
    func couldNotDo(_ error: any Error) -> Bool {
        guard let thrown = error as? DatabaseError else { return false }
        switch StanzaDatabaseError(thrown, path: "") {
        // SQLite keeps what the last call on this connection came to.
        case .full?, .corrupt?, .unreadable?:
            return [thrown.extendedResultCode, thrown.resultCode].contains(database.lastErrorCode)
        // Whoever is in a transaction that writes waits for nobody.
        case .busy?: return false
        case .newerVersion?, .olderVersion?, .invalidRecord?, .recordTooLarge?, .failed?, .frozen?, .closed?, nil:
            return false
        }
    }
}
