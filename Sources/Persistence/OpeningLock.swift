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
    private let descriptor: CInt

    /// Waits for the lock. Creates its file if that does not exist.
    ///
    /// - Throws: `StanzaDatabaseError.busy` when the time to wait is over; the error of a file that cannot be created.
    init(of database: String, _ patience: Patience) throws(StanzaDatabaseError) {
        let path = database + ".lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            let error = StanzaDatabaseError(opening: path, errno)
            throw error == .unreadable(path) ? FilePlace(database).reasonWithoutLock(path) : error
        }
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

    /// The files that the last process opened; `nil` if none has opened any.
    var record: FileRecord? {
        var bytes = [UInt8](repeating: 0, count: FileRecord.length)
        let length = pread(descriptor, &bytes, bytes.count, 0)
        return FileRecord(bytes.prefix(max(length, 0)))
    }

    /// Records the files that this process opens. The bytes are on the disk afterwards: after a power loss, old ones
    /// would describe other files.
    func record(_ new: FileRecord) {
        if new == record { return }
        let bytes = new.bytes
        if pwrite(descriptor, bytes, bytes.count, 0) != bytes.count { ftruncate(descriptor, 0) }
        // On Darwin, `fsync` can leave the data in the drive's cache. File systems that cannot empty it get `fsync`.
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        _ = fsync(descriptor)
    }
}

/// A database's file and its log.
struct FileRecord: Equatable {
    let file: FileIdentity
    /// `nil` if no log existed before a process opened the file. That process may have created one.
    let log: FileIdentity?

    static let length = 32

    init(file: FileIdentity, log: FileIdentity?) { (self.file, self.log) = (file, log) }

    /// `nil` if there are too few bytes.
    init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        if bytes.count < Self.length { return nil }
        func number(_ start: Int) -> UInt64 { bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        file = FileIdentity(number: number(0), birth: number(8))
        log = number(16) == 0 ? nil : FileIdentity(number: number(16), birth: number(24))
    }

    /// All numbers, the lowest byte first.
    var bytes: [UInt8] {
        [file.number, file.birth, log?.number ?? 0, log?.birth ?? 0].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }
}
