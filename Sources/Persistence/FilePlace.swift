// Decides from the file system whether a path can name a database of this package. OpenFile.swift asks before it opens
// the file, and when SQLite reports damage.

import Foundation

/// The path of a database, the file there, and the files next to it.
struct FilePlace {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Checks the folder and the file before this process creates any file.
    ///
    /// - Throws: `StanzaDatabaseError.missingFolder`, or `.notADatabase`.
    func check() throws(StanzaDatabaseError) {
        if !exists(folder) { throw .missingFolder(folder) }
        if hasForeignFile { throw .notADatabase }
    }

    /// The error for a lock file that cannot be opened. If the lock file does not exist, the folder is the cause.
    func reasonWithoutLock(_ lock: String) -> StanzaDatabaseError {
        if !exists(folder) { return .missingFolder(folder) }
        return .unreadable(exists(lock) ? lock : folder)
    }

    /// Whether the path names a folder, a device, or a file that neither is nor was a database of this package.
    ///
    /// An empty file is a database that was just created. A file that begins like an SQLite database may be damaged
    /// elsewhere. So may a file next to which this package's locks exist: opening a database creates them.
    var hasForeignFile: Bool {
        guard let type = attributes?[.type] as? FileAttributeType else { return false }
        if type != .typeRegular { return true }
        if attributes?[.size] as? UInt64 == 0 || exists(path + ".users") { return false }
        return beginsLikeDatabase == false
    }

    private var folder: String {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return folder.isEmpty ? "." : folder
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// The attributes of the file that the path or a symbolic link there names; `nil` if it does not exist.
    private var attributes: [FileAttributeKey: Any]? {
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        return try? FileManager.default.attributesOfItem(atPath: file)
    }

    private static let beginning = Array("SQLite format 3\0".utf8)

    /// Whether the file begins with the header of an SQLite database; `nil` if it cannot be read.
    private var beginsLikeDatabase: Bool? {
        SQLiteCalls.beginning(of: path, count: Self.beginning.count).map { $0 == Self.beginning }
    }
}
