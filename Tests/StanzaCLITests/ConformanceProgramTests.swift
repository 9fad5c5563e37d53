// `stanza conformance --program`: the lines between the command and the program, and programs that break the rules.

import Foundation
import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Conformance programs", .timeLimit(.minutes(60)))
struct ConformanceProgramTests {
    private static let suite = """
        {"defaultNamespace": "u", "documents": {"d": "<a k='1'><b/></a>"}, "tests": [
            {"name": "one", "document": "d", "query": "/@k", "results": [{"string": "1"}]},
            {"name": "two", "xml": "<c/>", "query": "/@k", "results": []},
            {"name": "three", "document": "d", "context": [0], "query": "/<k=%@>", "arguments": [5.0, -1, true, "x"],
                "options": ["strictConversions"], "unordered": true, "results": []},
            {"name": "four", "query": "a@b|integer", "error": "unknownConversion", "at": [4, 11]}]}
        """

    private func run(
        _ program: String, _ options: String = "", files: [String: String] = [:], then command: String = ""
    ) async throws -> (code: Int32, lines: [String]) {
        let files = files.merging(["s.json": Self.suite, "program": program]) { $1 }
        let script = "stanza conformance \(options) --program '. ./program' s.json 2>&1; code=$?; \(command) exit $code"
        let result = try await Shell.run(script, files: files)
        return (result.code, result.output.split(separator: "\n").map(String.init))
    }

    /// Gives every case the same answer.
    private func always(_ answer: String) -> String { "while read -r line; do echo '\(answer)'; done" }

    /// The seconds to wait. Where many tests run, a program may need some of them to start.
    private func patience(_ reason: String) -> Int {
        reason.hasSuffix("1 s") ? 1 : reason.contains("5 s") || reason.hasPrefix("closed") ? 5 : 600
    }

    @Test("run the example of the documentation")
    func documentedProgram() async throws {
        let readme = try String(
            contentsOf: packageFolder.appending(path: "Grammar/conformance/README.md"), encoding: .utf8)
        let lines = readme.split(separator: "\n", omittingEmptySubsequences: false)
        let program = lines.drop { !$0.hasPrefix("    import json") }.prefix { $0.isEmpty || $0.hasPrefix("    ") }
        let text = program.map { String($0.dropFirst(4)) }.joined(separator: "\n")
        let result = try await run("python3 my.py", files: ["my.py": text])
        #expect(result.lines == ["2 passed, 0 failed, 2 unsupported"])
        #expect(result.code == CommandStatus.success.rawValue)
    }

