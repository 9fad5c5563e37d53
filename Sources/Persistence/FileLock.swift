// A lock between processes that the system takes back when its holder dies.

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that one process at a time holds.
struct FileLock {
    private let descriptor: CInt

    /// Waits for the lock.
    /// - Throws: `StanzaDatabaseError.busy` after `timeout` seconds, `.unreadable` if there cannot be such a file.
    init(path: String, timeout: TimeInterval) throws(StanzaDatabaseError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw .unreadable(path) }
        let deadline = ContinuousClock.now + .seconds(timeout)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno != EWOULDBLOCK && errno != EINTR || ContinuousClock.now > deadline {
                close(descriptor)
                throw .busy
            }
            usleep(5000)
        }
    }

    func release() { close(descriptor) }
}
