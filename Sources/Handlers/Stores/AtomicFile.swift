// A file that one store at a time holds and replaces as a whole: after a crash it has its old or its new content.

public import Foundation
import SafeText

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file and the lock that keeps other stores from writing it.
struct AtomicFile: Sendable {
    private let path: String
    /// The open lock file. The system releases the lock when the process ends, even in a crash.
    private let lock: Int32

    /// Takes the lock, which is a separate file next to this one.
    init(_ path: String) throws(HandlerStoreError) {
        self.path = path
        let lockPath = path + ".lock"
        lock = open(lockPath, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .failed("open", path: lockPath, code: errno) }
        if flock(lock, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            close(lock)
            throw code == EWOULDBLOCK ? .inUse(path: path) : .failed("lock", path: lockPath, code: code)
        }
    }

    /// Releases the lock.
    func release() { close(lock) }

    /// Returns the content, or `nil` if the file does not exist. Any other failure throws, because the next change
    /// would replace content that was never read.
    func content(limit: Int) throws -> Data? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw HandlerStoreError.failed("open", path: path, code: errno) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw HandlerStoreError.failed("read", path: path, code: errno) }
        if status.st_size > limit { throw HandlerError(.tooLarge(.storeBytes, maximum: limit)) }
        var data = Data(count: Int(status.st_size))
        var code: Int32 = 0
        data.withUnsafeMutableBytes { bytes in
            var rest = bytes
            while !rest.isEmpty, code == 0 {
                let count = read(file, rest.baseAddress, rest.count)
                if count > 0 {
                    rest = UnsafeMutableRawBufferPointer(rebasing: rest.dropFirst(count))
                } else if count == 0 {
                    code = EIO
                } else if errno != EINTR {
                    code = errno
                }
            }
        }
        guard code == 0 else { throw HandlerStoreError.failed("read", path: path, code: code) }
        return data
    }

    /// Replaces the content, durably.
    func replace(with data: Data) throws(HandlerStoreError) {
        let temporary = path + ".new"
        let file = open(temporary, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .failed("open", path: temporary, code: errno) }
        var code: Int32 = 0
        data.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty, code == 0 {
                let written = write(file, rest.baseAddress, rest.count)
                if written >= 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
                } else if errno != EINTR {
                    code = errno
                }
            }
        }
        if code == 0, !reachesDisk(file) { code = errno }
        if close(file) != 0, code == 0 { code = errno }
        if code == 0, rename(temporary, path) != 0 { code = errno }
        guard code == 0 else {
            unlink(temporary)
            throw .failed("write", path: temporary, code: code)
        }
        try syncFolder()
    }

    /// Flushes the folder, which makes the rename durable.
    private func syncFolder() throws(HandlerStoreError) {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed("open", path: folder, code: errno) }
        defer { close(descriptor) }
        if !reachesDisk(descriptor) { throw .failed("sync", path: folder, code: errno) }
    }
}

/// Returns true once the disk holds the written data, or false with `errno`. Darwin's `fsync` can leave the data in the
/// drive's cache, so Darwin tries `F_FULLFSYNC` first; file systems that lack it get `fsync`.
package func reachesDisk(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(descriptor) == 0
}

/// Why a file store could not be opened or changed.
public enum HandlerStoreError: Error, Sendable, Hashable {
    /// Another store, in this process or another one, has the file open.
    case inUse(path: String)
    /// The store was closed.
    case closed
    /// The location is not a file URL.
    case notAFile(URL)
    /// The system refused an operation, with this error number.
    case failed(String, path: String, code: Int32)
}

extension HandlerStoreError: LoggableError {
    /// Without paths, which may contain the names of users.
    package var logText: String {
        switch self {
        case .inUse: "the file of handlers is in use"
        case .closed: description
        case .notAFile: "the location of handlers is not a file URL"
        case .failed(let operation, _, let code):
            "could not \(operation) the file of handlers: \(String(cString: strerror(code)))"
        }
    }
}

extension HandlerStoreError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .inUse(let path):
            "'\(path)' is in use: close the other store first; processes that share handlers need a database"
        case .closed: "the store was closed: open a new one"
        case .notAFile(let location): "'\(location)' is not a file URL: make the location with URL(filePath:)"
        case .failed(let operation, let path, let code):
            "could not \(operation) '\(path)': \(String(cString: strerror(code)))"
        }
    }
}
