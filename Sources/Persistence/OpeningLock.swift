// The lock NAME.lock, which a process holds only while it opens the database. Its content names the file and its log,
// because another file may get the database's name. Commits touch the lock's file (ChangeWatch.swift).

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An exclusive lock between the openings of a database, of one process or of several. The system releases it when its
/// holder dies.
struct OpeningLock {
    static let ending = ".lock"
    private let database: String
    private let descriptor: CInt

    /// Waits for the lock. Creates its file if that does not exist.
    ///
    /// - Throws: `StanzaDatabaseError.busy` when the time to wait is over; the error of a file that cannot be created.
    init(of database: String, _ patience: Patience) throws(StanzaDatabaseError) {
        self.database = database
        let path = database + Self.ending
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw FilePlace(database).errorWithoutLock(path, errno) }
        let deadline = ContinuousClock.now + .seconds(PersistenceLimits.busyTimeout)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno != EWOULDBLOCK && errno != EINTR || ContinuousClock.now > deadline || !patience.isLeft(for: nil) {
                close(descriptor)
                throw .busy
            }
            usleep(5000)
        }
    }

    /// Closing alone releases nothing while a process that is being started has a copy of the descriptor.
    func release() {
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Records the files that this process opens. The bytes are on the disk afterwards: after a power loss, old ones
    /// would describe other files.
    func write(_ record: FileRecord) {
        if record == FilePlace(database).record { return }
        let bytes = [UInt8]((try? JSONEncoder().encode(record)) ?? Data())
        ftruncate(descriptor, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count ? off_t(bytes.count) : 0)
        // On Darwin, `fsync` can leave the data in the drive's cache. File systems that cannot empty it get `fsync`.
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        _ = fsync(descriptor)
    }
}

/// A database's file and its log.
struct FileRecord: Codable, Equatable {
    let file: FilePlace.Identity
    /// `nil` if no log existed before a process opened the file. That process may have created one.
    let log: FilePlace.Identity?
}
