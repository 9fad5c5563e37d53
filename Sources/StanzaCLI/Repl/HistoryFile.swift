// The lines of earlier sessions of `stanza repl`, in a file that nobody else may read: queries tell whom one talks to.
//
// Several sessions may write at once: each line is appended, and the file is locked meanwhile.

import Foundation

/// A file with a line for each line that was typed.
struct HistoryFile {
    let path: String

    /// So many lines are offered.
    static let maximumCount = 1_000
    /// So large the file becomes; then its older half goes.
    static let maximumBytes = 1 << 18
    /// A longer line is not kept.
    static let maximumLineBytes = 4_096

    /// The lines, oldest first. What is no line of text is left out.
    func load() throws(SystemError) -> [String] {
        try withFile { descriptor throws(SystemError) in
            let bytes = try Self.end(of: descriptor)
            if bytes.count > Self.maximumBytes / 2 { try Self.replace(descriptor, by: Self.newerHalf(of: bytes)) }
            return Self.lines(of: bytes).suffix(Self.maximumCount)
        }
    }

    /// Adds a line.
    func append(_ line: String) throws(SystemError) {
        guard Self.isKept(line) else { return }
        try withFile { descriptor throws(SystemError) in
            let size = lseek(descriptor, 0, SEEK_END)
            if size > Self.maximumBytes {
                try Self.replace(descriptor, by: Self.newerHalf(of: try Self.end(of: descriptor)))
            }
            try FileSink(descriptor: descriptor).write(Array("\(line)\n".utf8))
        }
    }

    private static func isKept(_ line: String) -> Bool {
        !line.isEmpty && line.utf8.count <= maximumLineBytes
            && !line.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    private static func lines(of bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { String(validating: $0, as: UTF8.self) }.filter(isKept)
    }

    private static func newerHalf(of bytes: [UInt8]) -> [UInt8] {
        let kept = bytes.suffix(maximumBytes / 2)
        if kept.count == bytes.count { return bytes }
        // The first line may be a part of one.
        return Array(kept.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
    }

    // MARK: System calls

    private func withFile<Result>(
        _ body: (Int32) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        // A link that somebody put there is not followed, and nothing but a file is opened.
        let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = open(path, flags, 0o600)
        if descriptor < 0 { throw .last }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(code: EINVAL) }
        guard fchmod(descriptor, 0o600) == 0, flock(descriptor, LOCK_EX) == 0 else { throw .last }
        return try body(descriptor)
    }

    /// The last bytes of a file, no more than it should have.
    private static func end(of descriptor: Int32) throws(SystemError) -> [UInt8] {
        let size = Int(lseek(descriptor, 0, SEEK_END))
        let start = max(0, size - maximumBytes)
        var bytes = [UInt8](repeating: 0, count: min(size, maximumBytes))
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress! + count, buffer.count - count, off_t(start + count))
            }
            if read < 0, errno == EINTR { continue }
            if read < 0 { throw .last }
            if read == 0 { break }
            count += read
        }
        bytes.removeLast(bytes.count - count)
        // The first line may be a part of one.
        return start == 0 ? bytes : Array(bytes.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
    }

    private static func replace(_ descriptor: Int32, by bytes: [UInt8]) throws(SystemError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .last }
        try FileSink(descriptor: descriptor).write(bytes)
    }
}

extension FileSink {
    fileprivate func write(_ bytes: [UInt8]) throws(SystemError) {
        // A typed error does not pass through a closure of the standard library, so it is carried out.
        let outcome: Result<Void, SystemError> = bytes.withUnsafeBytes { bytes in
            do throws(SystemError) { return .success(try write(bytes)) } catch { return .failure(error) }
        }
        try outcome.get()
    }
}
