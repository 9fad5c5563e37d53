// The answers to valid and invalid queries and stanzas.

import Foundation
import Testing

@testable import StanzaPlayground

@Suite struct EvaluationTests {
    private static let message = "<message from='romeo@example.net'><body>Art thou not Romeo?</body></message>"

    @Test func aRightQuery() {
        let answer = answer("/message/body#", Self.message)
        #expect(answer.diagnostics.isEmpty && answer.stanzaProblems.isEmpty && answer.failure == nil)
        #expect(answer.tree.map(\.text) == ["rooted", "elements message", "elements body", "extract text"])
        #expect(answer.tree.map(\.start) == [0, 1, 9, 13])
        #expect(answer.tree.map(\.end) == [1, 8, 13, 14])
        #expect(answer.program?.resultKind == "string" && answer.program?.argumentCount == 0)
        #expect(answer.program?.listing.last?.text.contains("yield  text") == true)
        #expect(answer.program?.listing.last?.start == 13 && answer.program?.listing.last?.end == 14)
        #expect(
            answer.marks == [
                ElementMark(start: 0, end: 34, mark: "visited", path: []),
                ElementMark(start: 34, end: 40, mark: "matched", path: [0]),
            ])
        #expect(
            answer.results == [
                ResultText(kind: "string", text: "Art thou not Romeo?", path: [0], start: 34, end: 66)
            ])
        #expect(!answer.isCut)
    }

    @Test func aWrongQuery() throws {
        let answer = answer("{urn:xmpp:mam:2}fin@count|integer", Self.message)
        let mistake = try #require(answer.diagnostics.first)
        #expect(mistake.kind == "unknownConversion" && mistake.message == "unknown conversion 'integer'")
        #expect(mistake.start == 26 && mistake.end == 33)
        #expect(mistake.expected?.hasPrefix("expected one of: bool, int") == true)
        #expect(mistake.fix == QueryFix(start: 26, end: 33, replacement: "int", label: "|int"))
        #expect(answer.program == nil && answer.marks.isEmpty && answer.results.isEmpty)
        #expect(answer.tree.map(\.text) == ["elements {urn:xmpp:mam:2}fin", "extract attribute count"])
    }

    @Test func allMistakesOfAQueryAndOfTheStanza() {
        let answer = answer("a<b=>/c<d~(>/e@f|g", "<a>")
        #expect(answer.diagnostics.map(\.kind) == ["syntax", "invalidRegex", "unknownConversion"])
        #expect(answer.stanzaProblems.count == 1)
    }

    @Test func theEmptyQueryIsTheStanza() {
        let answer = answer("", "<a/>")
        #expect(answer.tree == [TreeLine(depth: 0, text: "the element itself", start: nil, end: nil)])
        #expect(answer.results.map(\.text) == ["<a xmlns='jabber:client'/>"])
        #expect(answer.program?.listing.allSatisfy { $0.start == nil && $0.end == nil } == true)
    }

    @Test func offsetsAreThoseOfUTF16() {
        let query = answer("{urn:😀}a@é|integer", "<a/>")
        #expect(query.diagnostics.map(\.start) == [12] && query.diagnostics.map(\.end) == [19])
        let stanza = "<?xml version='1.0'?>\r\n<!-- 😀 -->\r\n<a k='😀'>é\r\n<b/>\r\n</a>\r\n"
        let marked = answer("b", stanza)
        let units = Array(stanza.utf16)
        func piece(_ start: Int, _ end: Int) -> String { String(decoding: units[start..<end], as: UTF16.self) }
        #expect(marked.marks.map { piece($0.start, $0.end) } == ["<a k='😀'>", "<b/>"])
        #expect(marked.results.map { piece($0.start ?? 0, $0.end ?? 0) } == ["<b/>"])
        let wrong = answer("b", "<a k='😀'>\r\n&nope;</a>")
        #expect(wrong.stanzaProblems.map(\.start) == [12] && wrong.stanzaProblems.map(\.end) == [13])
    }

    @Test(arguments: [
        ("/a/b#", "<a><b>x</b><b/><c><d/></c></a>", ["visited ", "matched 0", "rejected 1", "rejected 2"]),
        ("", "<a><b/></a>", ["matched "]),
        ("*/*", "<a><b/><c><d/></c></a>", ["visited ", "visited 0", "visited 1", "matched 1.0"]),
    ])
    func marks(query: String, stanza: String, expected: [String]) {
        let marks = answer(query, stanza).marks.map { mark in
            mark.mark + " " + mark.path.map { String($0) }.joined(separator: ".")
        }
        #expect(marks == expected)
    }

    @Test func everyKindOfResult() {
        let form = "<x xmlns='jabber:x:data' type='form'><field var='f' label='F'><value>v</value></field></x>"
        let stanza = """
            <a i='-1' d='0.5' b='true' t='2002-09-10T23:08:25Z' \
            u='6BA7B810-9DAD-11D1-80B4-00C04FD430C8' e='aGk='>\(form)</a>
            """
        let kinds = [
            ("/@i", "string", "-1"), ("/@i|int", "int", "-1"), ("/@b|uint", "uint", "0"),
            ("/@d|double", "double", "0.5"),
            ("/@b|bool", "bool", "true"), ("/@t|datetime", "datetime", "2002-09-10T23:08:25Z"),
            ("/@u|uuid", "uuid", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"), ("/@e|base64", "base64", "aGk="),
            ("/$", "string", "a"), ("\\@f\\", "string", "v"),
        ]
        for (query, kind, text) in kinds {
            let answer = answer(query, stanza)
            #expect(answer.program?.resultKind == kind)
            #expect(answer.results.map(\.kind) == [kind] && answer.results.map(\.text) == [text], "\(query)")
        }
        #expect(answer("/@@", "<a k='1'/>").results.map(\.text) == [#"{"xmlns": "jabber:client", "k": "1"}"#])
        #expect(answer("\\\\", stanza).results.map(\.kind) == ["form"])
        #expect(answer("\\\\", stanza).results.map(\.path) == [[0]])
        #expect(answer("\\&f\\", stanza).results.map(\.kind) == ["field"])
        #expect(answer("{jabber:x:data}x/field", stanza).results.map(\.path) == [[0, 0]])
    }

    @Test func argumentsAreReadAsSpecifiersWantThem() {
        let stanza = "<a id='7' k='007'/>"
        #expect(answer("/<id=%d>@k", stanza, ["7"]).results.map(\.text) == ["007"])
        #expect(answer("/<k=%03d><id=%@>@id", stanza, ["7", "7"]).results.map(\.text) == ["7"])
        let few = answer("/<id=%d>@k", stanza)
        #expect(few.diagnostics.map(\.kind) == ["arguments"] && few.diagnostics.map(\.start) == [5])
        #expect(few.program?.argumentCount == 1 && few.results.isEmpty && few.marks.isEmpty)
        #expect(answer("/<id=%d>@k", "<a>", ["x"]).diagnostics.map(\.kind) == ["arguments"])
        #expect(answer("/<id=%d>@k", "<a>", ["x"]).stanzaProblems.count == 1)
        #expect(answer("/@k", stanza, ["1"]).diagnostics.map(\.kind) == ["arguments"])
    }

    @Test func compileOptions() {
        var request = EvaluationRequest(query: "/<type=ERROR>@id|int", stanza: "<a type='error' id='7x'/>")
        #expect(EvaluationAnswer(to: request).results.isEmpty)
        request.ignoreCase = true
        #expect(EvaluationAnswer(to: request).results.map(\.text) == ["7"])
        request.strict = true
        #expect(EvaluationAnswer(to: request).results.isEmpty)
    }

    @Test func prefixesInScopeAroundTheStanza() {
        #expect(answer("/{jabber:client}a@id", "<a id='1'/>").results.map(\.text) == ["1"])
        let error = answer("/{http://etherx.jabber.org/streams}error$", "<stream:error/>")
        #expect(error.results.map(\.text) == ["error"])
    }

    @Test(
        arguments: [
            ("", 0, 0), ("  ", 0, 1), ("text", 0, 1), ("<a><b></a>", 6, 7), ("<a x:k='1'/>", 3, 4),
            ("<a>\u{0}</a>", 3, 4), ("<a>😀\u{1}</a>", 5, 6), ("<a", 2, 2),
            ("<a>😀&x;</a>", 5, 6),
        ])
    func stanzasThatCannotBeRead(stanza: String, start: Int, end: Int) {
        let answer = answer("/a", stanza)
        #expect(answer.stanzaProblems.count == 1 && answer.program != nil && answer.marks.isEmpty)
        let problem = answer.stanzaProblems.first
        #expect(problem?.start == start && problem?.end == end, "\(answer.stanzaProblems)")
    }

    @Test func severalStanzas() {
        let two = answer("b#", "<a><b>x</b></a>\n<a>😀<b>y</b></a>")
        #expect(two.results.map(\.text) == ["x", "y"] && two.results.map(\.start) == [3, 21])
        #expect(two.marks.map(\.start) == [0, 3, 16, 21] && two.stanzaProblems.isEmpty)
        let log = answer("/@id", "é 10:00 RECV <a id='1'/> 10:01 <b id='2'></b>\nbye <c id='3'")
        #expect(log.results.map(\.text) == ["1", "2"] && log.results.map(\.start) == [13, 31])
        let json = answer("/a@id", #"{"xml": "<a id='1'/>"}"# + "\n" + #"{"xml": "<a id=\"2\"/>"}"#)
        #expect(json.results.map(\.text) == ["1", "2"] && json.results.first?.start == 9)
        let half = answer("/*", "<a/>\n<b>&é;</b>")
        #expect(half.results.count == 1 && half.stanzaProblems.map(\.start) == [8])
    }

    @Test func nearMisses() {
        let stanzas = "<a k='v'><b/></a><c/><a k='w'/>"
        let miss = answer("/a<k=V>@k", stanzas)
        #expect(miss.nearMiss == "`k` is 'v' in 1, 'w' in 1, never 'V'")
        #expect(miss.repair == QueryFix(start: 0, end: 9, replacement: "/a<k=v>@k", label: "/a<k=v>@k"))
        #expect(answer("/d", stanzas).repair == nil && answer("/d", stanzas).nearMiss != nil)
        #expect(answer("b", stanzas).nearMiss == nil && answer("b", "").nearMiss == nil)
    }

    @Test func legalQueriesThatAreProbablyWrong() throws {
        let answer = answer("é<b=\"c\">@d", "<r><é b='\"c\"' d='1'/></r>")
        #expect(answer.diagnostics.isEmpty && answer.results.map(\.text) == ["1"])
        let warning = try #require(answer.warnings.first)
        #expect(warning.kind == "foreign-value" && warning.start == 1 && warning.end == 8 && answer.warnings.count == 1)
        #expect(warning.expected == "did you mean 'é<b=c>@d'?")
    }

    @Test func theAnswerAsJSON() throws {
        let json = String(decoding: answer("a@", "<a>").json, as: UTF8.self)
        for member in [
            "\"program\":null", "\"failure\":null", "\"isCut\":false", "\"marks\":[]", "\"results\":[]", "\"fix\":null",
            "\"diagnostics\":[{", "\"tree\":[{", "\"stanzaProblems\":[{",
        ] { #expect(json.contains(member), "\(member) in \(json)") }
        let right = String(decoding: answer("", "<a/>").json, as: UTF8.self)
        #expect(right.contains(#""tree":[{"depth":0,"end":null,"start":null,"text":"the element itself"}]"#))
        #expect(right.contains(#""path":[],"start":0,"text":"<a xmlns='jabber:client'/>""#))
    }
}
