// Signals on a pseudo-terminal: the progress line is erased, and the terminal's line editing restored.

import Foundation
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Interruption", .timeLimit(.minutes(60)))
struct InterruptionTests {
    /// Ctrl-C ends a search that waits for more input. The search reports its progress.
    @Test("erases the progress line, and ends the process by the signal", arguments: [SIGINT, SIGTERM])
    func erasesTheLine(signal: Int32) throws {
        let terminal = try PseudoTerminal()
        let input = Pipe()
        let command = try CommandOnTerminal(["find", "--count", ""], input: .pipe(input), on: terminal)
        try terminal.slave.close()

        // The line appears with the first piece read at least a second after the beginning.
        var shown = ""
        while !shown.contains("stanzas"), command.process.isRunning {
            try input.fileHandleForWriting.write(contentsOf: Data("<a/>".utf8))
            if terminal.canRead(within: 200) { shown += try terminal.read() }
        }
        let end = command.end(by: signal)
        shown += terminal.readToEnd()

        let last = try #require(shown.components(separatedBy: "\r\u{1B}[K").last)
        if signal == SIGINT {
            let summary = /stanza: interrupted after \d+ stanzas?, with \d+ results?\r\n/
            #expect(last.wholeMatch(of: summary) != nil, "\(last)")
        } else {
            #expect(last.isEmpty)
        }
        #expect(end == .signal(signal))
    }

    @Test("restores the terminal's line editing", arguments: [SIGTERM, SIGHUP])
    func restoresTheTerminal(signal: Int32) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("form.xml", "<x xmlns='jabber:x:data' type='form'><field var='a' label='Name'/></x>")
        let terminal = try PseudoTerminal()
        let before = try terminal.localModes()
        let command = try CommandOnTerminal(["form", file.path], input: .file(terminal.slave), on: terminal)
        while try terminal.localModes() & tcflag_t(ICANON) != 0, command.process.isRunning { usleep(10_000) }
        #expect(try terminal.localModes() & tcflag_t(ECHO) == 0)
        #expect(command.end(by: signal) == .signal(signal))
        #expect(try terminal.localModes() == before)
    }

    @Test(
        "ends the wait for the writer of a FIFO",
        arguments: [
            (["find", ""], "stanza: interrupted after 0 stanzas, with 0 results\r\n"),
            (["conformance"], "stanza: interrupted: 0 passed, 0 failed so far\r\n"), (["form"], ""),
        ])
    func endsTheWaitForAWriter(arguments: [String], message: String) throws {
        let folder = try TemporaryFolder()
        let fifo = folder.file("fifo").path
        try #require(mkfifo(fifo, 0o600) == 0)
        let terminal = try PseudoTerminal()
        let command = try CommandOnTerminal(arguments + [fifo], input: .nothing, on: terminal)
        try terminal.slave.close()
        let files = "/proc/\(command.process.processIdentifier)/fd"
        func isOpen() -> Bool {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []
            return names.contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\($0)")) == fifo
            }
        }
        while !isOpen(), command.process.isRunning { usleep(10_000) }
        #expect(command.end(by: SIGINT) == .signal(SIGINT))
        #expect(terminal.readToEnd().components(separatedBy: "\r\u{1B}[K").last == message)
    }

    /// The pipe is full, and its reader does not read.
    @Test("ends a command whose output waits for its reader", arguments: ["1", "2"])
    func endsTheWaitForAReader(jobs: String) throws {
        let stanzas = String(repeating: "<a>\(String(repeating: "x", count: 1000))</a>", count: 1000)
        let folder = try TemporaryFolder()
        let file = try folder.file("long.xml", stanzas)
        let (process, output, errors, watchdog) = try start(["find", "--jobs", jobs, "/a#", file.path])
        defer { watchdog.cancel() }
        func waiting() throws -> Int32 {
            var count: Int32 = 0
            guard ioctl(output.fileDescriptor, UInt(FIONREAD), &count) == 0 else {
                throw POSIXError(.EIO)
            }
            return count
        }
        var former: Int32 = -1
        while try waiting() == 0 || waiting() != former, process.isRunning {
            former = try waiting()
            usleep(200_000)
        }
        #expect(process.isRunning)
        process.send(SIGINT)
        #expect(process.waitUntilExit() == .signal(SIGINT))
        let summary = try String(decoding: errors.readToEnd() ?? Data(), as: UTF8.self)
        #expect(
            summary.wholeMatch(of: /stanza: interrupted after \d+ stanzas, with \d+ results\n/) != nil, "\(summary)")
    }

    /// All writes after Ctrl-C share one moment, for any number of pieces.
    @Test("does not wait for a slow reader piece by piece", arguments: ["1", "2"])
    func endsTheWaitForASlowReader(jobs: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("long.xml", "<a>\(String(repeating: "x", count: 1_000_000))</a>")
        let (process, output, _, watchdog) = try start(["find", "--jobs", jobs, "/a#", file.path])
        defer { watchdog.cancel() }
        #expect(try output.read(upToCount: 4096)?.count == 4096)
        process.send(SIGINT)
        var readings = 0
        while process.isRunning, try output.read(upToCount: 4096) != nil {
            readings += 1
            usleep(30_000)
        }
        #expect(process.waitUntilExit() == .signal(SIGINT))
        #expect(readings < 100)
    }

    @Test("reports the number of results if the reader takes them all", arguments: ["1", "2"])
    func duringOutput(jobs: String) throws {
        let stanzas = String(repeating: "<a>\(String(repeating: "x", count: 99))</a>\n", count: 10_000)
        let folder = try TemporaryFolder()
        let file = try folder.file("long.xml", stanzas)
        let files = Array(repeating: file.path, count: 1_000)
        let (process, output, errors, watchdog) = try start(["find", "--jobs", jobs, "/a#"] + files)
        defer { watchdog.cancel() }
        var length = 0
        while let bytes = try output.read(upToCount: 1 << 16), !bytes.isEmpty {
            if length < 1_000_000, length + bytes.count >= 1_000_000 { process.send(SIGINT) }
            length += bytes.count
        }
        #expect(process.waitUntilExit() == .signal(SIGINT))
        let summary = try String(decoding: errors.readToEnd() ?? Data(), as: UTF8.self)
        let found = try #require(
            summary.wholeMatch(of: /stanza: interrupted after (\d+) stanzas, with (\d+) results\n/), "\(summary)")
        // A reader that was too slow at the end did not get all of it.
        let results = try #require(Int(found.2))
        #expect(found.1 == found.2 && results < 10_000_000)
        #expect((1_000_000...(100 * results)).contains(length))
    }

    /// A running command with the ends of its outputs. A watchdog kills it if it hangs.
    private func start(
        _ arguments: [String]
    ) throws -> (process: ChildProcess, output: FileHandle, errors: FileHandle, watchdog: DispatchWorkItem) {
        let (output, errors) = (Pipe(), Pipe())
        let process = try ChildProcess(
            stanzaExecutable, arguments, input: .nothing, output: .pipe(output), errors: .pipe(errors))
        return (process, output.fileHandleForReading, errors.fileHandleForReading, process.send(SIGKILL, after: 1200))
    }

    /// The signal may arrive between a failed call and the program's check of `errno`.
    @Test("that is only noted keeps the error of a failed call")
    func keepsTheReason() {
        errno = ENOENT
        // No such descriptor exists.
        Interruption.ring(-1)
        let reason = errno
        #expect(reason == ENOENT)
    }
}
