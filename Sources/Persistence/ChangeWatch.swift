// Wakes the processes that share a database. A commit sets the time of a small file, NAME.lock, and the system reports
// that to every process that watches the file. A process knows the time that it has set itself.

import Dispatch
import Foundation
import Promises
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Notifies listeners when another connection has touched the file, and touches it.
///
/// `@unchecked Sendable` is safe because any thread may use the source, which does not change: Dispatch guards it.
final class ChangeWatch: @unchecked Sendable {
    /// The file, and the time that this object has seen or set last.
    private let file: Mutex<(descriptor: CInt, time: Int64)>
    private let listeners: Listeners
    private let queue = DispatchQueue(label: "swift-stanza.changes", qos: .userInitiated)
    /// `nil` if the system does not report changes.
    private let source: (any DispatchSourceProtocol)?

    init(path: String, listeners: Listeners) {
        let path = path + OpeningLock.ending
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        file = Mutex((descriptor, Self.time(of: descriptor)))
        self.listeners = listeners
        source = descriptor < 0 ? nil : Self.source(of: path, on: queue)
        source?.setEventHandler { [weak self] in self?.fileHasChanged() }
        source?.resume()
    }

    /// Whether the system reports changes.
    var isNotified: Bool { source != nil }

    /// Wakes the other processes after a commit.
    func touch() {
        let hasChanged = file.withLock { file in
            if file.descriptor < 0 { return false }
            let before = Self.time(of: file.descriptor)
            // The system's own time has too few digits to distinguish two commits.
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            _ = withUnsafeBytes(of: (now, now)) { times in
                futimens(file.descriptor, times.assumingMemoryBound(to: timespec.self).baseAddress)
            }
            // The file system may round it.
            defer { file.time = Self.time(of: file.descriptor) }
            return before != file.time
        }
        if hasChanged { listeners.notify() }
    }

    private func fileHasChanged() {
        #if canImport(Glibc)
        Self.drain(source)
        #endif
        let hasChanged = file.withLock { file in
            let time = Self.time(of: file.descriptor)
            defer { file.time = time }
            return file.descriptor >= 0 && time != file.time
        }
        if hasChanged { listeners.notify() }
    }

    func stop() {
        source?.cancel()
        file.withLock { file in
            if file.descriptor >= 0 { close(file.descriptor) }
            file.descriptor = -1
        }
    }

    /// In nanoseconds.
    private static func time(of descriptor: CInt) -> Int64 {
        var status = stat()
        if fstat(descriptor, &status) != 0 { return 0 }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    #if canImport(Glibc)
    private static func source(of path: String, on queue: DispatchQueue) -> (any DispatchSourceProtocol)? {
        let descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        if descriptor < 0 { return nil }
        if inotify_add_watch(descriptor, path, UInt32(IN_ATTRIB)) < 0 {
            close(descriptor)
            return nil
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setCancelHandler { close(descriptor) }
        return source
    }

    /// Takes all waiting events. All concern the one file.
    private static func drain(_ source: (any DispatchSourceProtocol)?) {
        guard let source, !source.isCancelled else { return }
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(CInt(source.handle), buffer.baseAddress, buffer.count) > 0 {}
        }
    }
    #elseif canImport(Darwin)
    private static func source(of path: String, on queue: DispatchQueue) -> (any DispatchSourceProtocol)? {
        let descriptor = open(path, O_EVTONLY)
        if descriptor < 0 { return nil }
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: .attrib, queue: queue)
        source.setCancelHandler { close(descriptor) }
        return source
    }
    #else
    private static func source(of path: String, on queue: DispatchQueue) -> (any DispatchSourceProtocol)? { nil }
    #endif
}
