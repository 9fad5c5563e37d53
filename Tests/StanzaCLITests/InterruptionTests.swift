// Signals on a real terminal, a pseudo-terminal: it is left without the progress line, and with its own line editing.

import Foundation
import Testing

@testable import StanzaCLI

@Suite("Interruption", .timeLimit(.minutes(60)))
struct InterruptionTests {
    /// Ctrl-C lets the search tell how far it came; it was waiting for more input.
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
        DispatchQueue.global().asyncAfter(deadline: .now() + 1200, execute: watchdog)
        defer { watchdog.cancel() }

        // The line is drawn with the first piece that is read a second after the beginning, whenever that is.
        var shown = ""
        while !shown.contains("stanzas"), process.isRunning {
            try input.fileHandleForWriting.write(contentsOf: Data("<a/>".utf8))
            if terminal.canRead(within: 200) { shown += try terminal.read() }
        }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        while let rest = try? terminal.read(), !rest.isEmpty { shown += rest }

        let last = try #require(shown.components(separatedBy: "\r\u{1B}[K").last)
        if signal == SIGINT {
            let summary = /stanza: interrupted after \d+ stanzas?, with \d+ results?\r\n/
            #expect(last.wholeMatch(of: summary) != nil, "\(last)")
        } else {
            #expect(last.isEmpty)
        }
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
        DispatchQueue.global().asyncAfter(deadline: .now() + 1200, execute: watchdog)
        defer { watchdog.cancel() }

        while try terminal.localModes() & tcflag_t(ICANON) != 0, process.isRunning { usleep(10_000) }
        #expect(try terminal.localModes() & tcflag_t(ECHO) == 0)
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == signal)
        #expect(try terminal.localModes() == before)
    }

    /// The program may be about to ask why a call failed when the signal comes.
    @Test("that is only noted leaves the reason of a failed call")
    func keepsTheReason() {
        errno = ENOENT
        // There is no such descriptor.
        Interruption.ring(-1)
        let reason = errno
        #expect(reason == ENOENT)
    }
}
