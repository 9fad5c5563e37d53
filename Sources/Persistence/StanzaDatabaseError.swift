// What a database has to say, in words of its own: SQLite's messages may quote values, so they are not passed on.

import Foundation
import GRDB
import Promises

/// A failure of the database. Nothing of the transaction that failed is kept.
public enum StanzaDatabaseError: Error, Sendable, Equatable {
    /// Another process held the database for longer than `PersistenceLimits.busyTimeout`.
    case busy
    /// There is no room on the disk, or the database has reached its largest size.
    case full
    /// The file is damaged, or no database. `asideAt` is where the original was put, so that opening again begins a new
    /// one; `nil` as long as others have the file open, or where it was found damaged later.
    case corrupt(asideAt: String?)
    /// A newer version of the program has written the database. This one leaves it as it is.
    case newerVersion
    /// An older version of the program has written the database, and it is only looked into.
    case olderVersion
    /// The file is the database of another program. It is left as it is.
    case foreign
    /// The file cannot be opened: it is missing, or may not be read or written.
    case unreadable(String)
    /// The database is frozen. Call `unfreeze()` first.
    case frozen
    /// The database was closed.
    case closed
    /// A record holds what no version of this program has written.
    case invalidRecord(table: String)
    /// A record is longer than `maximum` bytes, and was not written.
    case recordTooLarge(table: String, maximum: Int)
    /// Anything else, with SQLite's extended result code.
    case failed(code: Int)
}

extension StanzaDatabaseError: CustomStringConvertible, LocalizedError {
    public var description: String {
        switch self {
        case .busy:
            "the database was held by another process for longer than \(Int(PersistenceLimits.busyTimeout)) seconds"
        case .full: "the disk or the database is full; nothing was changed"
        case .corrupt(nil): "the database file is damaged; close it everywhere and open it again, which puts it aside"
        case .corrupt(let path?): "the database file was damaged; it was put aside at \(path)"
        case .newerVersion: "the database was written by a newer version of the program; update this one"
        case .olderVersion: "the database was written by an older version of the program; open it with this one first"
        case .foreign: "the database belongs to another program, and was not changed; give another path"
        case .unreadable(let path):
            "the file \(path) cannot be opened; it must exist, and you need permission to read and write it"
        case .frozen: "the database is frozen; call unfreeze() first"
        case .closed: "the database was closed"
        case .invalidRecord(let table): "a record in the table \(table) cannot be read"
        case .recordTooLarge(let table, let maximum):
            "a record for the table \(table) is longer than \(maximum) bytes; send less at once"
        case .failed(let code): "the database failed with SQLite's code \(code)"
        }
    }

    public var errorDescription: String? { description }
}

extension StanzaDatabaseError: PromiseStoreError {
    package var isOfOneRecord: Bool { if case .invalidRecord = self { true } else { false } }

    package var isFrozen: Bool { self == .frozen }
}

extension StanzaDatabaseError {
    /// Whether nothing else would do either, whatever it is: it is not about what one record holds.
    var isOfTheDatabase: Bool {
        switch self {
        case .invalidRecord, .recordTooLarge: false
        case .busy, .full, .corrupt, .newerVersion, .olderVersion, .foreign, .unreadable, .frozen, .closed, .failed:
            true
        }
    }

    /// The error for what GRDB has thrown; `nil` for errors that are not the database's.
    init?(_ error: any Error, path: String) {
        guard let error = error as? DatabaseError else { return nil }
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy
        case .SQLITE_FULL: self = .full
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(asideAt: nil)
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM: self = .unreadable(path)
        default: self = .failed(code: error.errorCode)
        }
    }
}
