// `stanza explain --on` and `--stats`: the query's marks on a stanza's elements, and the amount of work.

import Foundation
import StanzaCLI
import Testing

@Suite("Explain on stanzas")
struct ExplainRunTests {
    private static let input = """
        <pubsub/>
        <pubsub><items node='n'><item id='b'/><item id='a1'><deep/></item>\n</items></pubsub>
        """

    /// The lines of the section with this beginning.
    private func section(_ title: String, _ output: String) -> [String] {
        let lines = output.components(separatedBy: "\n")
        guard let start = lines.firstIndex(where: { $0.hasPrefix(title) }) else { return [] }
        return lines[(start + 1)...].prefix { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
    }

    @Test("marks the visited, matched and rejected elements")
    func marks() {
        let result = stanza("explain", "items/item<id~^a>@id", "--on", "-", "--stanza", "2", input: Self.input)
        #expect(result.status == .success)
        #expect(result.output.contains("\nElements of -:2:\n"))
        #expect(
            section("Elements of", result.output) == [
                "· <pubsub xmlns='jabber:client'/>", "·   <items node='n'>&#10;</items>", "-     <item id='b'/>",
                "+     <item id='a1'/>  → a1", "        <deep/>",
                "+ matched: 1, · visited: 2, - rejected: 1, not examined: 1",
            ])
    }

