// A terminal for the real command.

import Foundation

/// Both ends of a pseudo-terminal of Linux.
struct PseudoTerminal {
    let master: FileHandle
    let slave: FileHandle

    init() throws {
        // Glibc's module lacks posix_openpt and the like: these are their system calls.
        let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var lock: Int32 = 0
        var number: UInt32 = 0
        guard descriptor >= 0, ioctl(descriptor, 0x4004_5431, &lock) == 0, ioctl(descriptor, 0x8004_5430, &number) == 0
        else { throw POSIXError(.ENXIO) }
        master = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw POSIXError(.ENXIO) }
        self.slave = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    }

    /// Whether it echoes, edits lines, and makes signals of keys.
    func localModes() throws -> tcflag_t {
        var state = termios()
        guard tcgetattr(slave.fileDescriptor, &state) == 0 else { throw POSIXError(.ENOTTY) }
        return state.c_lflag
    }

    func resize(columns: UInt16) throws {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(slave.fileDescriptor, UInt(TIOCSWINSZ), &size) == 0 else { throw POSIXError(.ENOTTY) }
    }

    /// Types a text.
    func type(_ text: String) throws { try master.write(contentsOf: Data(text.utf8)) }

    /// Waits until output is shown, or the process has closed its end.
    func canRead(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: master.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, milliseconds) == 1
    }

    /// The next output. Fails when the process has closed its end.
    func read() throws -> String { String(decoding: try readBytes(), as: UTF8.self) }

    /// The rest of the output. Returns when the process has closed its end.
    func readToEnd() -> String {
        var bytes: [UInt8] = []
        while let next = try? readBytes(), !next.isEmpty { bytes += next }
        return String(decoding: bytes, as: UTF8.self)
    }

    func readBytes() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(master.fileDescriptor, &bytes, bytes.count)
        guard count >= 0 else { throw POSIXError(.EIO) }
        return Array(bytes[..<count])
    }
}
