// The errors of a database. They have texts of this package, because SQLite's messages may quote values.

import Foundation
import GRDB
import Handlers
import SafeText
public import StreamManagement

/// A failure of the database. The failed transaction has changed nothing.
public enum StanzaDatabaseError: Error, Sendable, Equatable {
    /// Another process or connection held the database until the wait for it ended. `PersistenceLimits.busyTimeout`
    /// bounds the wait of one attempt; the deadline of a suspension ends the wait earlier.
    case busy
    /// The disk is full, or the database has reached its largest size.
    case full
    /// The file is damaged, or a log without its file was left at the path. `asideAt` is the new path of the damaged
    /// file; the log has the same path with `-wal`. A file that is not damaged stays. Opening again creates a new file,
    /// or opens the one at the path. `asideAt` is `nil` while other processes or connections have the file open, or if
    /// the damage was found later.
    case corrupt(asideAt: String?)
    /// A newer version of the program has written the database. This one does not change it.
    case newerVersion
    /// A version of this package from before the first release has written the database. It is not changed.
    case olderVersion
    /// The file is the database of another program. It is not changed.
    case foreign
    /// The path names a folder, a device, or a file that SQLite cannot read. Or it has a meaning of its own to SQLite,
    /// such as `:memory:`. Nothing is changed. A file that this package has opened or written before is `corrupt`
    /// instead.
    case notADatabase
    /// The folder of the database does not exist. Its path is the associated value.
    case missingFolder(String)
    /// The file or folder cannot be opened: it does not exist, or this process may not read or write it.
    case unreadable(String)
    /// The path cannot be used as it is written, for this reason.
    case invalidPath(reason: String)
    /// The file is on a volume that cannot be written to.
    case readOnlyVolume(String)
    /// This process, or the system, has too many files open.
    case tooManyOpenFiles
    /// The device is locked, and protects the file until its user unlocks it. Try again then.
    case deviceLocked
    /// The file was deleted, moved or replaced while this process or another one had it open. Nothing was written.
    case moved
    /// The database is frozen, or was frozen during the call, which has changed nothing. Call `unfreeze()` first.
    case frozen
    /// The database was closed.
    case closed
    /// A record has a value that no version of this program has written.
    case invalidRecord(table: String)
    /// A record is longer than `maximum` bytes, and was not written.
    case recordTooLarge(table: String, maximum: Int)
    /// A text of a record has a NUL character, with which SQLite would end it. The record was not written.
    case invalidText(table: String)
    /// Any other failure, with SQLite's extended result code. Also each failure of a collected change for which this
    /// database is not at fault: the change may use another one.
    case failed(code: Int)
}

extension StanzaDatabaseError: CustomStringConvertible, LocalizedError {
    public var description: String {
        switch self {
        // Without a number: the wait also depends on options, on deadlines and on the number of attempts.
        case .busy: "another process or connection is using the database; nothing was changed; try again"
        case .full: "the disk or the database is full; nothing was changed"
        case .corrupt(nil): "the database file is damaged; close it everywhere and open it again, which moves it aside"
        case .corrupt(let path?):
            "the database file was damaged, or a log was left without its file; it was moved to \(path); open the database again"
        case .newerVersion: "the database was written by a newer version of the program; update this one"
        case .olderVersion:
            "a version of swift-stanza from before its first release wrote the database; delete the file, or drop that version's tables from it (see Tables in the documentation)"
        case .foreign: "the database belongs to another program, and was not changed; give another path"
        case .notADatabase:
            "the path does not name a readable SQLite database; nothing was changed; give another path, or move the file away"
        case .missingFolder(let path): "the folder \(path) does not exist; create it first"
        case .unreadable(let path):
            "\(path) cannot be opened; it must exist, and you need permission to read and write it"
        case .invalidPath(let reason): "the path cannot be used: \(reason); give an absolute path"
        case .readOnlyVolume(let path): "\(path) is on a read-only volume; give a path on another one"
        case .deviceLocked: "the device is locked, which protects the database; nothing was changed; try again later"
        case .tooManyOpenFiles: "too many files are open; close some, or raise the limit of the process"
        case .moved:
            "the open database file was moved or replaced; nothing was changed; close it in all processes, then open it again"
        case .frozen: "the database is frozen; call unfreeze() first"
        case .closed: "the database was closed"
        case .invalidRecord(let table): "a record in the table \(table) cannot be read"
        case .recordTooLarge(let table, let maximum):
            "a record for the table \(table) is longer than \(maximum) bytes; send less at once"
        case .invalidText(let table):
            "a text of a record for the table \(table) has a NUL character; remove it"
        case .failed(let code):
            "the database failed with SQLite's code \(ResultCode(rawValue: CInt(truncatingIfNeeded: code)))"
        }
    }

