// The database's file is made here, before SQLite would make it: that lets everybody on the machine read what it makes.
// Used by OpenFile.swift.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Makes an empty file that only its user may read and write, if there is none. SQLite gives what it makes beside it,
/// the log and its index, the same mode.
///
/// A file that is there is not even opened: who closes it lets go of the locks that SQLite has on it in this process.
/// What keeps it from being made keeps SQLite from opening it, which says so.
func makePrivateFile(at path: String) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
}
