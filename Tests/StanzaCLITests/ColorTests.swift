// Colors of the real command depend on standard output alone.

import Foundation
import TestSupport
import Testing

@Suite("Colors", .timeLimit(.minutes(60)))
struct ColorTests {
    private static let heading = "\u{1B}[1mSyntax tree:\u{1B}[0m"

    /// The output of `stanza explain body#`, with one of its outputs on a terminal.
    private func explain(onTerminal isTerminal: Bool, environment: [String: String] = [:]) async throws -> String {
        try await blocking {
            let terminal = try PseudoTerminal()
            let pipe = Pipe()
            let process = try ChildProcess(
                stanzaExecutable, ["explain", "body#"],
                environment: ["TERM": "xterm", "PATH": "/usr/bin:/bin"].merging(environment) { $1 },
                input: .nothing, output: isTerminal ? .file(terminal.slave) : .pipe(pipe),
                errors: isTerminal ? .nothing : .file(terminal.slave))
            // The read ends when the last writer has closed.
            try terminal.slave.close()
            let written =
                isTerminal
                ? terminal.readToEnd()
                : String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            return written
        }
    }

    @Test("are shown on a terminal, wherever the errors go")
    func onATerminal() async throws {
        #expect(try await explain(onTerminal: true).contains(Self.heading))
    }

    @Test("are not in a file or a pipe, nor shown against the user's wish")
    func elsewhere() async throws {
        let piped = try await explain(onTerminal: false)
        #expect(piped.contains("Syntax tree:\n") && !piped.contains("\u{1B}"))
        let plain = try await explain(onTerminal: true, environment: ["NO_COLOR": "1"])
        #expect(plain.contains("Syntax tree:") && !plain.contains("\u{1B}"))
    }
}
