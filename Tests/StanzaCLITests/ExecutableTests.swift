// The executable itself, as a process: its outputs, its waits, colors, and the progress bar on a terminal.

import Foundation
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("The executable", .timeLimit(.minutes(60)))
struct ExecutableTests {
    private func start(
        _ arguments: String...
    ) throws -> (process: ChildProcess, input: FileHandle, output: FileHandle) {
        let input = Pipe()
        let output = Pipe()
        let process = try ChildProcess(
            stanzaExecutable, arguments, input: .pipe(input), output: .pipe(output), errors: .nothing)
        return (process, input.fileHandleForWriting, output.fileHandleForReading)
    }

    @Test("prints results while the input is still open")
    func prints() throws {
        let (process, input, output) = try start("find", "/$")
        try input.write(contentsOf: Data((streamHeader + "<message/>").utf8))
        #expect(output.availableData == Data("message\n".utf8))
        #expect(process.isRunning)
        try input.write(contentsOf: Data("<iq/></stream:stream>".utf8))
        try input.close()
        #expect(try output.readToEnd() == Data("iq\n".utf8))
        #expect(process.waitUntilExit() == .exit(0))
    }

    @Test("ends quietly, at once, when its output is closed")
    func closedOutput() throws {
        let (process, input, output) = try start("find", "/$")
        try output.close()
        try input.write(contentsOf: Data("<a/>".utf8))
        let end = process.waitUntilExit()
        try input.close()
        #expect(end == .exit(0))
    }

    @Test("waits for the writer of a FIFO")
    func fifo() async throws {
        // The writer would block forever if the command had already ended.
        let result = try await Shell.run(
            "mkfifo f; (sleep 0.1; echo '<a/>' >f) & stanza find '/$' f; echo $?; kill $!")
        #expect(result.output == "a\n0\n")
    }

    @Test("waits for the holder of a lease on a file")
    func leasedFile() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("leased.xml", "<a/>")
        let descriptor = open(file.path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        // Glibc's module lacks F_SETSIG, F_SETLEASE and F_GETLEASE.
        let (setSignal, setLease, getLease): (Int32, Int32, Int32) = (10, 1024, 1025)
        // The system asks the holder of a lease with a signal. This one ends no process.
        try #require(fcntl(descriptor, setSignal, SIGURG) == 0)
        // Not every file system has leases.
        guard fcntl(descriptor, setLease, F_WRLCK) == 0 else { return }
        let (process, input, output) = try start("find", "/$", file.path)
        while fcntl(descriptor, getLease) == F_WRLCK, process.isRunning { usleep(10_000) }
        _ = fcntl(descriptor, setLease, F_UNLCK)
        #expect(try output.readToEnd() == Data("a\n".utf8))
        #expect(process.waitUntilExit() == .exit(0))
        try input.close()
    }

    @Test("follows a file until Ctrl-C, also when it becomes shorter, or another file takes its name")
    func follow() async throws {
        let script = """
            echo "1 <a type='error'/>" > ejabberd.log
            stanza --follow --with-source '/<type=error>' ejabberd.log > out & pid=$!
            (sleep 100; kill -9 $pid) > /dev/null 2>&1 &
            wait_for() { n=0; until grep -q "<$1" out || [ $n -gt 600 ]; do sleep 0.1; n=$((n + 1)); done; }
            wait_for a; printf '2 <b' >> ejabberd.log; echo " type='error'/>" >> ejabberd.log
            wait_for b; echo "<e type='error'/>" >> ejabberd.log; echo "3 <c type='error'/><x>" > g; mv g ejabberd.log
            wait_for c; echo "4 <d type='error'/>" > ejabberd.log
            wait_for d; kill -INT $pid; wait $pid; echo $? >> out; cut -d' ' -f1 out
            stanza --follow '/$' < ejabberd.log 2>&1 >/dev/null | head -1
            """
        // A script's background processes ignore Ctrl-C, but not with job control, which bash has without a terminal.
        let result = try await Shell.run("set -m\n" + script)
        let file = "ejabberd.log"
        #expect(
            result.output.hasPrefix(
                "\(file):1:<a\n\(file):2:<b\n\(file):3:<e\n\(file):1:<c\n\(file):1:<d\n130\nError: --follow takes one file."
            ),
            "\(result.output)")
    }

    @Test("needs bounded memory for logs, also when they are decompressed")
    func memory() async throws {
        let script = """
            (printf '1 <a>'; head -c 64000000 /dev/zero | tr '\\0' x; printf '<b/>') > f; gzip -1 < f > f.gz
            ulimit -v 100000
            stanza --row t=.time --row 'n=/$' --tsv f.gz; stanza --member a.b '/$' f.gz
            """
        let result = try await Shell.run(script)
        #expect(result.output == "t\tn\n\tb\nb\n", "\(result.output)")
    }

    // MARK: Terminals

    /// The output of `stanza explain body#`, with one of its outputs on a terminal.
    private func explain(onTerminal isTerminal: Bool, environment: [String: String] = [:]) async throws -> String {
        try await blocking {
            let (terminal, pipe) = (try PseudoTerminal(), Pipe())
            let process = try ChildProcess(
                stanzaExecutable, ["explain", "body#"],
                environment: ["TERM": "xterm", "PATH": "/usr/bin:/bin"].merging(environment) { $1 },
                input: .nothing, output: isTerminal ? .file(terminal.slave) : .pipe(pipe),
                errors: isTerminal ? .nothing : .file(terminal.slave))
            // The read ends when the last writer has closed.
            try terminal.slave.close()
            defer { process.waitUntilExit() }
            if isTerminal { return terminal.readToEnd() }
            return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
    }

    @Test("shows colors on a terminal, wherever the errors go, but not against the user's wish")
    func colors() async throws {
        #expect(try await explain(onTerminal: true).contains("\u{1B}[1mSyntax tree:\u{1B}[0m"))
        let piped = try await explain(onTerminal: false)
        #expect(piped.contains("Syntax tree:\n") && !piped.contains("\u{1B}"))
        let plain = try await explain(onTerminal: true, environment: ["NO_COLOR": "1"])
        #expect(plain.contains("Syntax tree:") && !plain.contains("\u{1B}"))
    }

    @Test(
        "draws its progress from the beginning for a long file, and erases it in the end", arguments: ["xterm", "dumb"])
    func progress(name: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("long.xml", ("<a/>" + " " * (1 << 16)) * 129)
        let terminal = try PseudoTerminal()
        let command = try CommandOnTerminal(
            ["find", "--count", "", file.path] + (name == "dumb" ? ["missing"] : []), input: .nothing, on: terminal,
            called: name)
        try terminal.slave.close()
        let shown = terminal.readToEnd()
        #expect(command.process.waitUntilExit() == .exit(name == "dumb" ? 3 : 0))
        let error = "stanza: missing: \(String(cString: strerror(ENOENT)))\r\n"
        if name == "dumb" { return #expect(shown == error) }
        #expect(shown.hasPrefix("\r\u{1B}[K[----------] ") && shown.contains(" of 8.0 MiB, "))
        #expect(shown.hasSuffix("\r\u{1B}[K"))
    }
}
