// A file that several processes write: locked while it is open, and replaced as a whole. HistoryFile.swift defines its
// content.

import Foundation

/// An open file. No other process that locks it can read or write it at the same time.
struct LockedFile: ~Copyable {
    private let path: String
    private let descriptor: Int32

    /// The maximum number of attempts to lock the file. Another process may replace it during the wait; each
    /// replacement takes a hundred kilobytes of typed lines.
    private static let maximumAttempts = 10

    /// `nil` if the file does not exist.
    init?(toRead path: String) throws(HistoryProblem) {
        do throws(HistoryProblem) {
            descriptor = try Self.open(path, O_RDONLY, LOCK_SH)
        } catch {
            if error == .system(SystemError(code: ENOENT)) { return nil }
            throw error
        }
        self.path = path
    }

    /// Creates the file if it does not exist.
    init(toWrite path: String) throws(HistoryProblem) {
        descriptor = try Self.open(path, O_RDWR | O_CREAT | O_APPEND, LOCK_EX)
        self.path = path
    }

    deinit { close(descriptor) }

    private static func open(_ path: String, _ flags: Int32, _ lock: Int32) throws(HistoryProblem) -> Int32 {
        for _ in 0..<maximumAttempts {
            // Symbolic links are not followed, and only a regular file is opened.
            let descriptor = Foundation.open(FileName.path(path), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            if descriptor < 0 { throw .last }
            do throws(HistoryProblem) {
                if try isLocked(descriptor, lock, path) { return descriptor }
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
        throw .system(SystemError(code: EBUSY))
    }

    /// Locks a file. Returns false if another file has its name by now.
    private static func isLocked(_ descriptor: Int32, _ lock: Int32, _ path: String) throws(HistoryProblem) -> Bool {
        var (status, named) = (stat(), stat())
        guard fstat(descriptor, &status) == 0 else { throw .last }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .isNoHistory }
        while flock(descriptor, lock) != 0 { if errno != EINTR { throw .last } }
        return lstat(FileName.path(path), &named) == 0 && named.st_dev == status.st_dev && named.st_ino == status.st_ino
    }

    func size() throws(HistoryProblem) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last }
        return Int(status.st_size)
    }

    /// `count` bytes, or as many as exist.
    func bytes(at start: Int, count: Int) throws(HistoryProblem) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        while length < count {
            let read = bytes[length...].withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress, buffer.count, off_t(start + length))
            }
            if read < 0, errno == EINTR { continue }
            if read < 0 { throw .last }
            if read == 0 { break }
            length += read
        }
        return Array(bytes.prefix(length))
    }

    /// Makes the file readable for its owner only.
    func makePrivate() throws(HistoryProblem) {
        guard fchmod(descriptor, 0o600) == 0 else { throw .last }
    }

    func append(_ bytes: [UInt8]) throws(HistoryProblem) { try Self.write(bytes, to: descriptor) }

    /// Replaces the file with new content, in one step.
    func replace(by bytes: [UInt8]) throws(HistoryProblem) {
        // mkstemp makes the file readable for its owner only.
        var name = FileName.path("\(path).XXXXXX")
        let other = mkstemp(&name)
        if other < 0 { throw .last }
        defer { close(other) }
        do throws(HistoryProblem) {
            try Self.write(bytes, to: other)
            guard fsync(other) == 0, rename(name, FileName.path(path)) == 0 else { throw .last }
        } catch {
            unlink(name)
            throw error
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(HistoryProblem) {
        do throws(SystemError) {
            try bytes.withUnsafeBufferPointer { bytes throws(SystemError) in
                try FileSink(descriptor: descriptor).write(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            throw .system(error)
        }
    }
}
