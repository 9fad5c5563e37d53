// The progress bar: when it is drawn, its text, and its removal. InterruptionTests.swift tests its removal by a signal.

import Foundation
import Testing

@testable import StanzaCLI

@Suite("Progress")
struct ProgressTests {
    private static let erasing = "\r\u{1B}[K"

    /// The bytes that a terminal received from a search, and its final content.
    private struct Screen {
        let errors: String
        let output: String
        let status: CommandStatus

        /// Each drawing of the line.
        var drawings: [String] {
            errors.components(separatedBy: ProgressTests.erasing).dropFirst().map {
                String($0.prefix { $0 != "\n" })
            }.filter { $0.contains("MiB") }
        }

        /// The lines that are left.
        var remains: String {
            var lines = [""]
            var rest = errors[...]
            while let character = rest.first {
                if rest.hasPrefix(ProgressTests.erasing) {
                    lines[lines.count - 1] = ""
                    rest = rest.dropFirst(ProgressTests.erasing.count)
                    continue
                }
                if character == "\n" { lines.append("") } else { lines[lines.count - 1].append(character) }
                rest = rest.dropFirst()
            }
            return lines.joined(separator: "\n")
        }
    }

    /// Searches input whose pieces arrive in this interval.
    private func search(
        _ pieces: [String], every interval: Duration, size: Int?, showsOutput: Bool = false, givesInput: Bool = false,
        isTerminal: Bool = true, _ arguments: String...
    ) -> Screen {
        let errors = MemorySink()
        let output = showsOutput ? errors : MemorySink()
        var now = Duration.seconds(1000)
        let source = MemorySource(pieces.map { Array($0.utf8) }, isLive: size == nil) { now += interval }
        let terminal = Terminal(showsOutput: showsOutput, givesInput: givesInput) { now }
        let console = Console(
            input: source, output: Output(output), errors: Output(errors), terminal: isTerminal ? terminal : nil,
            byteCount: { $0 == "-" ? size : nil },
            open: { _ throws(SystemError) in throw SystemError(code: 2) })
        let status = StanzaCommand.run(["find", "/$"] + arguments, on: console)
        return Screen(errors: errors.text, output: output.text, status: status)
    }

    private let stanzas = (0..<100).map { _ in "<a/>" }

    @Test("is drawn at once for long input, at most ten times a second, and erased")
    func longInput() {
        let long = String(repeating: " ", count: 1 << 16)
        let screen = search(stanzas.map { $0 + long }, every: .milliseconds(30), size: 8 << 20)
        // 101 reads in 3 seconds.
        #expect((20...31).contains(screen.drawings.count))
        #expect(screen.drawings.first?.hasPrefix("[----------] 0 %, 0.0 of 8.0 MiB, 0 stanzas, 0 results") == true)
        #expect(screen.drawings.last?.hasPrefix("[#######") == true)
        #expect(screen.errors.hasSuffix(Self.erasing))
        #expect(screen.remains.isEmpty)
        #expect(screen.output == String(repeating: "a\n", count: 100))
    }

    @Test("is drawn for other input when a second has passed")
    func slowInput() {
        let slow = search(stanzas, every: .milliseconds(100), size: nil)
        #expect((80...92).contains(slow.drawings.count))
        #expect(slow.drawings.first?.hasPrefix("0.0 MiB, ") == true)
        #expect(slow.drawings.last?.hasSuffix("100 stanzas, 100 results") == true)
        #expect(slow.remains.isEmpty)
        #expect(search(stanzas, every: .milliseconds(9), size: nil).errors.isEmpty)
        #expect(search(stanzas, every: .milliseconds(9), size: 8 << 20 - 1).errors.isEmpty)
    }

    @Test("is not drawn without a terminal, for typed input, or when it is disabled")
    func unwanted() {
        #expect(search(stanzas, every: .seconds(1), size: 1 << 30, isTerminal: false).errors.isEmpty)
        #expect(search(stanzas, every: .seconds(1), size: nil, givesInput: true).errors.isEmpty)
        #expect(search(stanzas, every: .seconds(1), size: 1 << 30, "--no-progress").errors.isEmpty)
    }

    @Test("makes room for results on the same terminal, and for mistakes")
    func sharedTerminal() {
        let pieces = ["<a/>\n", "<b></c>\n", "<d/>\n", "<e/>\n"]
        for jobs in ["1", "2"] {
            let shared = search(pieces, every: .seconds(1), size: nil, showsOutput: true, "--jobs", jobs)
            #expect(!shared.drawings.isEmpty)
            let lines = shared.remains.split(separator: "\n")
            #expect(lines.count == 4)
            #expect(lines.first == "a")
            #expect(lines.dropFirst(2) == ["d", "e"])
            let apart = search(pieces, every: .seconds(1), size: nil, "--jobs", jobs)
            #expect(apart.remains.hasPrefix("stanza: -:2:4: "))
            #expect(apart.remains.split(separator: "\n").count == 1)
            #expect(apart.output == "a\nd\ne\n")
            #expect(apart.status == .badInput)
        }
    }

    @Test("is drawn for files whose total length exceeds an integer")
    func hugeFiles() {
        let (output, errors) = (MemorySink(), MemorySink())
        let console = Console(
            input: MemorySource([], isLive: false), output: Output(output), errors: Output(errors),
            terminal: Terminal(showsOutput: false, givesInput: false) { .zero }, byteCount: { _ in Int.max },
            open: { _ in MemorySource([Array("<a/>".utf8)], isLive: false) })
        #expect(StanzaCommand.run(["find", "/$", "1", "2"], on: console) == .success)
        #expect(output.text == "a\na\n")
    }

    @Test("is shorter than a row of the terminal, which may become narrower in between")
    func width() throws {
        let errors = MemorySink()
        var (columns, now) = (200, Duration.zero)
        let console = Console(
            input: MemorySource([], isLive: false), output: Output(MemorySink()), errors: Output(errors),
            terminal: Terminal(showsOutput: true, givesInput: false, columns: { columns }, now: { now }),
            open: { _ throws(SystemError) in throw SystemError(code: 2) })
        let progress = try #require(Progress(of: 1 << 50, on: console))
        let full = "[##########] 100 %, 1073741824.0 of 1073741824.0 MiB"
        progress.add(bytes: 1 << 50, stanzas: 1 << 50, results: 1 << 50)
        for (width, expected) in [(200, 79), (80, 79), (40, 39), (1, 0), (0, 0)] {
            columns = width
            now += .seconds(1)
            progress.add(bytes: 0, stanzas: 0, results: 0)
            let line = try #require(errors.text.components(separatedBy: Self.erasing).last)
            #expect(line.count == expected)
            #expect(line.prefix(full.count) == full.prefix(expected))
        }
        progress.end()
    }
}
