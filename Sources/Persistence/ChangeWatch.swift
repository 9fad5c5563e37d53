// Wakes the processes that share a database. A commit sets the time of a small file, NAME.lock, and the system reports
// that to every process that watches the file, and to the one that has made the commit.

import Dispatch
import Foundation
import Handlers

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Notifies listeners when a process, this one included, has touched the file, and touches it.
///
/// `@unchecked Sendable` is safe because any thread may use the source, which does not change: Dispatch guards it.
final class ChangeWatch: @unchecked Sendable {
    private let descriptor: CInt
    private let listeners: Listeners
    private let queue = DispatchQueue(label: "swift-stanza.changes", qos: .userInitiated)
    /// `nil` if the system does not report changes.
    private let source: (any DispatchSourceProtocol)?

    init(path: String, listeners: Listeners) {
        let path = path + OpeningLock.ending
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        self.listeners = listeners
        source = descriptor < 0 ? nil : Self.source(of: path, on: queue)
        source?.setEventHandler { [weak self] in self?.fileHasChanged() }
        source?.resume()
    }

    /// Whether the system reports changes.
    var isNotified: Bool { source != nil }

    /// Wakes all processes after a commit. Do not call it after ``stop()``.
    func touch() { if futimens(descriptor, nil) != 0 || !isNotified { listeners.notify() } }

    private func fileHasChanged() {
        #if canImport(Glibc)
        Self.drain(source)
        #endif
        listeners.notify()
    }

    func stop() {
        source?.cancel()
        if descriptor >= 0 { close(descriptor) }
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
