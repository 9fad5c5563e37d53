// Watches the files of the database through the system.

import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc

/// Calls back when a process writes the database's log.
struct FileWatch {
    private let source: any DispatchSourceRead

    /// Returns `nil` if the system cannot watch files.
    init?(path: String, queue: DispatchQueue, _ notify: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        if descriptor < 0 { return nil }
        // SQLite creates and removes the log, so this watches the folder.
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let name = Array(URL(fileURLWithPath: path).lastPathComponent.utf8) + Array("-wal".utf8)
        if inotify_add_watch(descriptor, folder, UInt32(IN_MODIFY) | UInt32(IN_CREATE)) < 0 {
            close(descriptor)
            return nil
        }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            if Self.readEvents(from: descriptor, about: name) { notify() }
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    func stop() { source.cancel() }

    /// Reads all waiting events. Returns whether one concerns the file with this name.
    private static func readEvents(from descriptor: CInt, about name: [UInt8]) -> Bool {
        var isMeant = false
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while case let count = read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
                var start = 0
                let header = MemoryLayout<inotify_event>.size
                while start + header <= count {
                    let event = buffer.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
                    let end = min(start + header + Int(event.len), count)
                    let text = buffer[(start + header)..<end].prefix { $0 != 0 }
                    // After an overflow, the written files are unknown.
                    if text.elementsEqual(name) || event.mask & UInt32(IN_Q_OVERFLOW) != 0 { isMeant = true }
                    start = end
                }
            }
        }
        return isMeant
    }
}
#elseif canImport(Darwin)
import Darwin

/// Calls back when a process writes the database's log.
struct FileWatch {
    private let source: any DispatchSourceFileSystemObject

    /// Returns `nil` if the log does not exist.
    init?(path: String, queue: DispatchQueue, _ notify: @escaping @Sendable () -> Void) {
        let descriptor = open(path + "-wal", O_EVTONLY)
        if descriptor < 0 { return nil }
        source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
        source.setEventHandler(handler: notify)
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    func stop() { source.cancel() }
}
#else
/// A system without a file watch.
struct FileWatch {
    init?(path: String, queue: DispatchQueue, _ notify: @escaping @Sendable () -> Void) { nil }

    func stop() {}
}
#endif
