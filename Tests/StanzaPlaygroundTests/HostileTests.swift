// Bodies and stanzas of attackers. The answer to each of them explains the mistake.

import Foundation
import Testing

@testable import StanzaPlayground

@Suite struct HostileTests {
    private func refusal(_ body: [UInt8]) -> String? {
        do throws(InvalidRequest) {
            _ = try EvaluationRequest(json: body)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        arguments: [
            "", " ", "{", "nul", "{\"query\":\"a\"", "{\"query\":\"\\ud800\"}",
            #"{"query":"","stanza":"\udc00\ud800"}"#,
            "{\"query\":\"a\u{1}\"}", "{'query':'a'}", "{\"query\":\"\\x\"}", "\u{0}",
            String(repeating: "[", count: 100_000), String(repeating: "{\"query\":", count: 100_000),
            "{\"other\":" + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000) + "}",
        ])
    func bodiesThatAreNotJSON(body: String) {
        #expect(refusal(Array(body.utf8)) == "the body is not JSON; expected an object with 'query' and 'stanza'")
    }

    @Test func bytesThatAreNoText() {
        for bytes: [UInt8] in [[0xFF], [0x7B, 0x22, 0xC3, 0x22, 0x7D], [0xED, 0xA0, 0x80]] {
            #expect(refusal(bytes) != nil)
        }
        #expect(refusal(Array("{\"query\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)) != nil)
    }

    @Test(
        arguments: [
            ("[]", "expected a JSON object"), ("1", "expected a JSON object"), ("null", "expected a JSON object"),
            ("{\"query\":1}", "the member 'query' has the wrong type"),
            (#"{"query":"","stanza":null}"#, "the member 'stanza' has the wrong type"),
            (#"{"query":"","stanza":"","arguments":"x"}"#, "the member 'arguments' has the wrong type"),
            (#"{"query":"","stanza":"","arguments":["x",1]}"#, "the member 'arguments.1' has the wrong type"),
            (#"{"query":"","stanza":"","ignoreCase":"true"}"#, "the member 'ignoreCase' has the wrong type"),
            (#"{"query":"","stanza":"","strict":0}"#, "the member 'strict' has the wrong type"),
        ])
    func membersOfAnotherType(body: String, expected: String) {
        #expect(refusal(Array(body.utf8)) == expected)
    }

    @Test func membersThatAreMissingOrUnknown() throws {
        #expect(refusal(Array("{}".utf8)) == "the member 'query' is missing")
        #expect(refusal(Array(#"{"query":"a","stanzas":"<a/>"}"#.utf8)) == "the member 'stanza' is missing")
        #expect(try EvaluationRequest(json: Array(#"{"query":"","stanza":""}"#.utf8)) == EvaluationRequest())
        let body = #"{"query":"a","stanza":"<a/>","language":"en","ignoreCase":true,"strict":null,"arguments":["x"]}"#
        var expected = EvaluationRequest(query: "a", stanza: "<a/>", arguments: ["x"])
        expected.ignoreCase = true
        #expect(try EvaluationRequest(json: Array(body.utf8)) == expected)
    }

    @Test func aNullCharacter() throws {
        let request = try EvaluationRequest(json: Array(#"{"query":"a\u0000b","stanza":"<a>\u0000</a>"}"#.utf8))
        let answer = EvaluationAnswer(to: request)
        #expect(answer.stanzaProblems.map(\.message) == ["XML forbids the character U+0000; remove it"])
        #expect(answer.stanzaProblems.map(\.start) == [3])
        #expect(answer.tree.allSatisfy { !$0.text.contains("\u{0}") })
    }

    @Test func elementsInElements() {
        let deep = answer(
            "a", String(repeating: "<a>", count: 100_000) + String(repeating: "</a>", count: 100_000))
        #expect(deep.stanzaProblems.first?.message == "elements are nested more than 256 deep, which is the limit")
        let deepest = String(repeating: "<a>", count: 256) + String(repeating: "</a>", count: 256)
        #expect(answer("{*}*/{*}*", deepest).results.map(\.path) == [[0, 0]])
    }

    @Test func entities() {
        let bomb = """
            <!DOCTYPE a [<!ENTITY b "\(String(repeating: "x", count: 1000))"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>\
            <a>&c;&c;&c;</a>
            """
        let messages = answer("/a#", bomb).stanzaProblems.map(\.message)
        #expect(messages == ["a document type declaration is not allowed here; remove it"])
        let undeclared = answer("/a#", "<a>&c;</a>")
        #expect(undeclared.stanzaProblems.first?.message.hasPrefix("the entity 'c' is not known") == true)
        #expect(undeclared.results.isEmpty)
    }

    @Test func regularExpressionsThatNeverEnd() {
        let value = String(repeating: "a", count: 60) + "!"
        let runaway = answer("/<k~^(a+)+$>@k", "<a k='\(value)'/>")
        #expect(runaway.failure == "the regular expression exceeded its limit")
        #expect(runaway.diagnostics.map(\.kind) == ["regexLimit"] && runaway.results.isEmpty)
        #expect(runaway.program != nil)
        let long = answer("/<k~b$>@k", "<a k='\(String(repeating: "a", count: 5_000))'/>")
        #expect(long.failure == "the regular expression exceeded its limit")
    }

    @Test func manyElementsAndSegments() {
        let wide = "<a>" + String(repeating: "<b/>", count: 20_000) + "</a>"
        let cut = answer(String(repeating: "{*}*/../", count: 200) + "{*}*", wide)
        #expect(cut.results.count == PlaygroundLimits.results && cut.isCut)
        #expect(cut.marks.count <= PlaygroundLimits.marks)
        let many = "<a>" + String(repeating: "<b/>", count: 70_000) + "</a>"
        #expect(answer("b", many).stanzaProblems.first?.message.contains("more than 65536") == true)
    }
}
