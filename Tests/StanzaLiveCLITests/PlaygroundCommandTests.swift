// The command `stanza-live playground` as a program: what it prints, and how it ends.

import Foundation
import TestSupport
import Testing

@testable import StanzaLiveCLI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(10))) struct PlaygroundCommandTests {
    /// The executable that stands beside the tests' own bundle, with its output.
    private final class Program: Sendable {
        let process = Process()
        private let output = Pipe()
        private let errors = Pipe()

        init(_ arguments: [String]) throws {
            let tests = try #require(Bundle.main.executableURL)
            process.executableURL = tests.deletingLastPathComponent().appending(path: "stanza-live")
            process.arguments = ["playground"] + arguments
            process.standardOutput = output
            process.standardError = errors
            try process.run()
        }

        /// The first line that it prints; what it printed, if it ends before.
        func firstLine() -> String {
            var text = Data()
            while !text.contains(UInt8(ascii: "\n")) {
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { break }
                text += more
            }
            return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }

        /// Ends it, if a test has ended before.
        func stop() {
            if process.isRunning { process.terminate() }
        }

        /// Waits for its end, and gives its exit code and what it printed on standard error.
        func end() -> (code: Int32, errors: String) {
            let text = errors.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: text, as: UTF8.self))
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func itServesUntilASignalEndsIt(signal: Int32) async throws {
        let program = try Program(["--port", "0"])
        defer { program.stop() }
        let line = await blocking { program.firstLine() }
        let address = try #require(URL(string: line))
        #expect(line.hasPrefix("http://127.0.0.1:") && line.hasSuffix("/"))
        let (page, response) = try await URLSession.shared.data(from: address)
        #expect((response as? HTTPURLResponse)?.statusCode == 200 && !page.isEmpty)
        kill(program.process.processIdentifier, signal)
        let (code, errors) = await blocking { program.end() }
        #expect(code == 0 && errors.isEmpty, "\(errors)")
    }

    @Test func aPortThatIsTaken() async throws {
        let first = try Program(["--port", "0"])
        defer { first.stop() }
        let address = try #require(URL(string: await blocking { first.firstLine() }))
        let port = try #require(address.port)
        let second = try Program(["--port", "\(port)"])
        defer { second.stop() }
        let (code, errors) = await blocking { second.end() }
        #expect(code == 3)
        #expect(errors.hasPrefix("stanza-live: cannot listen on 127.0.0.1:\(port): "))
        #expect(errors.contains("name another port with --port, or 0 for any that is free"))
        first.process.terminate()
        #expect(await blocking { first.end() }.code == 0)
    }

    @Test(arguments: [
        ["--port"], ["--port", "x"], ["--port", "-1"], ["--port", "65536"], ["stanza.xml"], ["--open"],
    ])
    func wrongCommands(arguments: [String]) async {
        let answer = await StanzaLiveCommand.run(["playground"] + arguments)
        #expect(answer.status == .usage)
        #expect(answer.output.isEmpty && answer.errors.contains("stanza-live playground"))
    }

    @Test func help() async {
        for arguments in [["help", "playground"], ["playground", "--help"]] {
            let answer = await StanzaLiveCommand.run(arguments)
            #expect(answer.status == .success)
            #expect(answer.output.contains("USAGE: stanza-live playground [--port <number>]"))
            #expect(answer.output.contains("(default: 6120)"))
            #expect(answer.output.contains("3  the port cannot be listened on"))
        }
        #expect(await StanzaLiveCommand.run(["--help"]).output.contains("playground"))
    }
}
