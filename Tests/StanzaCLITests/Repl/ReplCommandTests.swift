// `stanza repl` with interruptions, long lines, and a closed output. Tests/Inputs/commands/repl.txt has the rest.

import Foundation
import Locking
import StanzaCLI
import Testing

@Suite("Repl")
struct ReplCommandTests {
    private static let stanzas = """
        <message type='chat' id='m1'><body>one</body></message>
        <message type='error' id='m2'><body>two</body></message>
        <iq type='get' id='i1'/>
        """

    @Test("measures a query")
    func time() {
        let timed = stanza("repl", "f", input: ":time /message@id\n:time a<b~(>", files: ["f": Self.stanzas])
        #expect(timed.lines.count == 1 && timed.output.hasPrefix("2 results; "))
        #expect(timed.output.contains(" for all 3 (mean of ") && timed.errors.hasPrefix("-:2: error: "))
    }

    @Test("skips a line that is too long")
    func longLine() {
        for (count, place) in [(65_536, "-:1: error: "), (65_537, "stanza: -:1: a line of more than 65536 bytes")] {
            let lines = Array(("a" * (count - 2) + "//\n/iq@id\r\n").utf8)
            let result = stanza(["repl", "f"], input: [lines], files: ["f": Self.stanzas])
            #expect(result.status == .usage && result.lines == ["i1"])
            #expect(result.errors.hasPrefix(place), "\(result.errors.prefix(100))")
        }
    }

    @Test("ends a query that takes too long, and continues")
    func interruption() {
        let (output, errors) = (MemorySink(), MemorySink())
        let editor = ScriptedEditor(["/@id", ":time /@id", "/@type"])
        // The first two lines are interrupted after the first stanza.
        let counts = Lock((lines: 0, checks: 0))
        let terminal = Terminal(
            showsOutput: true, givesInput: true, beginLineEditing: { editor }, now: { .zero })
        let console = Console(
            input: MemorySource([], isLive: true), output: Output(output), errors: Output(errors), terminal: terminal,
            noteInterruption: { counts.withLock { $0 = ($0.lines + 1, 0) } },
            isInterrupted: {
                counts.withLock { counts in
                    counts.checks += 1
                    return counts.lines < 3 && counts.checks > 1
                }
            },
            open: { _ in MemorySource([Array(Self.stanzas.utf8)], isLive: false) })
        #expect(StanzaCommand.run(["repl", "f", "--no-history"], on: console) == .success)
        #expect(output.text == "m1\nchat\nerror\nget\n")
        #expect(
            errors.text.split(separator: "\n").map(String.init) == [
                "3 stanzas; :help lists the commands", "stanza: interrupted after 1 of 3 stanzas",
                "1 result in 1 of 3 stanzas", "stanza: interrupted", "3 results in 3 of 3 stanzas",
            ])
    }

    @Test("queries no more stanzas when the output is closed")
    func closedOutput() {
        let (sink, errors) = (MemorySink(), MemorySink())
        sink.failure = (EPIPE, 0)
        // The first result exceeds the buffer; the second stanza would be reported.
        let stanzas = "<a b='x'>\("y" * 100_000)</a><a b='\("a" * 5_000)'/>"
        let console = Console(
            input: MemorySource([Array(":set limit 0\n/a<b~x$>#\n".utf8)], isLive: true), output: Output(sink),
            errors: Output(errors), open: { _ in MemorySource([Array(stanzas.utf8)], isLive: false) })
        _ = StanzaCommand.run(["repl", "f"], on: console)
        #expect(!errors.text.contains("exceeded its limit"), "\(errors.text)")
    }
}

/// A user that types these lines.
private final class ScriptedEditor: LineEditing {
    private var lines: ArraySlice<String>

    init(_ lines: [String]) {
        self.lines = lines[...]
    }

    func readLine(_ prompt: String, helpedBy assistant: any LineAssistant) -> EditedLine {
        lines.popFirst().map { .line($0) } ?? .end
    }

    func remember(_ line: String) {}
}
