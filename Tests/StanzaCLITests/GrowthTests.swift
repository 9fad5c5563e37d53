// The output of commands costs time in proportion to the input, for any content and any number of results.

import Foundation
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Output costs linear time", .serialized)
struct GrowthTests {
    /// A command on an input of a length, and whether its output is right.
    struct Cost: CustomTestStringConvertible {
        let testDescription: String
        let length: Int
        let run: @Sendable (Int) -> CommandRun
        let isRight: @Sendable (CommandResult, Int) -> Bool

        init(
            _ name: String, _ length: Int, _ run: @escaping @Sendable (Int) -> CommandRun,
            isRight: @escaping @Sendable (CommandResult, Int) -> Bool
        ) {
            (testDescription, self.length, self.run, self.isRight) = (name, length, run, isRight)
        }
    }

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

    @Test("of any escapes", arguments: fillings)
    func escapes(filling: Filling) {
        let message = { (count: Int) in
            "<message><body a='\(filling.xml * count)'>\(filling.xml * count)</body></message>"
        }
        // With this many escapes, a copy of the text for each would dominate all other work.
        for (arguments, spelling, end) in [
            (["body#"], filling.line, "\n"), (["body@a"], filling.attribute, "\n"),
            (["body@@"], filling.attribute, "\"}\n"), (["body"], filling.element, "</body>\n"),
            (["--json", "body#"], filling.line, "\"}\n"),
            (["--xml", "body#"], filling.element, "</result>\n</results>\n"),
            (["--xml", "body"], filling.document, "</body>\n</results>\n"),
        ] as [([String], String, String)] {
            expectLinear("\(arguments)", length: 4_000) {
                CommandRun(arguments: ["find", "--max-stanza-bytes", "9999999"] + arguments, input: message($0))
            } _: {
                $0.ends(with: spelling * $1 + end)
            }
        }
        for arguments in [
            ["body#", "--on", "-"], ["body", "--on", "-"], ["body@a", "--trace", "-"], ["body#", "--stats", "-"],
        ] {
            expectLinear("\(arguments)") {
                CommandRun(arguments: ["explain"] + arguments, input: message($0))
            } _: { result, _ in
                result.status == .success && result.output.contains("body")
            }
        }
        for (lines, end) in [
            ("body#\nbody@@\nbody\n", { filling.element * $0 + "</body>\n" }),
            (":stanza 1\n", { filling.document * $0 + "</body>\n</message>\n" }),
        ] as [(String, (Int) -> String)] {
            expectLinear(lines) {
                CommandRun(arguments: ["repl", "--no-history", "f"], input: lines, files: ["f": message($0)])
            } _: {
                $0.ends(with: end($1))
            }
        }
        expectLinear("form") {
            let (text, x) = (filling.xml * $0, "x xmlns='jabber:x:data' type='form'")
            let field = "<field var='a' label='\(text)' type='text-multi'><value>\(text)</value></field>"
            return CommandRun(arguments: ["form", "f"], files: ["f": "<\(x)><title>t\(text)</title>\(field)</x>"])
        } _: { result, _ in
            result.status == .success && result.output.contains("t")
        }
    }

    private static func find(_ arguments: [String], _ input: String) -> CommandRun {
        CommandRun(arguments: ["find"] + arguments, input: input)
    }

    private static func children(_ count: Int) -> String { "<a>\("<b/>" * count)</a>" }

