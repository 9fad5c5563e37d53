// Asks the system to tell when a file of the database is written.

import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc

/// Calls back when something in the folder of the database is written.
struct FileWatch {
    private let source: any DispatchSourceRead

    /// `nil` where the system cannot tell.
    init?(path: String, queue: DispatchQueue, _ tell: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        if descriptor < 0 { return nil }
        // The file that commits go to comes and goes, so the folder is watched.
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let name = Array(URL(fileURLWithPath: path).lastPathComponent.utf8) + Array("-wal".utf8)
        if inotify_add_watch(descriptor, folder, UInt32(IN_MODIFY) | UInt32(IN_CREATE)) < 0 {
            close(descriptor)
            return nil
        }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            if Self.readEvents(from: descriptor, about: name) { tell() }
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    func stop() { source.cancel() }

    /// Reads all events that wait. Returns whether one is about the file with this name.
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
                    // After an overflow, nobody knows what was written.
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

/// Calls back when the file that commits go to is written.
struct FileWatch {
    private let source: any DispatchSourceFileSystemObject

    /// `nil` where there is no such file.
    init?(path: String, queue: DispatchQueue, _ tell: @escaping @Sendable () -> Void) {
        let descriptor = open(path + "-wal", O_EVTONLY)
        if descriptor < 0 { return nil }
        source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
        source.setEventHandler(handler: tell)
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    func stop() { source.cancel() }
}
#else
/// The system cannot tell.
struct FileWatch {
    init?(path: String, queue: DispatchQueue, _ tell: @escaping @Sendable () -> Void) { nil }

    func stop() {}
}
#endif
