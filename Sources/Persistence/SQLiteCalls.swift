// Functions of SQLite that GRDB does not offer. `GRDBSQLite` is imported only here.

import GRDBSQLite
import Locking

enum SQLiteCalls {
    /// Whether rows violate foreign keys whose check SQLite defers to the commit.
    static func violatesForeignKeys(_ connection: OpaquePointer?) -> Bool {
        var isViolated: CInt = 0
        var unused: CInt = 0
        let code = sqlite3_db_status(connection, SQLITE_DBSTATUS_DEFERRED_FKS, &isViolated, &unused, 0)
        return code == SQLITE_OK && isViolated != 0
    }

    /// Whether SQLite does not get a megabyte of memory. The memory is not written to, so it stays unused.
    static func lacksMemory() -> Bool {
        let memory = sqlite3_malloc64(1 << 20)
        sqlite3_free(memory)
        return memory == nil
    }

    /// Whether the path of the main database no longer names the file that was opened. SQLite compares the file
    /// numbers, with one call of the system.
    static func hasMoved(_ connection: OpaquePointer?) -> Bool {
        var hasMoved: CInt = 0
        let code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code == SQLITE_OK && hasMoved != 0
    }

    /// Makes the last connection remove the log when it closes. The SQLite of some systems keeps it, and the next
    /// opening would take it for that of a file that was replaced in between.
    static func removeLogAtClose(_ connection: OpaquePointer?) {
        var isPersistent: CInt = 0
        _ = sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &isPersistent)
    }

    /// Notes the pages in the log after each commit, and copies none. The result must outlive the connection.
    static func noteLogLength(of connection: OpaquePointer?) -> Lock<Int> {
        let length = Lock(0)
        _ = sqlite3_wal_hook(connection, { SQLiteCalls.note($3, in: $0) }, Unmanaged.passUnretained(length).toOpaque())
        return length
    }

    private static func note(_ pages: CInt, in length: UnsafeMutableRawPointer?) -> CInt {
        length.map { Unmanaged<Lock<Int>>.fromOpaque($0).takeUnretainedValue() }?.withLock { $0 = Int(pages) }
        return SQLITE_OK
    }

    /// Lets the running statements of a connection fail, from any thread.
    static func interrupt(_ connection: OpaquePointer?) { sqlite3_interrupt(connection) }

    /// Reads the first bytes of a file, as zeros where the file is shorter; `nil` if it cannot be read.
    ///
    /// If this process opened and closed the file without SQLite, that would release SQLite's locks on the file.
    static func beginning(of path: String, count: Int) -> [UInt8]? {
        withFile(path, SQLITE_OPEN_READONLY) { file, methods in
            guard let read = methods.xRead else { return nil }
            var bytes = [UInt8](repeating: 0, count: count)
            let code = read(file, &bytes, CInt(count), 0)
            return code == SQLITE_OK || code == shortRead ? bytes : nil
        }
    }

    /// Whether a connection of this process or another one has locked the file. In WAL mode a connection locks it
    /// until it is closed.
    static func isInUse(_ path: String) -> Bool {
        let isInUse: Bool? = withFile(path, SQLITE_OPEN_READWRITE) { file, methods in
            guard let lock = methods.xLock, let unlock = methods.xUnlock else { return nil }
            defer { _ = unlock(file, SQLITE_LOCK_NONE) }
            return lock(file, SQLITE_LOCK_SHARED) == SQLITE_BUSY || lock(file, SQLITE_LOCK_EXCLUSIVE) == SQLITE_BUSY
        }
        return isInUse ?? false
    }

    /// Calls `body` with a file that SQLite has opened, and has not read; `nil` if it cannot be opened.
    private static func withFile<Result>(
        _ path: String, _ flags: CInt, _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Result?
    ) -> Result? {
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        guard sqlite3_open_v2(path, &connection, flags, nil) == SQLITE_OK else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let methods = file.pointee.pMethods?.pointee
        else { return nil }
        return body(file, methods)
    }

    /// `SQLITE_IOERR_SHORT_READ`, a macro that Swift does not import. SQLite has filled the missing bytes with zeros.
    private static let shortRead = SQLITE_IOERR | (2 << 8)
}
