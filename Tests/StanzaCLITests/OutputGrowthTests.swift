// The output of commands for stanzas costs time in proportion to the input, for any escapes and any number of results.
// FileGrowthTests.swift has the commands for other files.

import Foundation
import TestSupport
import Testing

@Suite("Output costs linear time", .serialized)
struct OutputGrowthTests {
    /// A character that needs escapes in every format, and its spellings.
    struct Filling: CustomTestStringConvertible {
        /// In XML.
        let xml: String
        /// As text, in a line and in JSON.
        let line: String
        /// As the value of an attribute, there.
        let attribute: String
        /// In elements, in a line and in a document.
        let element: String
        let document: String

        var testDescription: String { xml.debugDescription }
    }

    private static let fillings = [
        Filling(xml: "\n", line: #"\n"#, attribute: " ", element: "&#10;", document: "\n"),
        Filling(xml: "&#13;", line: #"\r"#, attribute: #"\r"#, element: "&#13;", document: "&#13;"),
        Filling(xml: #"\"#, line: #"\\"#, attribute: #"\\"#, element: #"\"#, document: #"\"#),
        Filling(xml: "\u{202E}", line: #"\u202e"#, attribute: #"\u202e"#, element: "&#8238;", document: "&#8238;"),
    ]

    /// With this many escapes, a copy of the text for each would dominate all other work.
    private static let manyEscapes = 4_000

    private static func message(_ filling: Filling, _ count: Int) -> String {
        "<message><body a='\(filling.xml * count)'>\(filling.xml * count)</body></message>"
    }

    @Test("of find", arguments: fillings)
    func find(filling: Filling) {
        let cases: [([String], String, String)] = [
            (["body#"], filling.line, "\n"), (["body@a"], filling.attribute, "\n"),
            (["body@@"], filling.attribute, "\"}\n"), (["body"], filling.element, "</body>\n"),
            (["--json", "body#"], filling.line, "\"}\n"),
            (["--xml", "body#"], filling.element, "</result>\n</results>\n"),
            (["--xml", "body"], filling.document, "</body>\n</results>\n"),
        ]
        for (arguments, spelling, end) in cases {
            expectLinear(filling.xml, length: Self.manyEscapes) {
                CommandRun(
                    arguments: ["find", "--max-stanza-bytes", "9999999"] + arguments,
                    input: Self.message(filling, $0))
            } _: {
                $0.ends(with: spelling * $1 + end)
            }
        }
    }

    @Test("of find with many results")
    func results() {
        let cases: [([String], String)] = [
            ([], "<b xmlns='jabber:client'/>\n"), (["--with-source"], "-:1:<b xmlns='jabber:client'/>\n"),
            (["--xml"], "<b xmlns='jabber:client'/>\n</results>\n"),
        ]
        for (arguments, end) in cases {
            expectLinear("many", length: 4_000) {
                CommandRun(arguments: ["find", "*"] + arguments, input: "<a>\("<b/>" * $0)</a>")
            } _: {
                $0.ends(with: end) && $0.lines.count >= $1
            }
        }
        for arguments in [[], ["--format", "document"]] {
            expectLinear("many", length: 4_000) {
                CommandRun(arguments: ["find", "--json", "*"] + arguments, input: "<a>\("<b/>" * $0)</a>")
            } _: {
                $0.ends(with: "{}, \"children\": []}}\n") && $0.lines.count == $1
            }
        }
        expectLinear("many", length: 4_000) {
            CommandRun(arguments: ["find", "--count", "*"], input: "<a>\("<b/>" * $0)</a>")
        } _: {
            $0.output == "\($1)\n"
        }
    }

    /// Measures the time of all threads of a process.
    @Test("of find with several jobs", arguments: ["--json '*'", "'*'", "'b#'"])
    func jobs(arguments: String) async throws {
        var times: [Double] = []
        for count in [5_000, 80_000] {
            let script = "stanza find --jobs 2 --max-stanza-bytes 9999999 \(arguments) f | wc -l; times"
            let result = try await Shell.run(
                script, by: "/bin/bash", files: ["f": "<a>\("<b>\n</b>" * count)</a>"])
            let lines = result.output.split(separator: "\n")
            #expect(lines.first == "\(count)", "\(result.output)")
            // The last line has the times of children: user's and system's.
            let parts = try #require(lines.last).matches(of: /(\d+)m([0-9.]+)s/)
            times.append(parts.reduce(0) { $0 + 60 * (Double($1.1) ?? 0) + (Double($1.2) ?? 0) })
        }
        #expect(times[0] > 0 && times[1] < 48 * times[0], "\(times)")
    }

    @Test("of find for a field with many values")
    func field() {
        expectLinear("values") { count in
            let form = "<x xmlns='jabber:x:data'><field var='f'>\("<value>\n</value>" * count)</field></x>"
            return CommandRun(arguments: ["find", "--json", #"{*}x\&f\"#], input: "<a>\(form)</a>")
        } _: {
            $0.ends(with: #", "\n""# * ($1 - 1) + "], \"options\": {}, \"required\": false}}\n")
        }
    }

    @Test("of warnings, for a query that finds nothing")
    func warnings() {
        expectLinear("warnings", length: 500) {
            CommandRun(arguments: ["find", "a.b/" * $0 + "c"], input: "<a/>")
        } _: { result, _ in
            result.errors.contains("'a.b' is one name") && result.output.isEmpty
        }
    }

    @Test("of explain on a stanza", arguments: fillings)
    func explain(filling: Filling) {
        for arguments in [
            ["body#", "--on", "-"], ["body", "--on", "-"], ["body@a", "--trace", "-"], ["body#", "--stats", "-"],
        ] {
            expectLinear(filling.xml) {
                CommandRun(arguments: ["explain"] + arguments, input: Self.message(filling, $0))
            } _: { result, _ in
                result.status == .success && result.output.contains("body")
            }
        }
    }

    @Test("of explain for a query of escapes, right or wrong", arguments: ["\u{85}", "\u{202E}", "\u{301}", "é"])
    func query(filling: String) {
        for arguments in [[], ["--bytes"]] {
            expectLinear(filling) {
                CommandRun(arguments: ["explain", "a<b=\(filling * $0)>"] + arguments)
            } _: {
                $0.status == .success && $0.output.utf8.count > 2 * $1
            }
        }
        expectLinear(filling) {
            CommandRun(arguments: ["explain", "a<b=\(filling * $0)>//"])
        } _: {
            $0.status == .usage && $0.output.utf8.count > 2 * $1 && $0.errors.contains("//")
        }
    }

    @Test("of explain for many queries")
    func explainSet() {
        expectLinear("queries", length: 50) { count in
            let queries = (0..<count).map { "a<b=\u{85}\\\\\($0)>/c\n" }
            return CommandRun(arguments: ["explain", "--set", "f"], files: ["f": queries.joined()])
        } _: {
            $0.status == .success && $0.lines.count > $1
        }
    }

    @Test("of repl", arguments: fillings)
    func repl(filling: Filling) {
        expectLinear(filling.xml) {
            CommandRun(
                arguments: ["repl", "--no-history", "f"], input: "body#\nbody@@\nbody\n",
                files: ["f": Self.message(filling, $0)])
        } _: {
            $0.ends(with: filling.element * $1 + "</body>\n")
        }
        expectLinear(filling.xml) {
            CommandRun(
                arguments: ["repl", "--no-history", "f"], input: ":stanza 1\n", files: ["f": Self.message(filling, $0)])
        } _: {
            $0.ends(with: filling.document * $1 + "</body>\n</message>\n")
        }
    }

    @Test("of repl's explanation")
    func replExplanation() {
        expectLinear("explanation", length: 1_000) {
            CommandRun(
                arguments: ["repl", "--no-history", "f"], input: ":explain a<b=\("\u{202E}" * $0)>\n",
                files: ["f": "<a/>"])
        } _: {
            $0.status == .success && $0.output.utf8.count > 8 * $1
        }
    }
}
