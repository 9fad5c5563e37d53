// The answers of a program to `stanza conformance --program`, compared with the cases.

import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

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
    private static let limit = #""error": "regexLimit""#

    @Test(
        "are right",
        arguments: [
            (ordered, #"{"results": [{"int": 1}, {"int": 2}]}"#),
            (ordered, #"{"results": [{"int": 1}, {"int": 2}], "first": {"int": 1}, "check": true}"#),
            (ordered, #"{"first": {"int": 1}}"#), (ordered, #"{"first": {"int": 1}, "check": true}"#),
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
            (ordered, #"{"first": {"int": 1}, "check": false}"#, "check false"),
            (ordered, #"{"error": "syntax"}"#, "syntax"),
            (unordered, #"{"first": {"int": 3}}"#, #"first [{"int": 3}]"#),
            (unordered, #"{"first": null}"#, "first []"),
            (unordered, #"{"results": [{"int": 2}, {"int": 1}], "first": {"int": 1}}"#, #"first [{"int": 1}]"#),
            (none, #"{"first": {"int": 1}}"#, #"first [{"int": 1}]"#),
            (none, #"{"first": null, "check": true}"#, "check true"),
            (unknown, #"{"error": "unknownConversion"}"#, "unknownConversion"),
            (unknown, #"{"error": "unknownConversion", "at": [4, 10]}"#, "unknownConversion at [4, 10]"),
            (syntax, #"{"error": "syntax", "at": [3, 3]}"#, "syntax at [3, 3]"),
            (anywhere, #"{"error": "arguments"}"#, "arguments"), (anywhere, #"{"results": []}"#, "[]"),
            (anywhere, #"{"first": null}"#, "first []"),
            (anywhere, #"{"first": {"int": 1}}"#, #"first [{"int": 1}]"#),
            (limit, #"{"first": null}"#, "first []"), (limit, #"{"results": []}"#, "[]"),
        ])
    func wrong(expectation: String, answer: String, got: String) throws {
        guard case .failed(let failure) = try outcome(expectation, answer) else {
            Issue.record("no failure")
            return
        }
        #expect(failure.got == got)
    }

    @Test("may have a first result where finding all fails", arguments: [limit, #""error": "arguments""#])
    func firstBeforeFailure(expectation: String) throws {
        #expect(try outcome(expectation, #"{"first": {"int": 1}}"#).name == "unsupported")
        #expect(try outcome(expectation, #"{"results": [{"int": 1}], "first": {"int": 1}}"#).name == "failed")
    }

    @Test(
        "are malformed",
        arguments: [
            ("[]", "JSON object"), ("{}", "needs 'results'"),
            (#"{"results": [], "error": "syntax"}"#, "needs 'results'"),
            (#"{"check": true}"#, "needs 'results'"), (#"{"results": [], "at": [0, 1]}"#, "'at' is for 'error'"),
            (#"{"results": 1}"#, "array"), (#"{"results": [1]}"#, "not a result"), (#"{"first": 1}"#, "not a result"),
            (#"{"first": null, "check": 1}"#, "boolean"), (#"{"error": "sintax"}"#, "kind of error"),
            (#"{"error": "syntax", "at": [2, 1]}"#, "[start, end]"), (#"{"unsupported": true}"#, "string"),
            (#"{"check": true, "check": true}"#, "twice"),
            (#"{"check": true, "frist": null}"#, "'frist' is not a member of an answer"),
        ])
    func malformed(answer: String, reason: String) {
        let error = #expect(throws: SuiteError.self) { try outcome(Self.none, answer) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }
}
