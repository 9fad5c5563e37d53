// `ChildProcess`, with which tests start other programs: arguments, open files, signals, and the end of the process.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct ChildProcessTests {
    private static let shell = URL(filePath: "/bin/sh")

    private static func run(_ script: String, with words: [String] = []) async throws -> ChildProcess.End {
        try await blocking {
            try ChildProcess(shell, ["-c", script] + words, input: .nothing, output: .nothing).waitUntilExit()
        }
    }

    @Test func aProcessHasItsArgumentsAndEnvironment() async throws {
        let (input, output) = (Pipe(), Pipe())
        let process = try ChildProcess(
            Self.shell, ["-c", "pwd; echo $WORDS; cat; echo $1 >&2", "sh", "an argument"],
            environment: ["WORDS": "some words", "PATH": "/usr/bin:/bin"], folder: packageFolder,
            input: .pipe(input), output: .pipe(output), errors: .pipe(output))
        try input.fileHandleForWriting.write(contentsOf: Data("read\n".utf8))
        #expect(process.isRunning)
        try input.fileHandleForWriting.close()
        let text = await blocking {
            String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        #expect(text == "\(packageFolder.resolvingSymlinksInPath().path)\nsome words\nread\nan argument\n")
        #expect(await blocking { process.waitUntilExit() } == .exit(0))
        #expect(!process.isRunning)
    }

    #if os(Linux)
    /// A child must not inherit other files. Otherwise the reader of a pipe would wait for the end of every child that
    /// was started while the pipe was open.
    @Test func itHasNoOtherFileOfThisProcess() async throws {
        let pipe = Pipe()
        let number = pipe.fileHandleForWriting.fileDescriptor
        #expect(number > 2)
        #expect(try await Self.run("test -e /proc/self/fd/2") == .exit(0))
        #expect(try await Self.run("test -e /proc/self/fd/$0", with: ["\(number)"]) == .exit(1))
        try pipe.fileHandleForWriting.close()
    }
    #endif

    /// A child gets the default signal handlers, even if the tests or their parent process ignore signals.
    @Test func itsSignalsAreTheUsualOnes() async throws {
        #expect(try await Self.run("kill -PIPE $$") == .signal(SIGPIPE))
        #expect(try await Self.run("kill -INT $$") == .signal(SIGINT))
    }

    @Test func theEndOfAProcessIsReported() async throws {
        #expect(try await Self.run("exit 3") == .exit(3))
        #expect(try await Self.run("kill -KILL $$") == .signal(SIGKILL))
        let process = try ChildProcess(URL(filePath: "/bin/sleep"), ["1000"], output: .nothing)
        #expect(process.isRunning)
        process.send(SIGKILL)
        #expect(await blocking { process.waitUntilExit() } == .signal(SIGKILL))
        // The system may have given its process number to another process.
        process.send(SIGKILL)
    }

    @Test func whatCannotBeStarted() {
        let missing = packageFolder.appending(path: "missing")
        #expect(throws: POSIXError(.ENOENT)) { try ChildProcess(missing) }
        #expect(throws: POSIXError(.ENOENT)) { try ChildProcess(Self.shell, ["-c", ""], folder: missing) }
    }
}
