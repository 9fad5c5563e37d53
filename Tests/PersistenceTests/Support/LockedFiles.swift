// The locks that other processes hold on a database.

import Foundation

/// Returns the files of a database on which another process holds a lock, by the ends of their names.
///
/// This process must not have the database open: closing a file releases the process's own locks on it.
func lockedFiles(of path: String) throws -> [String] {
    try ["", "-wal", "-shm", ".lock", ".users", ".owners"].filter { end in
        let descriptor = open(path + end, O_RDWR | O_CLOEXEC)
        // SQLite removes its log and the log's index.
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // The whole file, however long it becomes.
        var range = flock()
        range.l_type = numericCast(F_WRLCK)
        range.l_whence = numericCast(SEEK_SET)
        guard fcntl(descriptor, F_GETLK, &range) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        if CInt(range.l_type) != CInt(F_UNLCK) { return true }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { return true }
        _ = flock(descriptor, LOCK_UN)
        return false
    }
}
