// Decides whose fault a failed step of a transaction is, and finds violations that would fail the commit.

import Foundation
import GRDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
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