    private static let costs = [
        Cost("many results", 4_000, { find(["*"], children($0)) }) {
            $0.ends(with: "<b xmlns='jabber:client'/>\n") && $0.lines.count == $1
        },
        Cost("many results with sources", 4_000, { find(["*", "--with-source"], children($0)) }) {
            $0.ends(with: "-:1:<b xmlns='jabber:client'/>\n") && $0.lines.count == $1
        },
        Cost("many results in XML", 4_000, { find(["*", "--xml"], children($0)) }) {
            $0.ends(with: "<b xmlns='jabber:client'/>\n</results>\n") && $0.lines.count > $1
        },
        Cost("many results in JSON", 4_000, { find(["*", "--json"], children($0)) }) {
            $0.ends(with: "{}, \"children\": []}}\n") && $0.lines.count == $1
        },
        Cost("many results of a document", 4_000, { find(["*", "--json", "--format", "document"], children($0)) }) {
            $0.ends(with: "{}, \"children\": []}}\n") && $0.lines.count == $1
        },
        Cost("the count of many results", 4_000, { find(["*", "--count"], children($0)) }) { $0.output == "\($1)\n" },
        Cost(
            "values of a field", 2_500,
            { count in
                let field = "<field var='f'>\("<value>\n</value>" * count)</field>"
                return find(["--json", #"{*}x\&f\"#], "<a><x xmlns='jabber:x:data'>\(field)</x></a>")
            }
        ) { $0.ends(with: #", "\n""# * ($1 - 1) + "], \"options\": {}, \"required\": false}}\n") },
        Cost("warnings", 500, { find(["a.b/" * $0 + "c"], "<a/>") }) { result, _ in
            result.errors.contains("'a.b' is one name") && result.output.isEmpty
        },
        Cost(
            "files of queries", 250,
            { count in
                let queries = (0..<count).map { "a\($0)<b=c\($0)>/d\n" }.joined()
                return CommandRun(arguments: ["find", "--query-file", "q"], input: "<a/>", files: ["q": queries])
            }
        ) { result, _ in result.status == .nothing },
        Cost(
            "a set of queries", 50,
            { count in
                let queries = (0..<count).map { "a<b=\u{85}\\\\\($0)>/c\n" }.joined()
                return CommandRun(arguments: ["explain", "--set", "f"], files: ["f": queries])
            }
        ) { $0.status == .success && $0.lines.count > $1 },
        Cost("an explained query", 2_500, { CommandRun(arguments: ["explain", "--bytes", "a<b=\("\u{85}é" * $0)>"]) }) {
            $0.status == .success && $0.output.utf8.count > 4 * $1
        },
        Cost("a wrong query", 2_500, { CommandRun(arguments: ["explain", "a<b=\("\u{202E}\u{301}" * $0)>//"]) }) {
            $0.status == .usage && $0.output.utf8.count > 4 * $1 && $0.errors.contains("//")
        },
        Cost(
            "fields of a shown form", 250,
            { count in
                let fields = (0..<count).map { "<field var='f\($0)' label='l\n\($0)'><value>v</value></field>" }
                return CommandRun(arguments: ["form", "f"], files: ["f": form(fields.joined())])
            }
        ) { $0.status == .success && $0.lines.count >= $1 },
        Cost(
            "options of a shown form", 250,
            { count in
                let options = (0..<count).map { "<option label='l\n\($0)'><value>v\($0)</value></option>" }.joined()
                let field = "<field var='f' type='list-multi'><value>v1</value>\(options)</field>"
                return CommandRun(arguments: ["form", "f"], files: ["f": form(field)])
            }
        ) { $0.status == .success && $0.lines.count >= $1 },
        Cost(
            "items of a shown form", 250,
            { count in
                let items = (0..<count).map { "<item><field var='f'><value>v\n\($0)</value></field></item>" }.joined()
                let reported = "<reported><field var='f' label='l'/></reported>"
                return CommandRun(arguments: ["form", "f"], files: ["f": form(reported + items, type: "result")])
            }
        ) { $0.status == .success && $0.lines.count >= $1 },
        Cost("a submitted form", 250, { answer(["--submit"], $0) }) { $0.ends(with: "</x></iq>\n") && $1 > 0 },
        Cost("a canceled form", 250, { answer(["--cancel"], $0) }) {
            $0.ends(with: "type='cancel'/></iq>\n") && $1 > 0
        },
        // The argument parser takes more time for more arguments.
        Cost("many values", 250, { answer((0..<50).flatMap { ["--set", "f\($0)=w"] }, $0) }) {
            $0.ends(with: "</x></iq>\n") && $1 > 0
        },
        Cost("a missing field", 250, { answer(["--set", "x=y"], $0) }) { result, _ in
            result.status == .usage && result.errors.contains("unknown field 'x'; expected one of: f0")
        },
        Cost(
            "a suite of long cases", 2_500,
            { count in
                let text = #"\n\\\u0085\""# * count
                let test = #""xml": "<a>\#(text)</a>", "results": [{"string": "\#(text)"}]"#
                return suite([
                    #"{"name": "a", "query": "/#", \#(test)}"#,
                    #"{"name": "\#(text)", "query": "/<a=\#(text)>#", \#(test)}"#,
                ])
            }
        ) {
            $0.lines.count == 5 && $0.lines.last == "1 passed, 1 failed" && $0.errors.isEmpty && $0.lines[0].count > $1
        },
        Cost(
            "results in any order", 500,
            { count in
                let results = (0..<count).reversed().map { #"{"element": [\#($0)]}"# }.joined(separator: ", ")
                let test = #""query": "*", "unordered": true, "results": [\#(results)]}"#
                return suite([#"{"name": "a", "xml": "\#(children(count))", \#(test)"#])
            }
        ) { result, _ in result.output == "1 passed, 0 failed\n" },
        Cost(
            "documents of cases", 100,
            { count in
                suite(
                    (0..<count).map { #"{"name": "\#($0)", "document": "\#($0)", "query": "/b", "results": []}"# },
                    documents: (0..<count).map { ("\($0)", "<a/>") })
            }
        ) { $0.output == "\($1) passed, 0 failed\n" },
        Cost(
            "a shared document", 100,
            { count in
                suite(
                    (0..<count).map { #"{"name": "\#($0)", "document": "d", "query": "/b", "results": []}"# },
                    documents: [("d", children(count))])
            }
        ) { $0.output == "\($1) passed, 0 failed\n" },
        Cost(
            "warnings and malformed cases", 200,
            { count in
                suite(
                    (0..<count).map {
                        #"{"name": "n\#($0 / 2)", "\#($0)": 1, "xml": "<a/>", "query": "b", "results": []}"#
                    } + Array(repeating: "1", count: count))
            }
        ) { $0.output == "\($1) passed, \($1) failed\n" && $0.errorLines.count == $1 + $1 / 2 + $1 },
    ]

    private static func form(_ fields: String, type: String = "form") -> String {
        let formType = "<field var='FORM_TYPE' type='hidden'><value>t</value></field>"
        return "<iq type='result' id='i' from='f'><x xmlns='jabber:x:data' type='\(type)'>\(fields)\(formType)</x></iq>"
    }

    private static func answer(_ arguments: [String], _ count: Int) -> CommandRun {
        let fields = (0..<count).map { "<field var='f\($0)'><value>v\u{85}</value></field>" }.joined()
        return CommandRun(arguments: ["form", "f", "--id", "i"] + arguments, files: ["f": form(fields)])
    }

    private static func suite(_ tests: [String], documents: [(String, String)] = []) -> CommandRun {
        let documents = documents.map { #""\#($0)": "\#($1)""# }.joined(separator: ", ")
        let suite = #"{"documents": {\#(documents)}, "tests": [\#(tests.joined(separator: ", "))]}"#
        return CommandRun(arguments: ["conformance", "f"], files: ["f": suite])
    }

    @Test("of each kind of output", arguments: costs)
    func linear(cost: Cost) {
        expectLinear(cost.testDescription, length: cost.length, cost.run, cost.isRight)
    }

    @Test("of lint", arguments: [[], ["--sarif"]])
    func lint(arguments: [String]) throws {
        let folder = try TemporaryFolder()
        for (length, source) in [
            (100, { "_ = e.find(\"a<b=\u{202E}\\u{85}>@b|integer\")\n" * $0 }),
            (2_500, { "_ = e.find(\"a<b=\("\u{202E}" * $0)>@b|integer\")\n" }),
        ] as [(Int, (Int) -> String)] {
            try expectLinear("\(length)", length: length) { count in
                let text = "import StanzaQuery\n" + source(count)
                return CommandRun(
                    arguments: ["lint", try folder.file("\(length)-\(count).swift", text).path] + arguments)
            } _: { result, count in
                let findings = result.output.components(separatedBy: "unknown conversion").count - 1
                return result.status == .nothing && findings == (length == 100 ? count : 1)
            }
        }
    }

    /// Measures the time of all threads of a process.
    @Test("of find with several jobs", arguments: ["--json '*'", "'*'", "'b#'"])
    func jobs(arguments: String) async throws {
        var times: [Double] = []
        for count in [5_000, 80_000] {
            let script = "stanza find --jobs 2 --max-stanza-bytes 9999999 \(arguments) f | wc -l; times"
            let result = try await Shell.run(script, files: ["f": "<a>\("<b>\n</b>" * count)</a>"])
            let lines = result.output.split(separator: "\n")
            #expect(lines.first == "\(count)", "\(result.output)")
            // The last line has the times of children: user's and system's.
            let parts = try #require(lines.last).matches(of: /(\d+)m([0-9.]+)s/)
            times.append(parts.reduce(0) { $0 + 60 * (Double($1.1) ?? 0) + (Double($1.2) ?? 0) })
        }
        #expect(times[0] > 0 && times[1] < 48 * times[0], "\(times)")
    }
}
