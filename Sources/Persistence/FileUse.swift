// The lock NAME.users, which shows other processes that this one has the database open. Its file records which file
// they have open, because another file may get the database's name.

import Foundation

/// This process's share in the lock. Only the holder of `NAME.lock` creates one.
struct FileUse {
    private let path: String
    private let lock: FileLock
    /// Whether no other process had the database open.
    let isAlone: Bool

    /// - Throws: `StanzaDatabaseError.unreadable` if the lock's file cannot be created.
    init(of database: String) throws(StanzaDatabaseError) {
        path = database + ".users"
        do throws(StanzaDatabaseError) {
            lock = try FileLock(path: path, timeout: 0)
            isAlone = true
        } catch .busy {
            lock = try FileLock(sharing: path)
            isAlone = false
        }
    }

    /// The files that the last process opened; `nil` if it was killed before it recorded them.
    var record: FileRecord? { FileRecord(lock.read(count: FileRecord.length)) }

    /// Records the files that this process opens.
    func record(_ new: FileRecord) { if new != record { lock.write(new.bytes) } }

    /// Shares the lock with others.
    func share() { lock.share() }

    /// - Parameter removing: Whether to delete the lock's file, which this process has created for a file that may be
    ///   another program's. The caller holds `NAME.lock`.
    func release(removing: Bool = false) {
        if removing { try? FileManager.default.removeItem(atPath: path) }
        lock.release()
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
    init?(_ bytes: [UInt8]) {
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

/// Whether the files at a path belong together.
enum FileVerdict: Equatable {
    case fits
    /// Other processes have another file or another log open.
    case moved
    /// The log belongs to a file that is elsewhere. SQLite would delete the log, or write it to the file at this path.
    case strayLog
    /// The log is missing or empty, and its index may describe a file that is elsewhere.
    case strayIndex

    /// Compares the files at the path with the recorded ones.
    ///
    /// - Parameters:
    ///   - file: The database's file; `nil` if it does not exist.
    ///   - log: The log; `nil` if it does not exist.
    ///   - hasIndex: Whether the index of a log exists.
    ///   - record: The files that the last process opened.
    ///   - isAlone: Whether no other process has the database open.
    init(file: FilePlace.File?, log: FilePlace.File?, hasIndex: Bool, record: FileRecord?, isAlone: Bool) {
        let isEmpty = file?.size ?? 0 == 0
        let isOther = record.map { $0.file != file?.identity } ?? false
        // Without a recorded log, any log can be the recorded file's.
        let hasItsLog = record.map { $0.log == nil || $0.log == log?.identity } ?? true
        if !isAlone {
            self = isEmpty || isOther || !hasItsLog ? .moved : .fits
        } else if log?.size ?? 0 == 0 {
            self = isOther && hasIndex ? .strayIndex : .fits
        } else {
            // File and log are new after an application has restored both.
            self = isEmpty || isOther && hasItsLog ? .strayLog : .fits
        }
    }
}
