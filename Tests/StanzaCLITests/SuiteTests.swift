// The suite runner: cases that pass or fail, and malformed suites. The project's own suites run in
// ConformanceTests.swift.

import Foundation
import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Suites")
struct SuiteTests {
    /// Runs the only case of a suite.
    private func failure(_ members: String, defaultNamespace: String? = nil) throws -> SuiteFailure? {
        let namespace = defaultNamespace.map { #""defaultNamespace": "\#($0)", "# } ?? ""
        let suite = try Suite(Array(#"{"description": "d", \#(namespace)"tests": [{"name": "n", \#(members)}]}"#.utf8))
        return suite.run(try suite.cases[0].test.get())
    }

    @Test(
        "pass right results",
        arguments: [
            #""xml": "<a><b/><b/></a>", "query": "b", "results": [{"element": [0]}, {"element": [1]}]"#,
            #""xml": "<a><b/><b/></a>", "query": "b", "unordered": true, "results": [{"element": [1]}, {"element": [0]}]"#,
            #""xml": "<a><b><c/></b></a>", "query": "c", "context": [0], "results": [{"element": [0, 0]}]"#,
            #""xml": "<a/>", "query": "b", "results": []"#,
            #""xml": "<a k='1'/>", "query": "/@k|bool", "results": [{"bool": true}]"#,
            #""xml": "<a k='-1'/>", "query": "/@k|int", "results": [{"int": -1}]"#,
            #""xml": "<a k='18446744073709551615'/>", "query": "/@k|uint", "results": [{"uint": 18446744073709551615}]"#,
            #""xml": "<a k='1'/>", "query": "/@k|double", "results": [{"double": 1}]"#,
            #""xml": "<a k='2002-09-10T23:08:25.0009Z'/>", "query": "/@k|datetime", "results": [{"datetime": 1031699305}]"#,
            #""xml": "<a k='AQI='/>", "query": "/@k|base64", "results": [{"base64": "AQI="}]"#,
            #""xml": "<a j='1' k='2'/>", "query": "/@@", "results": [{"attributes": {"k": "2", "j": "1"}}]"#,
            #""xml": "<a><x xmlns='jabber:x:data'/></a>", "query": "\\\\", "results": [{"form": [0]}]"#,
            #""xml": "<a k='5'/>", "query": "/<k=%@>@k", "arguments": [5], "results": [{"string": "5"}]"#,
            #""xml": "<a k='5.0'/>", "query": "/<k=%@>@k", "arguments": [5.0], "results": [{"string": "5.0"}]"#,
            #""xml": "<a k='true'/>", "query": "/<k=%@>@k", "arguments": [true], "results": [{"string": "true"}]"#,
            #""xml": "<a k='X'/>", "query": "/<k=x>@k", "options": ["caseInsensitiveFilters"], "results": [{"string": "X"}]"#,
            #""query": "a@b|integer", "error": "unknownConversion", "at": [4, 11]"#,
            #""query": "a@b|integer", "error": "unknownConversion""#,
            // The comparison ignores the end of a syntax error.
            #""query": "a//b", "error": "syntax", "at": [2, 99]"#,
            #""xml": "<a/>", "query": "a<k=%d>", "error": "arguments", "at": [4, 6]"#,
        ])
    func right(members: String) throws {
        #expect(try failure(members)?.description == nil)
    }

    @Test("fail in three lines, for results of any length")
    func longFailures() throws {
        let long = String(repeating: "x", count: 100_000)
        let failure = try #require(
            try failure(#""xml": "<a>\#(long)</a>", "query": "/#", "results": [{"string": "\#(long)y"}]"#))
        let lines = failure.description.split(separator: "\n")
        #expect(lines.count == 3 && lines.allSatisfy { $0.count < SuiteFailure.maximumLength + 20 })
        #expect(lines[1].hasSuffix("x…") && lines[2].hasSuffix("x…"))
    }

    @Test("may begin with a byte order mark")
    func byteOrderMark() throws {
        let text = #"{"tests": [{"name": "n", "xml": "<a/>", "query": "b", "results": []}]}"#
        #expect(try Suite(Array("\u{FEFF}\(text)".utf8)).cases.count == 1)
        // One is enough, and inside the text it is not white space.
        for wrong in ["\u{FEFF}\u{FEFF}\(text)", "\(text)\u{FEFF}"] {
            #expect(throws: SuiteError.self) { try Suite(Array(wrong.utf8)) }
        }
    }

    @Test(
        "fail wrong results, and report the actual ones",
        arguments: [
            (#""xml": "<a><b/></a>", "query": "b", "results": []"#, #"[{"element": [0]}]"#),
            (#""xml": "<a><b/></a>", "query": "b", "results": [{"element": [1]}]"#, #"[{"element": [0]}]"#),
            (#""xml": "<a><b/><b/></a>", "query": "b", "results": [{"element": [1]}, {"element": [0]}]"#, "[0]"),
            (#""xml": "<a><b/><b/></a>", "query": "b", "unordered": true, "results": [{"element": [1]}]"#, "[0]"),
            (#""xml": "<a k='e\u0301'/>", "query": "/@k", "results": [{"string": "\u00e9"}]"#, "e\u{301}"),
            (#""xml": "<a k='1'/>", "query": "/@k|int", "results": [{"uint": 1}]"#, #"{"int": 1}"#),
            (#""xml": "<a k='0.1'/>", "query": "/@k|double", "results": [{"double": 0.10000000000000002}]"#, "0.1"),
            (
                #""xml": "<a k='2002-09-10T23:08:25Z'/>", "query": "/@k|datetime", "results": [{"datetime": 1031699305.002}]"#,
                "1031699305.0"
            ),
            (
                #""xml": "<a k='1'/>", "query": "/@@", "results": [{"attributes": {"k": "1", "j": "2"}}]"#,
                #"{"k": "1"}"#
            ),
            (#""query": "a//b", "results": [], "xml": "<a/>""#, "syntax at [2, "),
            (#""query": "a//b", "error": "syntax", "at": [3, 4]"#, "syntax at [2, "),
            (#""query": "a//b", "error": "invalidRegex""#, "syntax"),
            (#""query": "a@b|integer", "error": "unknownConversion", "at": [4, 10]"#, "[4, 11]"),
            (#""query": "a", "error": "syntax""#, "compiles"),
            (#""xml": "<a/>", "query": "a", "error": "syntax""#, "[]"),
            (#""xml": "<a/>", "query": "a", "context": [0], "results": []"#, "no element"),
            (#""xml": "<a>", "query": "a", "results": []"#, "cannot be read"),
        ])
    func wrong(members: String, got: String) throws {
        let failure = try #require(try failure(members))
        #expect(failure.got.contains(got))
    }

    @Test("put their documents where the default namespace is in scope")
    func surroundings() throws {
        let members = #""xml": "<stream:a><b/></stream:a>", "query": "/@xmlns", "#
        let stream = #""results": [{"string": "http://etherx.jabber.org/streams"}]"#
        #expect(try failure(members + stream)?.description == nil)
        let child = #""xml": "<stream:a><b/></stream:a>", "query": "{*}b@xmlns", "results": "#
        #expect(try failure(child + "[]")?.description == nil)
        #expect(try failure(child + #"[{"string": "u"}]"#, defaultNamespace: "u")?.description == nil)
    }

    @Test(
        "that are malformed report the reason",
        arguments: [
            ("", "line 1: "), ("{\n\n!", "line 3: "), ("[]", "object"), ("{}", "'tests'"), (#"{"tests": {}}"#, "array"),
            (#"{"tests": [1]}"#, "not an object"), (#"{"tests": [{}]}"#, "'name'"),
            (#"{"tests": [{"name": "n"}]}"#, "needs 'query'"),
            (#"{"tests": [{"name": "n", "query": "a"}]}"#, "exactly one"),
            (
                #"{"tests": [{"name": "n", "query": "a", "xml": "<a/>", "results": [], "error": "syntax"}]}"#,
                "exactly one"
            ),
            (#"{"tests": [{"name": "n", "query": "a", "results": []}]}"#, "'document' or 'xml'"),
            (#"{"tests": [{"name": "n", "query": "a", "document": "d", "results": []}]}"#, "no document 'd'"),
            (#"{"tests": [{"name": "n", "query": "a", "xml": "<a/>", "results": [{"strng": "x"}]}]}"#, "not a result"),
            (#"{"tests": [{"name": "n", "query": "a", "xml": "<a/>", "results": [{"int": 1.0}]}]}"#, "not a result"),
            (#"{"tests": [{"name": "n", "query": "a", "error": "sintax"}]}"#, "kind of error"),
            (#"{"tests": [{"name": "n", "query": "a", "error": "syntax", "at": [2, 1]}]}"#, "[start, end]"),
            (#"{"tests": [{"name": "n", "query": "a", "error": "syntax", "options": ["x"]}]}"#, "compile options"),
            (#"{"tests": [{"name": "n", "query": "a", "error": "syntax", "arguments": [null]}]}"#, "'arguments'"),
            (
                #"{"tests": [{"name": "n", "query": "a", "error": "syntax", "arguments": [18446744073709551616]}]}"#,
                "the argument 18446744073709551616 has more than 64 bits: expected -9223372036854775808 to "
            ),
            (#"{"tests": [{"name": "n", "query": "a", "error": "syntax", "context": [-1]}]}"#, "'context'"),
            (#"{"tests": [], "tests": []}"#, "has 'tests' twice"),
            (
                #"{"tests": [{"name": "n", "query": "", "query": "a", "xml": "<a/>", "results": []}]}"#,
                "has 'query' twice"
            ),
            (
                #"{"tests": [{"name": "n", "query": "", "xml": "<a/>", "results": [], "at": [0, 1]}]}"#,
                "'at' is for 'error'"
            ),
            (#"{"tests": [{"name": "n", "query": "a//", "error": "syntax", "unordered": true}]}"#, "for 'results'"),
            (
                #"{"tests": [{"name": "n", "query": "", "xml": "<a/>", "results": [{"int": 1, "uint": 1}]}]}"#,
                "not a result"
            ),
            (
                #"{"tests": [{"name": "n", "query": "", "xml": "<a/>", "results": [{"field": {"name": "f", "name": "g"}}]}]}"#,
                "has 'name' twice"
            ),
        ])
    func malformed(text: String, reason: String) {
        let error = #expect(throws: SuiteError.self) {
            for `case` in try Suite(Array(text.utf8)).cases { _ = try `case`.test.get() }
        }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test("compare the parts of a field")
    func fields() throws {
        let xml =
            #""xml": "<x xmlns='jabber:x:data'><field var='f' label='L'><value/></field></x>", "query": "/\\&f\\", "#
        let field = #""name": "f", "label": "L", "allValues": [""], "options": {}, "required": false"#
        #expect(try failure(xml + #""results": [{"field": {"value": "", \#(field)}}]"#)?.description == nil)
        #expect(throws: SuiteError.self) { try failure(xml + #""results": [{"field": {\#(field)}}]"#) }
        let other = field.replacing("\"L\"", with: "\"l\"")
        #expect(try failure(xml + #""results": [{"field": {"value": "", \#(other)}}]"#) != nil)
    }
}

@Suite("The command conformance")
struct ConformanceCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes suites into the folder, and runs the command on them.
    private func run(_ suites: [String: String], _ paths: String...) throws -> CommandResult {
        for (name, text) in suites { try folder.file(name, text) }
        return stanza(["conformance"] + paths.map { folder.file($0).path }, input: [])
    }

    private let good = #"{"tests": [{"name": "good", "xml": "<a/>", "query": "", "results": [{"element": []}]}]}"#
    private let bad = #"{"tests": [{"name": "bad", "xml": "<a/>", "query": "b", "results": [{"element": []}]}]}"#

    private func named(_ name: String, in suite: String) -> String {
        suite.replacing(/"name": "[a-z]*"/, with: #""name": "\#(name)""#)
    }

    @Test("warns once of a name that is repeated, and numbers the cases that fail")
    func names() throws {
        let place = folder.url.path
        let result = try run(["a.json": good, "b.json": good, "c.json": named("good", in: bad)], "")
        #expect(result.lines.first == "\(place)/c.json: case 1: good")
        #expect(result.lines.last == "2 passed, 1 failed")
        #expect(result.status == .nothing)
        #expect(
            result.errors
                == "stanza: warning: \(place)/b.json: case 1 has the name of \(place)/a.json: case 1, 'good'\n")
        let test = #"{"name": "n", "xml": "<a/>", "query": "b", "results": []}"#
        let twice = stanza("conformance", "f", files: ["f": #"{"tests": [\#(test), \#(test), \#(test)]}"#])
        #expect(twice.lines == ["3 passed, 0 failed"])
        #expect(twice.status == .success)
        #expect(twice.errors == "stanza: warning: f: case 2 has the name of f: case 1, 'n'\n")
    }

    @Test("warns once of members that it does not know, and runs the cases")
    func members() {
        let test = { (name: String) in #"{"name": "\#(name)", "tags": [], "xml": "<a/>", "query": "b", "results": []}"#
        }
        let suite = #"{"$schema": "s", "tests": [\#(test("n")), \#(test("m"))]}"#
        let result = stanza("conformance", "f", files: ["f": suite])
        #expect(result.lines == ["2 passed, 0 failed"])
        #expect(result.status == .success)
        #expect(
            result.errorLines == [
                "stanza: warning: f: '$schema' is not a member of a suite; it is ignored",
                "stanza: warning: f: case 1 ('n'): 'tags' is not a member of a case; it is ignored",
            ])
    }

    @Test("warns once of members of results and fields that it does not know, even if they repeat")
    func membersOfResults() {
        let field = #"{"name": "f", "nme": 1, "allValues": [], "options": {}, "required": false}"#
        let test = """
            {"name": "n", "x": 1, "x": 2, "xml": "<x xmlns='jabber:x:data'><field var='f'/></x>", \
            "query": "/\\\\&f\\\\", "results": [{"comment": 1, "field": \(field)}]}
            """
        let result = stanza("conformance", "f", files: ["f": #"{"d": 1, "d": 2, "tests": [\#(test), \#(test)]}"#])
        #expect(result.lines == ["2 passed, 0 failed"])
        #expect(
            result.errorLines.prefix(4) == [
                "stanza: warning: f: 'd' is not a member of a suite; it is ignored",
                "stanza: warning: f: case 1 ('n'): 'x' is not a member of a case; it is ignored",
                "stanza: warning: f: case 1 ('n'): 'comment' is not a member of a result; it is ignored",
                "stanza: warning: f: case 1 ('n'): 'nme' is not a member of a field; it is ignored",
            ])
        #expect(result.errorLines.count == 5)
    }

    @Test("counts a malformed case as one failure, names it, and runs the others")
    func malformedCases() {
        let good = #"{"name": "n", "xml": "<a/>", "query": "b", "results": []}"#
        let suite = #"{"tests": [\#(good), 1, {"name": "\u001b", "query": "a"}, {"query": "a"}]}"#
        let result = stanza("conformance", "f", files: ["f": suite])
        #expect(result.lines == ["1 passed, 3 failed"])
        #expect(result.status == .badInput)
        #expect(
            result.errorLines == [
                "stanza: f: case 2: not an object",
                #"stanza: f: case 3 ('\u001b'): needs exactly one of 'results' and 'error'"#,
                "stanza: f: case 4: needs 'name'",
            ])
    }

    @Test("reads a document that cases share once, and compares unordered results by kind")
    func sharedDocuments() {
        let test = { (results: String) in
            #"{"name": "n\#(results.utf8.count)", "document": "d", "query": "b@t|datetime", "unordered": true, "results": [\#(results)]}"#
        }
        let times = #"{"datetime": 60.0004}, {"datetime": 0}, {"datetime": 59.9996}"#
        let document = "<a><b t='1970-01-01T00:01:00Z'/><b t='1970-01-01T00:00:00Z'/><b t='1970-01-01T00:01:00Z'/></a>"
        let suite =
            #"{"documents": {"d": "\#(document)", "D": 1}, "tests": [\#(test(times)), \#(test(#"{"int": 60}"#))]}"#
        let result = stanza("conformance", "f", files: ["f": suite])
        #expect(result.lines.last == "1 passed, 1 failed", "\(result.errors)")
    }

    @Test("passes good suites")
    func passes() throws {
        let result = try run(["b.json": good, "sub/c.json": named("other", in: good), "readme.md": "x"], "")
        #expect(result.lines == ["2 passed, 0 failed"])
        #expect(result.status == .success)
    }

    @Test("reads suites where every command reads its files")
    func standardInput() {
        let result = stanza(
            "conformance", "-", "good.json", input: named("other", in: good), files: ["good.json": good])
        #expect(result.lines == ["2 passed, 0 failed"], "\(result.errors)")
    }

    @Test("prints failing cases, in the order of the suites' names")
    func fails() throws {
        let files = ["b.json": named("worse", in: bad), "a.json": bad, "c/c.json": good, "c/ignored.txt": good]
        let result = try run(files, "")
        #expect(result.status == .nothing)
        #expect(
            result.lines == [
                folder.url.path + "/a.json: case 1: bad", "  query:    b", #"  expected: [{"element": []}]"#,
                "  got:      []; no `b` in `a`, which has no children",
                folder.url.path + "/b.json: case 1: worse", "  query:    b", #"  expected: [{"element": []}]"#,
                "  got:      []; no `b` in `a`, which has no children",
                "1 passed, 2 failed",
            ])
    }

    @Test("fails for a malformed or missing suite")
    func malformed() throws {
        let result = try run(["a.json": good, "b.json": "{"], "a.json", "b.json", "c.json")
        #expect(result.lines == ["1 passed, 2 failed"])
        #expect(result.status == .badInput)
        #expect(result.errorLines.count == 2)
    }
}
