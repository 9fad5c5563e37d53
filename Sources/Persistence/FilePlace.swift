// Decides from the file system whether a path can name a database of this package. OpenFile.swift asks before it opens
// the file, and when SQLite reports damage.

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The path of a database, the file there, and the files next to it.
struct FilePlace {
    let path: String

    init(_ path: String) { self.path = path }

    struct File: Equatable {
        let identity: FileIdentity
        let size: UInt64
    }

    /// The file at the path with this ending; `nil` if it cannot be found.
    func file(_ ending: String = "") -> File? {
        guard case .found(let status) = Entry(path + ending) else { return nil }
        return File(identity: FileIdentity(status, at: path + ending), size: UInt64(max(status.st_size, 0)))
    }

    /// The file at the path, and the log that is next to it now.
    func record(of file: FileIdentity) -> FileRecord { FileRecord(file: file, log: self.file("-wal")?.identity) }

    /// Checks the path before this process creates any file.
    ///
    /// - Throws: `StanzaDatabaseError.missingFolder`, `.unreadable` for a folder that cannot be searched, or
    ///   `.notADatabase`.
    func check() throws(StanzaDatabaseError) {
        try checkFile()
        if let fault = faultOfFolder { throw fault }
    }

    /// Checks the path, and the file there if it exists.
    ///
    /// - Throws: `StanzaDatabaseError.invalidPath` or `.notADatabase`.
    func checkFile() throws(StanzaDatabaseError) {
        if let faultOfPath { throw .invalidPath(reason: faultOfPath) }
        if namesNoFile || hasForeignFile { throw .notADatabase }
    }

    /// The error for a lock file that cannot be opened. If the lock file does not exist, the folder is the cause.
    func reasonWithoutLock(_ lock: String) -> StanzaDatabaseError {
        if let fault = faultOfFolder { return fault }
        return .unreadable(exists(lock) ? lock : folder)
    }

    /// Whether this package has opened a database at this path before.
    private var isKnown: Bool {
        (try? Data(contentsOf: URL(fileURLWithPath: path + ".lock"))).flatMap { FileRecord($0) } != nil
    }

    /// Whether a file that cannot be read as a database is a damaged one of this package. Files of other programs can
    /// begin like an SQLite database, for example encrypted ones.
    var isOurs: Bool { isKnown || hasMark }

    /// SQLite gives these paths a meaning of its own, and no other process could open the database.
    private var namesNoFile: Bool { path.isEmpty || path == ":memory:" || path.hasPrefix("file:") }

    /// Whether the path names a folder, a device, or a file that neither is nor was a database of this package.
    ///
    /// An empty file is a database that was just created. A file that begins like an SQLite database may be one; SQLite
    /// decides that.
    private var hasForeignFile: Bool {
        guard case .found(let status) = Entry(path) else { return false }
        if status.st_mode & S_IFMT != S_IFREG { return true }
        if status.st_size == 0 || isKnown { return false }
        return beginning(Self.magic.count).map { $0 != Self.magic } ?? false
    }

    /// Why the system would read the path as another one; `nil` if it would not.
    private var faultOfPath: String? {
        if path.utf8.contains(0) { return "it has a NUL character" }
        if path == "~" || path.hasPrefix("~/") { return "nothing expands ~ in it" }
        return nil
    }

    /// Whether the file is on a volume that cannot be written to.
    var isOnReadOnlyVolume: Bool { access(path, W_OK) != 0 && errno == EROFS }

    private var folder: String {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return folder.isEmpty ? "." : folder
    }

    private var faultOfFolder: StanzaDatabaseError? {
        switch Entry(folder) {
        case .found: nil
        case .missing: .missingFolder(folder)
        case .unreachable: .unreadable(folder)
        }
    }

    private func exists(_ path: String) -> Bool { if case .found = Entry(path) { true } else { false } }

    // MARK: The header

    private static let magic = Array("SQLite format 3\0".utf8)

    /// Where the header of an SQLite database has its `application_id`.
    private static let markRange = 68..<72

    private var hasMark: Bool {
        guard let bytes = beginning(Self.markRange.upperBound) else { return false }
        return bytes[Self.markRange].reduce(0) { $0 << 8 | Int($1) } == Schema.mark
    }

    /// `nil` if the file cannot be read.
    private func beginning(_ count: Int) -> [UInt8]? { SQLiteCalls.beginning(of: path, count: count) }

    // MARK: Other paths of the file

    /// The path from the root on: the current directory may change while the database is frozen.
    static func absolute(_ path: String) -> String {
        let place = FilePlace(path)
        if path.hasPrefix("/") || place.namesNoFile || place.faultOfPath != nil { return path }
        return FileManager.default.currentDirectoryPath + "/" + path
    }

    /// The number of links after which the file systems of this package's platforms give up, too.
    static let maximumLinks = 40

    /// The path of the file that a symbolic link names; any other path as it is. SQLite's log is next to that file. The
    /// locks must be there, too, so that all names of the file share them.
    static func target(of path: String) -> String {
        var path = path
        for _ in 0..<maximumLinks {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            path = next.hasPrefix("/") ? next : folder + next
        }
        return path
    }
}

/// A path's entry in the file system.
private enum Entry {
    case found(stat)
    case missing
    /// The entry may exist, but this process cannot search the folders above it.
    case unreachable

    init(_ path: String) {
        var status = stat()
        if stat(path, &status) == 0 {
            self = .found(status)
        } else {
            self = errno == ENOENT || errno == ENOTDIR ? .missing : .unreachable
        }
    }
}
