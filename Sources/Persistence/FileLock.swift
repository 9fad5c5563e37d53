// A lock between processes, which the system releases when its holder dies.

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A lock on a file, exclusive or shared. The file is created if it does not exist. Holders in one process exclude each
/// other like holders in two.
struct FileLock {
    private let descriptor: CInt

    /// Waits for the exclusive lock.
    ///
    /// - Throws: `StanzaDatabaseError.busy` after `timeout` seconds; the error of a file that cannot be created.
    init(path: String, timeout: TimeInterval) throws(StanzaDatabaseError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw StanzaDatabaseError(opening: path, errno) }
        let deadline = ContinuousClock.now + .seconds(timeout)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno != EWOULDBLOCK && errno != EINTR || ContinuousClock.now > deadline {
                close(descriptor)
                throw .busy
            }
            usleep(5000)
        }
    }

    /// Shares the lock with others.
    ///
    /// - Throws: `StanzaDatabaseError.busy` if another holder has the exclusive lock; `.unreadable` if the file cannot
    ///   be created.
    init(sharing path: String) throws(StanzaDatabaseError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw StanzaDatabaseError(opening: path, errno) }
        while flock(descriptor, LOCK_SH | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            close(descriptor)
            throw .busy
        }
    }

    /// Shares the lock with others from now on.
    func share() { while flock(descriptor, LOCK_SH) != 0 && errno == EINTR {} }

    /// Closing alone releases nothing while a process that is being started has a copy of the descriptor.
    func release() {
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Reads the beginning of the lock's file: fewer bytes than `count` if the file is shorter.
    func read(count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let length = pread(descriptor, &bytes, count, 0)
        return Array(bytes.prefix(max(length, 0)))
    }

    /// Replaces the content of the lock's file by as many bytes as it had, or more. If that fails, the file becomes
    /// empty. The bytes are on the disk afterwards: after a power loss, old ones would describe other files.
    func write(_ bytes: [UInt8]) {
        if pwrite(descriptor, bytes, bytes.count, 0) != bytes.count { ftruncate(descriptor, 0) }
        flush(descriptor)
    }
}

/// Waits until the disk holds the written data. Darwin's `fsync` can leave the data in the drive's cache, so Darwin
/// tries `F_FULLFSYNC` first; file systems that lack it get `fsync`.
private func flush(_ descriptor: CInt) {
    #if canImport(Darwin)
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    _ = fsync(descriptor)
}