    public var errorDescription: String? { description }
}

extension StanzaDatabaseError: TemporaryStorageError {
    /// A lock ends, and a disk gets room. An I/O error of the disk is often temporary, too: a quota is raised, or a
    /// network volume is back. So does a lack of memory or of file descriptors, and the lock of a device that protects
    /// its files. A damaged file system does not mend itself.
    public var isTemporary: Bool {
        switch self {
        case .busy, .full, .tooManyOpenFiles, .deviceLocked: true
        case .failed(let code):
            switch ResultCode(rawValue: CInt(truncatingIfNeeded: code)) {
            case .SQLITE_IOERR_CORRUPTFS, .SQLITE_IOERR_DATA: false
            case .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_NOMEM, .SQLITE_PROTOCOL: true
            default: false
            }
        default: false
        }
    }
}

extension StanzaDatabaseError: LoggableError {
    /// Without paths, which may contain the names of users.
    package var logText: String {
        switch self {
        case .corrupt(.some): "the database file was damaged, or a log was left without its file; it was moved"
        case .missingFolder: "the folder of the database does not exist"
        case .readOnlyVolume: "the database is on a read-only volume"
        case .unreadable: "a file or folder of the database cannot be opened"
        default: description
        }
    }
}

/// Only the code and SQLite's text for it. The error's own message may quote values.
extension DatabaseError: LoggableError {
    package var logText: String { "SQLite's code \(extendedResultCode)" }
}

extension StanzaDatabaseError: PromiseStoreError {
    package var isOfOneRecord: Bool { if case .invalidRecord = self { true } else { false } }

    package var isFrozen: Bool { self == .frozen }
}

extension StanzaDatabaseError {
    /// Whether the database failed as a whole, so that other accesses would fail, too. Errors of one record are not of
    /// this kind.
    var isOfTheDatabase: Bool {
        switch self {
        case .invalidRecord, .recordTooLarge, .invalidText: false
        default: true
        }
    }

    /// Converts an error of opening a file; `nil` for any error that is not GRDB's. SQLite has several codes for a file
    /// that it cannot read. If the file is not ours, it is not a damaged database.
    init?(_ error: any Error, at place: FilePlace) {
        self.init(error, path: place.path)
        guard let code = (error as? DatabaseError)?.resultCode else { return }
        if code == .SQLITE_CANTOPEN, self != .tooManyOpenFiles { self = .unreadable(place.path) }
        if [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR].contains(code), !place.isOurs { self = .notADatabase }
    }

    /// Converts an error of a step for the app. Of an error of GRDB, whose message may quote values, only the code is
    /// left. The database is not at fault, so its file is neither busy nor full nor damaged.
    package static func ofStep(_ error: any Error) -> any Error {
        (error as? DatabaseError).map { Self.failed(code: $0.errorCode) } ?? error
    }

    /// Converts an error of GRDB; `nil` for any other error.
    init?(_ error: any Error, path: String) {
        guard let error = error as? DatabaseError else { return nil }
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy
        case .SQLITE_FULL: self = .full
        case .SQLITE_AUTH: self = .deviceLocked
        // Only freezing interrupts.
        case .SQLITE_INTERRUPT: self = .frozen
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_AUTH: self = .deviceLocked
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(asideAt: nil)
        case .SQLITE_READONLY where FilePlace(path).isOnReadOnlyVolume: self = .readOnlyVolume(path)
        case .SQLITE_READONLY, .SQLITE_PERM: self = .unreadable(path)
        case .SQLITE_CANTOPEN where ScarceResource.descriptors.isLacking: self = .tooManyOpenFiles
        default: self = .failed(code: error.errorCode)
        }
    }
    /// The error for a file that the system could not open, with the value of `errno`.
    init(opening path: String, _ code: CInt) {
        self =
            switch code {
            case EMFILE, ENFILE: .tooManyOpenFiles
            case EROFS: .readOnlyVolume(path)
            default: .unreadable(path)
            }
    }
}
