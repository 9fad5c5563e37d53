// Checks a path before SQLite opens it, and describes the error if SQLite cannot read the file. Without the check,
// SQLite would wait for the writer of a FIFO, read devices, and create a database in memory for some names.

import Foundation
import Persistence
import StanzaCLI

enum DatabaseFile {
    /// The reason why a path cannot be a database.
    struct Unfit: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: `Unfit` for a path that does not name a file, or names an empty one.
    static func check(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            throw Unfit(description: "\(path.asFileName): \(reason)")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Unfit(description: "\(path.asFileName): Not a regular file")
        }
        if status.st_size == 0 {
            throw Unfit(description: "\(path.asFileName): not a database: the file is empty")
        }
    }

    /// The path and the reason. Some descriptions of `StanzaDatabaseError` address programs that use a database. This
    /// command only reads one, and the path may name any file.
    static func words(for error: any Error, at file: String) -> String {
        let path = file.asFileName
        return switch error {
        case let error as Unfit: error.description
        case StanzaDatabaseError.notADatabase: "\(path): not an SQLite database"
        case StanzaDatabaseError.corrupt: "\(path): the database is damaged; it was not changed"
        case StanzaDatabaseError.olderVersion:
            "\(path): a version from before the first release wrote the database; this one cannot read it"
        case StanzaDatabaseError.foreign: "\(path): the database belongs to another program; it was not changed"
        default: "\(path): \(error)"
        }
    }
}
