// `stanza repl` without a terminal: lines from standard input.

import Foundation
import Locking
import StanzaCLI
import Testing

@Suite("Repl")
struct ReplCommandTests {
    private static let files = [
        "f": """
        <message type='chat' id='m1'><body>one</body></message>
        <message type='error' id='m2'><body>two&#10;\u{85}lines</body></message>
        <iq type='get' id='i1'/>
        """
    ]

    private func repl(_ lines: String..., options: [String] = []) -> CommandResult {
        let input = lines.map { Array("\($0)\n".utf8) }
        return stanza(["repl", "f"] + options, input: input, files: Self.files)
    }

    @Test("runs each query on every stanza")
    func queries() {
        let result = repl("/message/body#", "", "  /@id ", "/nothing")
        #expect(result.status == .success)
        #expect(result.errors == "-:4: no result: no stanza is `nothing`, only `iq`, `message`\n")
        #expect(result.lines == ["one", "two\\n\\u0085lines", "m1", "m2", "i1"])
    }

    @Test("draws mistakes, and continues")
    func mistakes() {
        let result = repl("a@b|integer", ":nothing", "/iq@id", ":set x y", ":stanza 9")
        #expect(result.status == .usage)
        #expect(result.lines == ["i1"])
        #expect(
            result.errors.hasPrefix(
                "-:1: error: unknown conversion 'integer'\n  a@b|integer\n      ^~~~~~~ expected one of"))
        #expect(result.errors.contains("stanza: -:2: unknown command ':nothing'; expected one of: :explain, :time,"))
        #expect(result.errors.contains("stanza: -:4: unknown setting 'x'; expected one of: args, first,"))
        #expect(result.errors.contains("stanza: -:5: no stanza '9'; expected a number from 1 to 3\n"))
        #expect(repl(":explian a").errors == "stanza: -:1: unknown command ':explian'; did you mean ':explain'?\n")
        #expect(repl(":set frist on").errors == "stanza: -:1: unknown setting 'frist'; did you mean 'first'?\n")
        // Each command has one name, which help and completion know.
        for name in [":e", ":t", ":s", ":h", ":?", ":q", ":exit"] {
            #expect(repl(name).errors.hasPrefix("stanza: -:1: unknown command '\(name)'"))
        }
        #expect(
            stanza("repl", "e", input: ":stanza 1", files: ["e": ""]).errors == "stanza: -:1: no stanzas are loaded\n")
        #expect(repl(":explain").errors == "stanza: -:1: no query precedes this line\n")
    }

    @Test("takes any typed number", arguments: [Int.min, .min + 1, -1, 0, 4, .max])
    func hugeNumbers(number: Int) {
        let result = repl(":stanza \(number)", ":set limit \(max(0, number))", "/iq@id")
        #expect(result.status == .usage)
        #expect(result.errors == "stanza: -:1: no stanza '\(number)'; expected a number from 1 to 3\n")
        #expect(result.lines == ["i1"])
    }

    @Test("counts one stanza as one, and takes tabs between arguments")
    func oneStanza() {
        let result = stanza("repl", "e", input: ":stanza\n:set args a\t\"b\tc\"\n:set", files: ["e": "<a/>"])
        #expect(result.lines.first == "1 stanza")
        #expect(result.lines.contains(#"args  "a" "b\#tc""#), "\(result.output)")
    }

    @Test("reports a few mistakes, and the number of the others")
    func manyMistakes() {
        let stanza = "<a b='\(String(repeating: "a", count: 5_000))'/>\n"
        for (count, rest) in [(3, nil), (4, "1 more stanza"), (6, "3 more stanzas")] {
            let files = ["f": String(repeating: stanza, count: count)]
            let result = StanzaCLITests.stanza("repl", "f", input: "/a<b~x$>@b", files: files)
            #expect(result.errorLines.count { $0.contains("exceeded its limit") } == 3)
            let others = result.errorLines.filter { $0.hasPrefix("stanza: and the same for ") }
            #expect(others == (rest.map { ["stanza: and the same for \($0)"] } ?? []))
        }
    }

    @Test("explains and times a query, or the last one")
    func commands() {
        let explained = repl("/@id", ":explain", ":explain body#")
        #expect(explained.lines.count { $0 == "Program:" } == 2)
        #expect(explained.output.contains("attribute id") && explained.output.contains("yield  text"))
        let timed = repl(":time /message@id", ":time a<b~(>", ":time /<id=%@>")
        #expect(timed.lines.count == 1)
        #expect(timed.output.hasPrefix("2 results; ") && timed.output.contains(" for all 3 (mean of "))
        #expect(timed.errors.contains("':set args VALUE ...' sets arguments"))
    }

    @Test("sets the meaning of queries and the format of results")
    func settings() {
        let result = repl(
            ":set args error", "/<type=%@>@id", "/@id|int", ":set strict on", "/@id|int", ":set ignore-case on",
            "/<type=CHAT>@id", ":set source on", ":set first on", "/@id", ":set format json", "/@id", ":set")
        #expect(result.errors == "-:5: no result: 'i1' does not convert to int: write `/@id`\n")
        #expect(
            result.lines == [
                "m2", "0", "0", "0", "m1", "f:1:m1",
                #"{"string": "m1", "source": {"file": "f", "line": 1, "offset": 0}}"#,
                "args  \"error\"", "first  on", "format  json", "ignore-case  on", "limit  100", "source  on",
                "strict  on",
            ])
        #expect(repl(":set limit 1", "/@id").lines == ["m1"])
        #expect(repl(":set limit 0", "/@id").lines.count == 3)
        #expect(repl(":set args \"a b\" c", ":set").lines.first == #"args  "a b" "c""#)
        for wrong in ["first 1", "format yaml", "limit x", "limit -1", "args \"a"] {
            #expect(repl(":set \(wrong)").status == .usage, "\(wrong)")
        }
        #expect(repl("/<type=CHAT>@id", options: ["--ignore-case"]).lines == ["m1"])
    }

    @Test("shows stanzas indented, without terminal control characters")
    func stanzas() {
        let result = repl(":stanza", ":stanza 1", ":stanza 2")
        #expect(result.lines.prefix(3) == ["3 stanzas", Self.firstLine, "  <body>one</body>"])
        #expect(result.output.contains("&#133;lines") && !result.output.contains("\u{85}"))
    }

    private static let firstLine = "<message xmlns='jabber:client' type='chat' id='m1'>"

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
            open: { _ in MemorySource([Array((Self.files["f"] ?? "").utf8)], isLive: false) })
        #expect(StanzaCommand.run(["repl", "f", "--no-history"], on: console) == .success)
        #expect(output.text == "m1\nchat\nerror\nget\n")
        #expect(
            errors.text.split(separator: "\n").map(String.init) == [
                "3 stanzas; :help lists the commands", "stanza: interrupted after 1 of 3 stanzas",
                "1 result in 1 of 3 stanzas", "stanza: interrupted", "3 results in 3 of 3 stanzas",
            ])
    }

    @Test("helps, and ends on request")
    func help() {
        let result = repl(":help", ":quit", "/@id")
        #expect(result.output.contains("  :explain [QUERY]      show tree and program"))
        #expect(!result.output.contains("m1"))
        for word in ["quit", " exit "] { #expect(repl("help", word, "/@id").output == result.output) }
    }

    @Test("reads all it can, and skips invalid lines")
    func input() {
        let missing = stanza("repl", "nowhere", "f", input: "/iq@id", files: Self.files)
        #expect(missing.status == .badInput)
        #expect(missing.lines == ["i1"])
        #expect(missing.errors == "stanza: nowhere: No such file or directory\n")
        #expect(stanza("repl").status == .usage)
        #expect(stanza("repl", "-").status == .usage)
        #expect(stanza("repl", "f", "--history", "h", "--no-history", files: Self.files).status == .usage)
        let taken = stanza("repl", "--history", "./f", "f", input: "/iq@id", files: Self.files)
        #expect(taken.status == .usage && taken.errors.contains("--history names a file to write lines to, but './f'"))
        #expect(repl("\u{FEFF}/iq@id", "/iq@type").lines == ["i1", "get"])
        let long = [Array(repeating: UInt8(ascii: "a"), count: 100_000), Array("\n/iq@id\r\n".utf8), [0xFF, 0x0A]]
        let result = stanza(["repl", "f"], input: long, files: Self.files)
        #expect(result.status == .usage)
        #expect(result.lines == ["i1"])
        #expect(result.errorLines.count == 2)
        #expect(result.errors.hasPrefix("stanza: -:1: a line of more than 65536 bytes"), "\(result.errors)")
        #expect(result.errors.hasSuffix("\nstanza: -:3: not UTF-8; encode it as UTF-8\n"), "\(result.errors)")
        let doubtful = repl("", "/message<a=\"b\">")
        #expect(doubtful.errors.hasPrefix("-:2: warning: "), "\(doubtful.errors)")
    }

    @Test("queries no more stanzas when the output is closed")
    func closedOutput() {
        let sink = MemorySink()
        sink.failure = (EPIPE, 0)
        let errors = MemorySink()
        // The first result exceeds the buffer; the second stanza would be reported.
        let long = (result: String(repeating: "y", count: 100_000), value: String(repeating: "a", count: 5_000))
        let stanzas = "<a b='x'>\(long.result)</a><a b='\(long.value)'/>"
        let console = Console(
            input: MemorySource([Array(":set limit 0\n/a<b~x$>#\n".utf8)], isLive: true), output: Output(sink),
            errors: Output(errors), open: { _ in MemorySource([Array(stanzas.utf8)], isLive: false) })
        _ = StanzaCommand.run(["repl", "f"], on: console)
        #expect(!errors.text.contains("exceeded its limit"), "\(errors.text)")
    }

    @Test("reports stanzas on which a pattern exceeds its limits")
    func limits() {
        let files = ["f": "<a b='\(String(repeating: "a", count: 5_000))'/><a b='x'/>"]
        let result = stanza("repl", "f", input: "/a<b~x$>@b\n/a<b~x$>", files: files)
        #expect(result.status == .usage)
        #expect(result.lines == ["x", "<a xmlns='jabber:client' b='x'/>"])
        let error = "f:1: error: the regular expression exceeded its limit"
        #expect(
            result.errorLines.filter { $0.hasPrefix("stanza:") }
                == ["stanza: -:1: \(error)", "stanza: -:2: \(error)"])
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