    @Test("get the cases without their expectations")
    func questions() async throws {
        let program = #"while read -r line; do printf '%s\n' "$line" >&2; echo '{"unsupported": "all"}'; done"#
        let result = try await run(program)
        #expect(
            result.lines == [
                #"{"suite": "s", "name": "one", "defaultNamespace": "u", "query": "/@k", "xml": "<a k='1'><b/></a>"}"#,
                #"{"suite": "s", "name": "two", "defaultNamespace": "u", "query": "/@k", "xml": "<c/>"}"#,
                #"{"suite": "s", "name": "three", "defaultNamespace": "u", "query": "/<k=%@>", "context": [0], "#
                    + #""arguments": [5.0, -1, true, "x"], "options": ["strictConversions"], "xml": "<a k='1'><b/></a>"}"#,
                #"{"suite": "s", "name": "four", "defaultNamespace": "u", "query": "a@b|integer"}"#,
                "0 passed, 0 failed, 4 unsupported",
            ])
        #expect(result.code == CommandStatus.nothing.rawValue)
    }

    @Test("fail with wrong answers, unless these are documented")
    func differences() async throws {
        let answer = always(#"{"results": []}"#)
        let plain = try await run(answer)
        #expect(plain.lines.filter { $0.hasPrefix("s.json") } == ["s.json: case 1: one", "s.json: case 4: four"])
        #expect(plain.lines.last == "2 passed, 2 failed")
        #expect(plain.code == CommandStatus.nothing.rawValue)
        let documented = try await run(
            answer, "--differences d.json", files: ["d.json": #"{"why": ["one", "four", "two"]}"#])
        #expect(
            documented.lines == [
                "stanza: warning: the difference of 'two' has no failing case", "2 passed, 0 failed, 2 different",
            ])
        #expect(documented.code == CommandStatus.success.rawValue)
        let ofSuite = try await run(answer, "--differences d.json", files: ["d.json": #"{"why": ["s"]}"#])
        #expect(ofSuite.lines == ["2 passed, 0 failed, 2 different"])
    }

    @Test(
        "need differences in their form",
        arguments: [
            ("[]", "differences are a JSON object"),
            (#"{"a": "b"}"#, "'a' must be an array of names of cases and suites"),
            (#"{"a": ["b"], "c": ["b"]}"#, "has 'b' twice"), ("{", "line 1: not JSON: "),
        ])
    func wrongDifferences(text: String, reason: String) async throws {
        let result = try await run("cat", "--differences d.json", files: ["d.json": text])
        #expect(result.lines.first?.hasPrefix("stanza: d.json: \(reason)") == true, "\(result.lines)")
        #expect(result.lines.count == 1 && result.code == CommandStatus.badInput.rawValue)
    }

    @Test("and the engine have their outcomes as JSON")
    func outcomes() async throws {
        let program = """
            read -r line; echo '{"first": {"string": "2"}}'
            read -r line; echo '{"check": false}'
            read -r line; echo '{"results": [{"element": []}]}'
            read -r line; echo '{"unsupported": "errors"}'
            """
        let result = try await run(
            program, "--json --differences d.json", files: ["d.json": #"{"why": ["three"]}"#])
        #expect(
            result.lines == [
                #"{"suite": "s", "name": "one", "outcome": "failed", "expected": "[{\"string\": \"1\"}]", "#
                    + #""got": "first [{\"string\": \"2\"}]"}"#,
                #"{"suite": "s", "name": "two", "outcome": "passed"}"#,
                #"{"suite": "s", "name": "three", "outcome": "different", "reason": "why"}"#,
                #"{"suite": "s", "name": "four", "outcome": "unsupported", "reason": "errors"}"#,
            ])
        #expect(result.code == CommandStatus.nothing.rawValue)
        let one = #"{"tests": [{"name": "n", "xml": "<a/>", "query": "b", "results": []}]}"#
        let engine = stanza("conformance", "--json", "f.json", files: ["f.json": one])
        #expect(engine.lines == [#"{"suite": "f", "name": "n", "outcome": "passed"}"#])
    }

    @Test(
        "that cannot answer end the run",
        arguments: [
            ("exit 3", "ended with exit code 3"), ("kill -9 $$", "ended with signal 9"),
            // The command ignores this signal, and its programs do not.
            ("kill -PIPE $$", "ended with signal 13"), ("no-such-program", "ended with exit code 127"),
            ("echo garbage; cat > /dev/null", "answer is wrong at byte 0: not JSON: expected a value"),
            ("yes", "printed more than one line"), (#"printf '{}\n\n'; sleep 300"#, "printed more than one line"),
            ("head -c 17000000 /dev/zero; sleep 300", "answer has more than 16777216 bytes"),
            ("exec sleep 300", "gave no answer within 1 s"),
            ("exec < /dev/null; sleep 300", "gave no answer within 1 s"),
            ("printf '{}'; sleep 300", "gave no answer within 1 s"),
            ("exec > /dev/null; sleep 300", "closed its output"),
        ])
    func failures(program: String, reason: String) async throws {
        let result = try await run(program, "--timeout \(patience(reason))")
        let lines = result.lines.filter { !$0.contains("not found") }
        #expect(lines.count == 2 && lines.last == "0 passed, 1 failed", "\(lines)")
        #expect(lines.first?.hasPrefix("stanza: s.json: case 1: one: the program") == true, "\(lines)")
        #expect(lines.first?.contains(reason) == true, "\(lines)")
        #expect(result.code == CommandStatus.badInput.rawValue)
    }

    @Test(
        "have to end after their input",
        arguments: [
            ("exit 7", "ended with exit code 7"), ("echo", "printed more than one line"),
            ("sleep 300", "did not end within 5 s after the end of its input"),
            ("exec > /dev/null; sleep 300", "did not end within 5 s after the end of its input"),
        ])
    func ends(after: String, reason: String) async throws {
        let answers = always(#"{"unsupported": "all"}"#)
        let result = try await run(
            "\(answers); \(after)", "--timeout \(patience(reason))")
        #expect(result.lines == ["stanza: the program \(reason)", "0 passed, 0 failed, 4 unsupported"])
        #expect(result.code == CommandStatus.badInput.rawValue)
    }

    @Test("end with all processes that they started")
    func processes() async throws {
        // A process without a parent may stay as a zombie.
        let check = """
            for try in $(seq 600); do
                case $(ps -o stat= -p $(cat other)) in '' | Z*) gone=1; break ;; esac; sleep 0.1
            done; [ $gone ] || echo runs;
            """
        for end in ["exec sleep 300", "exit 0"] {
            let result = try await run("sleep 300 > /dev/null & echo $! > other; \(end)", "--timeout 1", then: check)
            #expect(result.lines.last == "0 passed, 1 failed", "\(result.lines)")
        }
    }

    @Test("need options that make sense")
    func usage() {
        let files = ["s.json": Self.suite]
        for wrong in [["--timeout", "0"], ["--timeout", "3601"], ["--differences", "d.json"]] {
            let result = stanza(["conformance", "s.json"] + wrong, input: [], files: files)
            #expect(result.status == .usage, "\(wrong)")
            #expect(result.errors.hasPrefix("Error: '\(wrong[0])' "), "\(result.errors)")
        }
    }
}

@Suite("Answers of a program")
struct ProgramAnswerTests {
    private func outcome(_ expectation: String, _ answer: String) throws -> CaseOutcome {
        let text = #"{"tests": [{"name": "n", "query": "q", "xml": "<a/>", \#(expectation)}]}"#
        let answer = try ProgramAnswer(json: JSONReader.read(Array(answer.utf8)))
        return try Suite(Array(text.utf8)).cases[0].test.get().outcome(of: answer)
    }

    private static let ordered = #""results": [{"int": 1}, {"int": 2}]"#
    private static let unordered = #""unordered": true, "results": [{"int": 1}, {"int": 2}]"#
    private static let none = #""results": []"#
    private static let unknown = #""error": "unknownConversion", "at": [4, 11]"#
    private static let syntax = #""error": "syntax", "at": [2, 3]"#
    private static let anywhere = #""error": "syntax""#

    @Test(
        "are right",
        arguments: [
            (ordered, #"{"results": [{"int": 1}, {"int": 2}]}"#),
            (ordered, #"{"results": [{"int": 1}, {"int": 2}], "first": {"int": 1}, "check": true}"#),
            (ordered, #"{"first": {"int": 1}}"#), (ordered, #"{"check": true}"#),
            (unordered, #"{"results": [{"int": 2}, {"int": 1}]}"#),
            (unordered, #"{"results": [{"int": 2}, {"int": 1}], "first": {"int": 2}}"#),
            (unordered, #"{"first": {"int": 2}}"#), (none, #"{"results": [], "first": null, "check": false}"#),
            (none, #"{"first": null}"#), (unknown, #"{"error": "unknownConversion", "at": [4, 11]}"#),
            // Where a syntax error ends is not compared.
            (syntax, #"{"error": "syntax", "at": [2, 2]}"#), (anywhere, #"{"error": "syntax"}"#),
        ])
    func right(expectation: String, answer: String) throws {
        #expect(try outcome(expectation, answer).name == "passed")
    }

    @Test(
        "are wrong",
        arguments: [
            (ordered, #"{"results": [{"int": 2}, {"int": 1}]}"#, #"[{"int": 2}, {"int": 1}]"#),
            (ordered, #"{"results": [{"int": 1}, {"int": 2}], "first": {"int": 2}}"#, #"first [{"int": 2}]"#),
            (ordered, #"{"results": [{"int": 1}, {"int": 2}], "first": null}"#, "first []"),
            (ordered, #"{"results": [{"int": 1}, {"int": 2}], "check": false}"#, "check false"),
            (ordered, #"{"first": {"int": 2}}"#, #"first [{"int": 2}]"#),
            (ordered, #"{"check": false}"#, "check false"),
            (ordered, #"{"error": "syntax"}"#, "syntax"),
            (unordered, #"{"first": {"int": 3}}"#, #"first [{"int": 3}]"#),
            (unordered, #"{"first": null}"#, "first []"),
            (unordered, #"{"results": [{"int": 2}, {"int": 1}], "first": {"int": 1}}"#, #"first [{"int": 1}]"#),
            (none, #"{"first": {"int": 1}}"#, #"first [{"int": 1}]"#), (none, #"{"check": true}"#, "check true"),
            (unknown, #"{"error": "unknownConversion"}"#, "unknownConversion"),
            (unknown, #"{"error": "unknownConversion", "at": [4, 10]}"#, "unknownConversion at [4, 10]"),
            (syntax, #"{"error": "syntax", "at": [3, 3]}"#, "syntax at [3, 3]"),
            (anywhere, #"{"error": "arguments"}"#, "arguments"), (anywhere, #"{"results": []}"#, "[]"),
            (anywhere, #"{"first": null}"#, "first []"), (anywhere, #"{"check": false}"#, "no error"),
        ])
    func wrong(expectation: String, answer: String, got: String) throws {
        guard case .failed(let failure) = try outcome(expectation, answer) else {
            Issue.record("no failure")
            return
        }
        #expect(failure.got == got)
    }

    @Test(
        "are malformed",
        arguments: [
            ("[]", "JSON object"), ("{}", "needs one of"), (#"{"results": [], "error": "syntax"}"#, "needs one of"),
            (#"{"results": 1}"#, "array"), (#"{"results": [1]}"#, "not a result"), (#"{"first": 1}"#, "not a result"),
            (#"{"check": 1}"#, "boolean"), (#"{"error": "sintax"}"#, "kind of error"),
            (#"{"error": "syntax", "at": [2, 1]}"#, "[start, end]"), (#"{"unsupported": true}"#, "string"),
            (#"{"check": true, "check": true}"#, "twice"),
            (#"{"check": true, "frist": null}"#, "'frist' is not a member of an answer"),
        ])
    func malformed(answer: String, reason: String) {
        let error = #expect(throws: SuiteError.self) { try outcome(Self.none, answer) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test("that are malformed fail the case alone")
    func malformedAnswer() async throws {
        let suite = #"{"tests": [{"name": "n", "xml": "<a/>", "query": "b", "results": []}]}"#
        let result = try await Shell.run(
            "stanza conformance --program 'read line; echo 1' s.json", files: ["s.json": suite])
        #expect(result.code == CommandStatus.nothing.rawValue)
        #expect(
            result.output.contains("got:      a malformed answer: an answer is a JSON object\n0 passed, 1 failed\n"))
    }
}
