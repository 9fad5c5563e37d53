// The output of every command costs time in proportion to its input, whatever has to be escaped in it.

import Foundation
import TestSupport
import Testing

@Suite("Output costs linear time", .serialized)
struct OutputGrowthTests {
    /// Ten times the input may cost so much: more than ten for the noise, far less than a hundred.
    private static let bound = 40.0
    private static let length = 5_000

    /// Texts that need another spelling everywhere, as XML.
    private static let fillings = ["\n", "&#13;", "\\", "\u{202E}"]

    /// Runs a command on an input of n and of 10 n escapes.
    private func expectLinear(
        _ arguments: [String], on input: (Int) -> String, file: (Int) -> String = { _ in "" }, _ comment: String
    ) {
        let inputs = [Self.length, 10 * Self.length].map { (input($0), ["f": file($0)]) }
        for (input, files) in inputs {
            let result = stanza(arguments, input: [Array(input.utf8)], files: files)
            #expect(result.output.utf8.count > 0, "\(arguments) \(result.errors.prefix(200))")
        }
        let run = { (index: Int) in
            _ = stanza(arguments, input: [Array(inputs[index].0.utf8)], files: inputs[index].1)
        }
        let ratio = growth(from: { run(0) }, to: { run(1) }, below: Self.bound)
        #expect(ratio < Self.bound, "\(arguments), \(comment.debugDescription)")
    }

    private static func message(_ filling: String) -> (Int) -> String {
        {
            "<message><body a='\(String(repeating: filling, count: $0))'>\(String(repeating: filling, count: $0))</body></message>"
        }
    }

    @Test("of find", arguments: fillings)
    func find(filling: String) {
        for arguments in [
            ["body#"], ["body@@"], ["body"], ["--json", "body#"], ["--xml", "body#"], ["--xml", "body"],
        ] {
            expectLinear(["find", "--jobs", "1"] + arguments, on: Self.message(filling), filling)
        }
    }

    @Test("of explain", arguments: fillings)
    func explain(filling: String) {
        expectLinear(["explain", "body#", "--on", "-"], on: Self.message(filling), filling)
        expectLinear(["explain", "body", "--on", "-"], on: Self.message(filling), filling)
        expectLinear(["explain", "body@a", "--trace", "-"], on: Self.message(filling), filling)
        expectLinear(["explain", "body#", "--stats", "-"], on: Self.message(filling), filling)
    }

    @Test("of explain for many queries")
    func explainSet() {
        let queries = { (count: Int) in (0..<(count / 100)).map { "a<b=\u{85}\\\\\($0)>/c\n" }.joined() }
        expectLinear(["explain", "--set", "f"], on: { _ in "" }, file: queries, "queries")
    }

    @Test("of repl", arguments: fillings)
    func repl(filling: String) {
        expectLinear(
            ["repl", "--no-history", "f"], on: { _ in "body#\nbody\nbody@@\n" }, file: Self.message(filling), filling)
    }

    @Test("of conformance", arguments: ["\\n", "\\\\", "\\u0085", "\\\""])
    func conformance(filling: String) {
        let suite = { (count: Int) in
            let text = String(repeating: filling, count: count)
            return
                #"{"tests": [{"name": "\#(text)", "xml": "<a>\#(text)</a>", "query": "/a#", "results": ["\#(text)"]}, "#
                + #"{"name": "b", "xml": "<a>\#(text)</a>", "query": "/a#", "results": [{"string": "\#(text)b"}]}]}"#
        }
        expectLinear(["conformance", "f"], on: { _ in "" }, file: suite, filling)
    }

    @Test("of form", arguments: fillings)
    func form(filling: String) {
        let form = { (count: Int) in
            let text = String(repeating: filling, count: count)
            return """
                <x xmlns='jabber:x:data' type='form'><title>\(text)</title><field var='a' label='\(text)' type='text-multi'>\
                <value>\(text)</value></field></x>
                """
        }
        expectLinear(["form", "f"], on: { _ in "" }, file: form, filling)
    }
}
