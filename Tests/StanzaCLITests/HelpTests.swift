// The help: each command has all sections. CommandTests runs its examples, CompletionTests the completions in shells.

import Foundation
import StanzaCLI
import TestSupport
import Testing

@Suite("Help")
struct HelpTests {
    private static let commands = [[], ["find"], ["explain"], ["repl"], ["form"], ["lint"], ["conformance"]]

    @Test("has all sections, and fits a terminal", arguments: commands)
    func sections(command: [String]) {
        let lines = stanza(["help"] + command, input: []).lines
        let result = stanza(command + ["--help"], input: [])
        #expect(result.lines == lines && result.errors.isEmpty && result.status == .success)
        for section in ["INPUT", "EXIT CODES", "EXAMPLES"] { #expect(lines.contains(section)) }
        #expect(lines.contains("OUTPUT") || command.isEmpty)
        #expect(lines.contains("ENVIRONMENT") == (command.isEmpty || command == ["repl"]))
        #expect(lines.contains("FILES") == (command == ["repl"]))
        #expect(lines.contains { $0.hasPrefix("USAGE: stanza") })
        #expect(lines.contains { $0.hasSuffix("the output cannot be written") })
        // The rest is wrapped to the terminal's width.
        #expect(lines.prefix { !$0.hasPrefix("USAGE:") }.allSatisfy { !$0.hasPrefix(" ") || $0.count <= 80 })
        // The rows of a table are short enough not to continue below the first column.
        for (row, next) in zip(lines, lines.dropFirst()) where row.hasPrefix("  ") && !next.hasPrefix(" ") {
            #expect(next.first?.isUppercase ?? true, "\(next)")
        }
    }

    /// The example of the doc comment.
    @Test("of a command that another program runs")
    func embedded() {
        let sink = MemorySink()
        let console = Console(
            input: MemorySource([], isLive: false), output: Output(sink), errors: Output(MemorySink()),
            open: { _ throws(SystemError) in throw SystemError(code: ENOENT) })
        let status = StanzaCommand.run(["explain", "body#"], on: console)
        #expect(status == .success)
        #expect(sink.text.contains("yield  text"))
    }
}

/// What `stanza explain` prints for long input. Tests/Inputs/commands/explain.txt has the rest.
@Suite("Explain")
struct ExplainTests {
    @Test("reads no more queries than its limits")
    func limits() {
        for (pieces, message) in [
            (Array(repeating: Array(("a" * (1 << 20)).utf8), count: 17), "more than 16777216 bytes"),
            ([Array(("a\n" * 100_001).utf8)], "100001: more than 100000 queries"),
        ] {
            let result = stanza(["explain", "--set", "-"], input: pieces)
            #expect(result.status == .badInput && result.errors.hasPrefix("stanza: -:"), "\(result.errors)")
            #expect(result.errors.contains(message), "\(result.errors)")
        }
        // Longer than a typed line.
        #expect(stanza("explain", "--set", "-", input: "a<k=\("x" * 70_000)>").status == .success)
    }

    /// The lines below a heading.
    private func elements(_ query: String, _ input: String) -> [String] {
        let lines = stanza("explain", query, "--on", "-", input: input).output.components(separatedBy: "\n")
        return Array(lines.drop { !$0.hasPrefix("Elements") }.dropFirst().prefix { $0.hasPrefix("  ") })
    }

    @Test("keeps every element in its line, with any content, and cuts long ones")
    func longStanzas() {
        let lines = elements("/a@b", "<a b='x'>x<c/>\("z" * 10_000)</a>")
        #expect(lines.count == 3 && lines.allSatisfy { $0.count <= 162 })
        let cut = elements("b", "<a>" + "<b/>" * 3_000 + "</a>")
        #expect(cut.count == 2_002 && cut[2_000] == "  … 1001 more elements")
        #expect(cut[2_001] == "  + matched: 3000, · visited: 1, - rejected: 0, not examined: 0")
        #expect(elements("b", "<a>" * 200 + "</a>" * 200).count == 201)
        // Characters without width are cut, too.
        let marks = elements("/a", "<a>x\("\u{301}" * 10_000)</a>")
        #expect(marks.count == 2 && marks[0].hasSuffix("…") && marks[0].unicodeScalars.count <= 650)
    }

    @Test("is in color on a terminal that has colors", arguments: [true, false])
    func colors(showsColors: Bool) {
        let sink = MemorySink()
        let console = Console(
            input: MemorySource([Array("<a><b/><c/></a>".utf8)], isLive: false),
            output: Output(sink, showsColors: showsColors), errors: Output(MemorySink()),
            open: { _ throws(SystemError) in throw SystemError(code: ENOENT) })
        #expect(StanzaCommand.run(["explain", "b", "--on", "-"], on: console) == .success)
        for text in [
            "\u{1B}[1mSyntax tree:\u{1B}[0m\n", "\u{1B}[1;32m+   <b/>\u{1B}[0m\n", "\u{1B}[33m-   <c/>\u{1B}[0m\n",
        ] {
            #expect(sink.text.contains(text) == showsColors)
        }
        #expect(sink.text.contains("\u{1B}") == showsColors)
    }
}
