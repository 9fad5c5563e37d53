// The lock NAME.users, which shows other processes that this one has the database open. Its file records which file
// they have open, because another file may get the database's name.

import Foundation

/// This process's share in the lock. Only the holder of `NAME.lock` creates one.
struct FileUse {
    private let lock: FileLock
    /// Whether no other process had the database open.
    let isAlone: Bool

    /// - Throws: `StanzaDatabaseError.unreadable` if the lock's file cannot be created.
    init(of path: String) throws(StanzaDatabaseError) {
        do throws(StanzaDatabaseError) {
            lock = try FileLock(path: path + ".users", timeout: 0)
            isAlone = true
        } catch .busy {
            lock = try FileLock(sharing: path + ".users")
            isAlone = false
        }
    }

    /// The files that the last process opened; `nil` if it was an older version of this package.
    var record: FileRecord? { FileRecord(lock.read(count: FileRecord.length)) }

    /// Records the files that this process has open, and shares the lock with others.
    func share(recording new: FileRecord) {
        let old = record
        // After a power loss, an old record would describe another file. An old log does no harm.
        if new != old { lock.write(new.bytes, isSynchronous: new.file != old?.file) }
        lock.share()
    }

    func release() { lock.release() }
}

/// A database's file and its log, by the numbers that the file system gives to files. The log's is 0 without a log.
struct FileRecord: Equatable {
    let file: UInt64
    let log: UInt64

    static let length = 16

    init(file: UInt64, log: UInt64) { (self.file, self.log) = (file, log) }

    /// `nil` if there are too few bytes.
    init?(_ bytes: [UInt8]) {
        if bytes.count < Self.length { return nil }
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(file: number(0..<8), log: number(8..<16))
    }

    /// Both numbers, the lowest byte first.
    var bytes: [UInt8] {
        [file, log].flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    }
}

/// Whether the files at a path belong together.
enum FileVerdict: Equatable {
    case fits
    /// Another process has a file open that was at this path before.
    case moved
    /// The log belongs to a file that is elsewhere. SQLite would delete the log, or write it to the file at this path.
    case strayLog

    /// Compares the files at the path with the recorded ones.
    ///
    /// - Parameters:
    ///   - file: The database's file; `nil` if it does not exist.
    ///   - log: The log; `nil` if it does not exist.
    ///   - record: The files that the last process opened.
    ///   - isAlone: Whether no other process has the database open.
    init(file: FilePlace.File?, log: FilePlace.File?, record: FileRecord?, isAlone: Bool) {
        let file = file?.size == 0 ? nil : file
        guard isAlone else {
            self = file.map { $0.number == record?.file ?? $0.number } ?? false ? .fits : .moved
            return
        }
        guard let log, log.size > 0 else {
            self = .fits
            return
        }
        guard let file else {
            self = .strayLog
            return
        }
        // Both numbers are new after an application has restored a file together with its log.
        let isStray = record.map { $0.file != file.number && $0.log == log.number } ?? false
        self = isStray ? .strayLog : .fits
    }
}