    @Test("shows the first stanza with a result, or the one that gets furthest, and the reason")
    func furthest() {
        func shown(_ query: String, _ options: String...) -> (String?, String?) {
            let lines = stanza(["explain", query] + options, input: [], files: ["f": Self.input]).lines
            return (lines.first { $0.hasPrefix("Elements") || $0.hasPrefix("Trace") }, lines.last)
        }
        #expect(shown("items", "--on", "f").0 == "Elements of f:2:")
        #expect(shown("items", "--trace", "f").0 == "Trace on f:2:")
        let reason = "no result: `id` is 'a1' in 1, 'b' in 1, never 'c'"
        #expect(shown("items/item<id=c>", "--on", "f") == ("Elements of f:2:", reason))
        #expect(
            shown("items/item<id=c>", "--on", "f", "--stanza", "1")
                == ("Elements of f:1:", "no result: no `items` in `pubsub`, which has no children"))
        #expect(shown("/nothing", "--on", "f").0 == "Elements of f:1:")
        let counted = stanza("explain", "/<type=a>", "--on", "-", input: "<m type='b'/><m type='b'/><m/>")
        #expect(counted.lines.last == "no result: `type` is 'b' in 2, never 'a'")
        let empty = stanza("explain", "a", "--on", "-", input: "")
        #expect(empty.status == .nothing && empty.errors == "stanza: -: no stanza; there are 0 in all\n")
    }

    @Test("reports why it cannot show the stanza")
    func failures() {
        let missing = stanza("explain", "a", "--on", "-", "--stanza", "3", input: "<a/>")
        #expect(missing.status == .nothing)
        #expect(missing.errors == "stanza: -: no stanza 3; there is 1 in all\n")
        #expect(stanza("explain", "a", "--on", "nowhere").status == .badInput)
        #expect(stanza("explain", "a", "--stats", "nowhere").status == .badInput)
        #expect(stanza("explain", "a<b=%@>", "--on", "-", input: "<a/>").status == .usage)
        #expect(stanza("explain", "a<b=%@>", "--stats", "-", input: "").status == .usage)
        for arguments in [
            ["a", "--stanza", "1"], ["a", "--stats", "f", "--stanza", "1"], ["a", "--arg", "1"],
            ["--set", "f", "--on", "f"], ["--set", "f", "--stats", "f"],
        ] {
            #expect(stanza(["explain"] + arguments, input: [], files: ["f": "<a/>"]).status == .usage, "\(arguments)")
        }
        let swallowed = stanza("explain", "--stats", "f", "a")
        #expect(swallowed.status == .usage)
        #expect(swallowed.errors.contains("Name a query before --stats, or after '--': "))
    }

    @Test("reads standard input once")
    func standardInput() {
        for arguments in [["a", "--on", "-", "--trace", "-"], ["a", "--stats", "-", "-"], ["--set", "-", "-"]] {
            let result = stanza(["explain"] + arguments, input: [Array("<a/>".utf8)])
            #expect(
                result.status == .usage && result.errors.contains("Standard input can be read once"), "\(arguments)")
        }
        #expect(
            stanza("explain", "a", "--on", "-", "--trace", "f", input: "<a/>", files: ["f": "<a/>"]).status == .success)
    }

    @Test("shows JSON values as JSON")
    func json() {
        let input = #"<a b='q"q\w&#10;z'/>"#
        let output = stanza("explain", "/@@", "--on", "-", input: input).output
        #expect(output.contains(#"  → {"xmlns": "jabber:client", "b": "q\"q\\w\nz"}"#), "\(output)")
    }

    @Test("keeps every element in its line, with any content")
    func hostile() {
        let input = "<a b='&#10;&#x9b;31m'>x&#10;y\u{85}<c/>\(String(repeating: "z", count: 10_000))</a>"
        let lines = section("Elements", stanza("explain", "/a@b", "--on", "-", input: input).output)
        #expect(lines.count == 3)
        #expect(
            lines.allSatisfy { line in !line.unicodeScalars.contains { $0.properties.generalCategory == .control } })
        #expect(lines.allSatisfy { $0.count <= 160 })
        let many = "<a>" + String(repeating: "<b/>", count: 3_000) + "</a>"
        let cut = section("Elements", stanza("explain", "b", "--on", "-", input: many).output)
        #expect(cut.count == 2_002)
        #expect(cut[2_000] == "… 1001 more elements")
        #expect(cut[2_001] == "+ matched: 3000, · visited: 1, - rejected: 0, not examined: 0")
        let deep = String(repeating: "<a>", count: 200) + String(repeating: "</a>", count: 200)
        #expect(section("Elements", stanza("explain", "b", "--on", "-", input: deep).output).count == 201)
    }

    @Test("cuts characters without width, too")
    func marksWithoutWidth() {
        let input = "<a>x\(String(repeating: "\u{301}", count: 10_000))</a>"
        let lines = section("Elements", stanza("explain", "/a", "--on", "-", input: input).output)
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.unicodeScalars.count <= 650 } && lines[0].hasSuffix("…"))
    }

    @Test("counts instructions and elements over all stanzas of all files")
    func statistics() {
        let files = ["f": Self.input, "g": "<pubsub><items><item id='a2'/></items></pubsub>"]
        let result = stanza("explain", "items/item<id~^a>@id", "--stats", "f", "g", files: files)
        #expect(result.status == .success && result.errors.isEmpty)
        let rows = section("Statistics", result.output).map { $0.split(separator: " ").map(String.init) }
        #expect(rows.first == ["query", "runs", "elements", "instruction"])
        #expect(
            rows.dropFirst().map { $0.prefix(4) } == [
                ["0", "0-5", "5", "2"], ["1", "6-10", "5", "3"], ["2", "10-17", "3", "filter"],
                ["3", "17-20", "2", "yield"],
                ["all", "15", "5"],
            ])
        #expect(
            result.output.hasSuffix(
                "\n2 results in 2 of 3 stanzas; 5.0 instructions and 1.7 elements for a stanza\n"))
        let arguments = stanza("explain", "/a<b=%d>", "--arg", "1", "--stats", "-", input: "<a b='1'/><a/>")
        #expect(arguments.output.contains("1 result in 1 of 2 stanzas; "))
        #expect(stanza("explain", "a", "--stats", "-").output.hasSuffix("0 results in 0 of 0 stanzas\n"))
    }

    @Test("reports the stanzas that are not counted")
    func uncounted() {
        let input = "<a b='\(String(repeating: "a", count: 5_000))'/><a b='x'/>"
        let limit = stanza("explain", "/a<b~x$>", "--stats", "-", input: input)
        #expect(limit.status == .usage)
        #expect(limit.errors.hasPrefix("stanza: -:1: error: the regular expression exceeded its limit"))
        #expect(limit.output.contains("1 result in 1 of 1 stanza; "))
        let bad = stanza("explain", "/a", "--stats", "-", input: "<a/>\n<b></c>\n<a/>")
        #expect(bad.status == .badInput)
        #expect(bad.output.contains("2 results in 2 of 2 stanzas; "))
    }

    @Test("is in color on a terminal that has colors", arguments: [true, false])
    func colors(showsColors: Bool) {
        let sink = MemorySink()
        let console = Console(
            input: MemorySource([Array("<a><b/><c/></a>".utf8)], isLive: false),
            output: Output(sink, showsColors: showsColors), errors: Output(MemorySink()),
            open: { _ throws(SystemError) in throw SystemError(code: ENOENT) })
        #expect(StanzaCommand.run(["explain", "b", "--on", "-"], on: console) == .success)
        #expect(sink.text.contains("\u{1B}[1mSyntax tree:\u{1B}[0m\n") == showsColors)
        #expect(sink.text.contains("\u{1B}[1;32m+   <b/>\u{1B}[0m\n") == showsColors)
        #expect(sink.text.contains("\u{1B}[33m-   <c/>\u{1B}[0m\n") == showsColors)
        #expect(sink.text.contains("\u{1B}") == showsColors)
    }
}
