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

    struct File {
        let identity: Identity
        let size: UInt64
    }

    /// Distinguishes a file from a later one at the same path: its number in the file system, and its birth time in
    /// nanoseconds. A file system can give the number of a deleted file to the next file.
    struct Identity: Codable, Equatable {
        let number: UInt64
        /// 0 if the system does not report it.
        let birth: UInt64
    }

    /// The file at the path with this ending; `nil` if it cannot be found.
    func file(_ ending: String = "") -> File? {
        guard let status = Self.status(path + ending) else { return nil }
        let identity = Identity(number: UInt64(status.st_ino), birth: Self.birth(status, path + ending))
        return File(identity: identity, size: UInt64(max(status.st_size, 0)))
    }

    /// The files that the last process opened; `nil` if none has opened any.
    var record: FileRecord? {
        let bytes = try? Data(contentsOf: URL(fileURLWithPath: path + OpeningLock.ending))
        return bytes.flatMap { try? JSONDecoder().decode(FileRecord.self, from: $0) }
    }

    /// The file at the path, and the log that is next to it now.
    func record(of file: Identity) -> FileRecord { FileRecord(file: file, log: self.file("-wal")?.identity) }

    /// Creates an empty file that only its user can read and write, unless the file exists. SQLite would let every user
    /// of the machine read it, and gives its log the same mode. On devices that protect files, it can be read and
    /// written from the first unlocking on, so that an extension can handle a push message while the device is locked.
    ///
    /// It does not even open an existing file: closing that would release SQLite's locks on it in this process. If it
    /// cannot create the file, SQLite cannot open it either, and reports that.
    ///
    /// - Returns: Whether it has created the file.
    func makePrivateFile() -> Bool {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 { return false }
        close(descriptor)
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        let protection = FileProtectionType.completeUntilFirstUserAuthentication
        try? FileManager.default.setAttributes([.protectionKey: protection], ofItemAtPath: path)
        #endif
        return true
    }

    /// Checks the path, and the file there if it exists, before this process creates any file.
    ///
    /// - Throws: `StanzaDatabaseError.invalidPath` or `.notADatabase`.
    func check() throws(StanzaDatabaseError) {
        if let faultOfPath { throw .invalidPath(reason: faultOfPath) }
        if namesNoFile || hasForeignFile { throw .notADatabase }
    }

    /// The error for a lock file that cannot be opened, with the value of `errno`. If the lock file does not exist, the
    /// folder is the cause.
    func errorWithoutLock(_ lock: String, _ code: CInt) -> StanzaDatabaseError {
        switch StanzaDatabaseError(opening: lock, code) {
        case .unreadable where code == ENOENT || code == ENOTDIR: .missingFolder(folder)
        case .unreadable: .unreadable(Self.status(lock) == nil ? folder : lock)
        case let error: error
        }
    }

    /// Whether this package has opened a database at this path before.
    private var isKnown: Bool { record != nil }

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
        guard let status = Self.status(path) else { return false }
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

    /// `nil` for a path that names nothing, or that this process cannot reach.
    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

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

extension FilePlace {
    // MARK: Birth times

    private static func nanoseconds(_ seconds: Int64, _ rest: Int64) -> UInt64 {
        UInt64(bitPattern: seconds &* 1_000_000_000 &+ rest)
    }

    #if canImport(Darwin)
    private static func birth(_ status: stat, _ path: String) -> UInt64 {
        nanoseconds(Int64(status.st_birthtimespec.tv_sec), Int64(status.st_birthtimespec.tv_nsec))
    }
    #else
    // The system's headers have this function, but Swift does not import it. Its structure has 256 bytes.
    private typealias Statx =
        @convention(c) (CInt, UnsafePointer<CChar>, CInt, CUnsignedInt, UnsafeMutableRawPointer) -> CInt

    /// `nil` in C libraries without this function.
    private static let statx = dlsym(nil, "statx").map { unsafeBitCast($0, to: Statx.self) }

    /// The bit that requests the birth time, and shows that the file system has reported it.
    private static let birthMask: UInt32 = 0x800
    private static let length = 256
    /// Where the birth time is: 8 bytes of seconds, then 4 bytes of nanoseconds.
    private static let birthOffset = 80

    private static func birth(_: stat, _ path: String) -> UInt64 {
        guard let statx else { return 0 }
        return withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { buffer in
            guard let start = buffer.baseAddress, statx(AT_FDCWD, path, 0, birthMask, start) == 0,
                buffer.load(as: UInt32.self) & birthMask != 0
            else { return 0 }
            let seconds = buffer.load(fromByteOffset: birthOffset, as: Int64.self)
            let rest = buffer.load(fromByteOffset: birthOffset + 8, as: UInt32.self)
            return nanoseconds(seconds, Int64(rest))
        }
    }
    #endif
}
