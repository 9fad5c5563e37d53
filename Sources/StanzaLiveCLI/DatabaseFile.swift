// What a path names before SQLite is given it, and what is told when that could not read it. SQLite waits for who
// writes to a FIFO, reads what devices give, and takes some names for databases in memory.

import Foundation
import Persistence
import StanzaCLI

enum DatabaseFile {
    /// What cannot be a database.
    struct Unfit: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: What is wrong with a path that names no file, or an empty one.
    static func check(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            throw Unfit(description: "\(path.asFileName): \(reason)")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Unfit(description: "the database \(path.asFileName) is no file, but a folder, a device or a pipe")
        }
        if status.st_size == 0 {
            throw Unfit(description: "the database \(path.asFileName) is no database: it is empty")
        }
    }

    /// What is told of an error. The words of `StanzaDatabaseError` are for who opens a database to use it: here
    /// nothing is put aside or brought up to date, and the file may be anybody's.
    static func words(for error: any Error, at file: String) -> String {
        let path = file.asFileName
        return switch error {
        case let error as Unfit: error.description
        case StanzaDatabaseError.corrupt where !isSQLite(file): "the database \(path) is no SQLite database"
        case StanzaDatabaseError.corrupt: "the database \(path) is damaged; it is left as it is"
        case StanzaDatabaseError.olderVersion:
            "the database \(path) lacks tables of this version: an older version of the program has written it"
        case StanzaDatabaseError.foreign: "the database \(path) is another program's, and was left as it is"
        case StanzaDatabaseError.unreadable: "\(error)"
        default: "the database \(path) cannot be read: \(error)"
        }
    }

    private static func isSQLite(_ path: String) -> Bool {
        let magic = Data("SQLite format 3\u{0}".utf8)
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: magic.count)) == magic
    }
}
