// The output of commands for forms, suites and sources costs time in proportion to the input.

import Foundation
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Output for files costs linear time", .serialized)
struct FileGrowthTests {
    // MARK: Suites

    @Test("of conformance", arguments: [#"\n"#, #"\\"#, #"\u0085"#, #"\""#])
    func conformance(filling: String) {
        expectLinear(filling) { count in
            let text = filling * count
            let suite = """
                {"tests": [{"name": "a", "xml": "<a>\(text)</a>", "query": "/#", "results": [{"string": "\(text)"}]}, \
                {"name": "\(text)", "xml": "<a>\(text)</a>", "query": "/<a=\(text)>#", "results": [{"string": "\(text)"}]}]}
                """
            return CommandRun(arguments: ["conformance", "f"], files: ["f": suite])
        } _: {
            // In a name, only quotes stay unchanged.
            $0.lines.count == 5 && $0.lines.last == "1 passed, 1 failed" && $0.errors.isEmpty
                && $0.lines[0].utf8.count >= $1
        }
    }

    @Test("of conformance for results in any order")
    func unordered() {
        expectLinear("unordered", length: 500) { count in
            let results = (0..<count).reversed().map { #"{"element": [\#($0)]}"# }.joined(separator: ", ")
            let suite = """
                {"tests": [{"name": "a", "xml": "<a>\("<b/>" * count)</a>", "query": "*", "unordered": true, \
                "results": [\(results)]}]}
                """
            return CommandRun(arguments: ["conformance", "f"], files: ["f": suite])
        } _: { result, _ in
            result.output == "1 passed, 0 failed\n"
        }
    }

    /// Cases and documents that grow together, and one document for all cases.
    @Test("of conformance for documents that cases share")
    func documents() {
        expectLinear("documents", length: 100) { count in
            let documents = (0..<count).map { #""\#($0)": "<a/>""# }.joined(separator: ", ")
            let tests = (0..<count).map { #"{"name": "\#($0)", "document": "\#($0)", "query": "b", "results": []}"# }
            let suite = #"{"documents": {\#(documents)}, "tests": [\#(tests.joined(separator: ", "))]}"#
            return CommandRun(arguments: ["conformance", "f"], files: ["f": suite])
        } _: {
            $0.output == "\($1) passed, 0 failed\n"
        }
        expectLinear("a document", length: 100) { count in
            let tests = (0..<count).map { #"{"name": "\#($0)", "document": "d", "query": "/b", "results": []}"# }
            let suite = """
                {"documents": {"d": "<a>\("<b/>" * count)</a>"}, "tests": [\(tests.joined(separator: ", "))]}
                """
            return CommandRun(arguments: ["conformance", "f"], files: ["f": suite])
        } _: {
            $0.output == "\($1) passed, 0 failed\n"
        }
    }

    @Test("of conformance for warnings and malformed cases")
    func warnings() {
        expectLinear("warnings", length: 200) { count in
            let tests = (0..<count).map {
                #"{"name": "n\#($0 / 2)", "\#($0)": 1, "xml": "<a/>", "query": "b", "results": []}"#
            }
            let suite =
                #"{"tests": [\#(tests.joined(separator: ", ")), \#(Array(repeating: "1", count: count).joined(separator: ", "))]}"#
            return CommandRun(arguments: ["conformance", "f"], files: ["f": suite])
        } _: {
            $0.output == "\($1) passed, \($1) failed\n" && $0.errorLines.count == $1 + $1 / 2 + $1
        }
    }

    // MARK: Sources

    @Test("of lint", arguments: [[], ["--sarif"]])
    func lint(arguments: [String]) throws {
        let folder = try TemporaryFolder()
        func run(_ name: String, _ text: String) throws -> CommandRun {
            let file = folder.file("\(name)\(text.utf8.count).swift")
            try Data("import StanzaQuery\n\(text)".utf8).write(to: file)
            return CommandRun(arguments: ["lint", file.path] + arguments)
        }
        try expectLinear("findings", length: 100) {
            try run("many", "_ = e.find(\"a<b=\u{202E}\\u{85}>@b|integer\")\n" * $0)
        } _: {
            $0.status == .nothing && $0.output.utf8.count > 50 * $1
                && $0.output.components(separatedBy: "unknown conversion").count == $1 + 1
        }
        try expectLinear("a literal") {
            try run("long", "_ = e.find(\"a<b=\("\u{202E}" * $0)>@b|integer\")\n")
        } _: { result, _ in
            result.status == .nothing && result.output.contains("integer")
        }
    }

    // MARK: Forms

    @Test("of form", arguments: ["\n", "&#13;", #"\"#, "\u{202E}"])
    func form(filling: String) {
        expectLinear(filling) {
            let text = filling * $0
            let field = "<field var='a' label='\(text)' type='text-multi'><value>\(text)</value></field>"
            let form = "<x xmlns='jabber:x:data' type='form'><title>t\(text)</title>\(field)</x>"
            return CommandRun(arguments: ["form", "f"], files: ["f": form])
        } _: { result, _ in
            result.status == .success && result.output.contains("t")
        }
    }

    private static func form(_ fields: String, type: String = "form") -> String {
        let formType = "<field var='FORM_TYPE' type='hidden'><value>t</value></field>"
        return "<iq type='result' id='i' from='f'><x xmlns='jabber:x:data' type='\(type)'>\(fields)\(formType)</x></iq>"
    }

    @Test("of form for many fields, options and items")
    func shownForms() {
        let fields = { (count: Int) in
            Self.form((0..<count).map { "<field var='f\($0)' label='l\n\($0)'><value>v</value></field>" }.joined())
        }
        let options = { (count: Int) in
            let options = (0..<count).map { "<option label='l\n\($0)'><value>v\($0)</value></option>" }.joined()
            return Self.form("<field var='f' type='list-multi'><value>v1</value>\(options)</field>")
        }
        let items = { (count: Int) in
            let items = (0..<count).map { "<item><field var='f'><value>v\n\($0)</value></field></item>" }.joined()
            return Self.form("<reported><field var='f' label='l'/></reported>\(items)", type: "result")
        }
        for (name, form) in [("fields", fields), ("options", options), ("items", items)] {
            expectLinear(name, length: 250) {
                CommandRun(arguments: ["form", "f"], files: ["f": form($0)])
            } _: {
                $0.status == .success && $0.lines.count >= $1
            }
        }
    }

    @Test("of form's answers")
    func answers() {
        let fields = { (count: Int) in
            Self.form((0..<count).map { "<field var='f\($0)'><value>v\u{85}</value></field>" }.joined())
        }
        let cases = [
            (["--submit"], "</x></iq>\n"), (["--cancel"], "type='cancel'/></iq>\n"),
            // The argument parser takes more time for more arguments.
            ((0..<50).flatMap { ["--set", "f\($0)=w"] }, "</x></iq>\n"),
        ]
        for (arguments, end) in cases {
            expectLinear("answers", length: 250) {
                CommandRun(arguments: ["form", "f", "--id", "i"] + arguments, files: ["f": fields($0)])
            } _: { result, _ in
                result.status == .success && result.ends(with: end)
            }
        }
        expectLinear("a missing field", length: 250) {
            CommandRun(arguments: ["form", "f", "--set", "x=y"], files: ["f": fields($0)])
        } _: { result, _ in
            result.status == .usage && result.errors.contains("unknown field 'x'; expected one of: f0")
        }
    }
}
