// Signals on a real terminal, a pseudo-terminal: it is left without the progress line, and with its own line editing.

import Foundation
import Testing

@Suite("Interruption", .timeLimit(.minutes(10)))
struct InterruptionTests {
    @Test("erases the progress line, and ends the process by the signal", arguments: [SIGINT, SIGTERM])
    func erasesTheLine(signal: Int32) throws {
        let terminal = try PseudoTerminal()
        let input = Pipe()
        let process = Process()
        process.executableURL = stanzaExecutable
        process.arguments = ["find", "--count", ""]
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = terminal.slave
        try withDefaultSignals { try process.run() }
        try terminal.slave.close()
        // Nothing here may wait for ever.
        let watchdog = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: watchdog)
        defer { watchdog.cancel() }

        // Two pieces a second apart: the line is drawn with the second one.
        try input.fileHandleForWriting.write(contentsOf: Data("<a/>".utf8))
        Thread.sleep(forTimeInterval: 1.2)
        try input.fileHandleForWriting.write(contentsOf: Data("<a/>".utf8))
        var shown = ""
        while !shown.contains("stanzas") { shown += try terminal.read() }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        while let rest = try? terminal.read(), !rest.isEmpty { shown += rest }

        #expect(shown.hasSuffix("\r\u{1B}[K"))
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == signal)
    }

    @Test("gives a terminal its line editing back", arguments: [SIGTERM, SIGHUP])
    func restoresTheTerminal(signal: Int32) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "form-\(UUID()).xml")
        try Data("<x xmlns='jabber:x:data' type='form'><field var='a' label='Name'/></x>".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let terminal = try PseudoTerminal()
        let before = try terminal.localModes()
        let process = Process()
        process.executableURL = stanzaExecutable
        process.arguments = ["form", file.path]
        process.standardInput = terminal.slave
        process.standardOutput = FileHandle.nullDevice
        process.standardError = terminal.slave
        try withDefaultSignals { try process.run() }
        let watchdog = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: watchdog)
        defer { watchdog.cancel() }

        while try terminal.localModes() & tcflag_t(ICANON) != 0, process.isRunning { usleep(10_000) }
        #expect(try terminal.localModes() & tcflag_t(ECHO) == 0)
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == signal)
        #expect(try terminal.localModes() == before)
    }
}

/// Threads of tests block signals, and who started the tests may ignore them: a process inherits both.
private func withDefaultSignals(_ body: () throws -> Void) rethrows {
    let former = signal(SIGINT, SIG_DFL)
    var none = sigset_t()
    var blocked = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &blocked)
    defer {
        pthread_sigmask(SIG_SETMASK, &blocked, nil)
        signal(SIGINT, former)
    }
    try body()
}

/// Both ends of a pseudo-terminal of Linux.
private struct PseudoTerminal {
    let master: FileHandle
    let slave: FileHandle

    init() throws {
        // Glibc's module lacks posix_openpt and its like: these are the system calls behind them.
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

    /// What is shown next. Fails when the process has closed its end.
    func read() throws -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(master.fileDescriptor, &bytes, bytes.count)
        guard count >= 0 else { throw POSIXError(.EIO) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
