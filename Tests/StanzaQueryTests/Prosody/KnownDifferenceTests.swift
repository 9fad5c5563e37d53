// The list of 8.1, entry by entry: the real Prosody's answer and ours on a fixed example.

import QuerySyntax
import StanzaQuery
import Testing

extension AgainstProsody {
    @Suite struct KnownDifferenceTests {
        private let prosody: Prosody

        init() throws {
            prosody = try Prosody()
        }

        @Test func childWithoutNamespace() throws {
            let document = "<r xmlns='u'><a xmlns='' k='none'/><a k='u'/></r>"
            try expect("a@k", on: document, prosody: "none", ours: "u", .childWithoutNamespace)
            try expect("#", on: "<r xmlns='u'><a xmlns=''>x</a></r>", prosody: "x", ours: nil, .childWithoutNamespace)
            try expectAgreement("a@k", on: "<r><a k='none'/></r>", "none")
        }

        @Test func emptyQuery() throws {
            let document = "<r><a/></r>"
            try expect("", on: document, prosody: .element("0"), ours: .found(.element(.root)), .emptyQuery)
            try expect("", on: "<r/>", prosody: nil, ours: .found(.element(.root)), .emptyQuery)
        }

        @Test func leadingSlash() throws {
            let document = "<r k='root'><r k='child'><r k='grandchild'/></r></r>"
            try expect("/r@k", on: document, prosody: "grandchild", ours: "root", .leadingSlash)
            try expect("/@k", on: document, prosody: "child", ours: "root", .leadingSlash)
            try expectAgreement("r@k", on: document, "child")
        }

        @Test func emptySegment() throws {
            let document = "<r><a><b><c k='1'/></b></a></r>"
            try expectSyntaxError("a//c@k", on: document, prosody: "1", .emptySegment)
            try expectAgreement("a/b/c@k", on: document, "1")
        }

        @Test func trailingSlash() throws {
            let document = "<r><a/><b><c/></b></r>"
            try expectSyntaxError("b/", on: document, prosody: .element("1"), .trailingSlash)
            try expectAgreement("b", on: document, .element("1"))
        }

        @Test func textBehindHash() throws {
            let document = "<r><a k='1'><b>x</b></a></r>"
            try expectSyntaxError("a#b", on: document, prosody: .element("0/0"), .textBehindHash)
            try expectSyntaxError("a#@k", on: document, prosody: "1", .textBehindHash)
            try expectAgreement("a/b#", on: document, "x")
            let slash = EngineAnswer(to: "a#/b", on: try Element(parsing: document))
            #expect(slash.errorKind == .misplacedExtraction)
        }

        @Test func allBranches() throws {
            let document = "<r><a/><a><b k='1'/></a><a><b k='2'/></a></r>"
            try expect("a/b@k", on: document, prosody: nil, ours: "1", .allBranches)
            try expect("a/b", on: document, prosody: nil, ours: .found(.element("1/0")), .allBranches)
            try expect("a/@k", on: "<r><a/><a k='1'/></r>", prosody: nil, ours: "1", .allBranches)
            let found = try Element(parsing: document).find("a/b@k").compactMap(\.string)
            #expect(found == ["1", "2"])
            // The first of several is Prosody's, too.
            try expectAgreement("a@k", on: "<r><a k='1'/><a k='2'/></r>", "1")
        }

        @Test func textBesideChildren() throws {
            let document = "<r><a>one<b>two</b>three</a></r>"
            try expect("a#", on: document, prosody: nil, ours: "onethree", .textBesideChildren)
            try expectAgreement("a/b#", on: document, "two")
        }

        @Test func emptyText() throws {
            try expect("a#", on: "<r><a/></r>", prosody: "", ours: nil, .emptyText)
            try expect("a#", on: "<r><a/><a>x</a></r>", prosody: "", ours: "x", .emptyText)
            // An attribute may be empty.
            try expectAgreement("a@k", on: "<r><a k=''/></r>", "")
        }

        // MARK: Both answers, and that the comparison recognizes the difference

        private func expect(
            _ query: String, on document: String, prosody expected: FoundResult?, ours: EngineAnswer,
            _ difference: KnownDifference, at location: SourceLocation = #_sourceLocation
        ) throws {
            let answer = try prosody.answer(to: query, of: document)
            #expect(answer.result == expected, sourceLocation: location)
            #expect(EngineAnswer(to: query, on: try Element(parsing: document)) == ours, sourceLocation: location)
            #expect(difference.concerns(query, ProsodyQuery(query), answer), sourceLocation: location)
        }

        private func expect(
            _ query: String, on document: String, prosody expected: FoundResult?, ours text: String?,
            _ difference: KnownDifference, at location: SourceLocation = #_sourceLocation
        ) throws {
            let ours = text.map { EngineAnswer.found(.text($0)) } ?? .nothing
            try expect(query, on: document, prosody: expected, ours: ours, difference, at: location)
        }

        private func expectSyntaxError(
            _ query: String, on document: String, prosody expected: FoundResult?, _ difference: KnownDifference,
            at location: SourceLocation = #_sourceLocation
        ) throws {
            let ours = EngineAnswer(to: query, on: try Element(parsing: document))
            #expect(ours.errorKind == .syntax, sourceLocation: location)
            try expect(query, on: document, prosody: expected, ours: ours, difference, at: location)
        }

        /// A neighbor of the difference: both give the same result, and no entry that changes results covers it.
        private func expectAgreement(
            _ query: String, on document: String, _ result: FoundResult, at location: SourceLocation = #_sourceLocation
        ) throws {
            let answer = try prosody.answer(to: query, of: document)
            #expect(answer.result == result, sourceLocation: location)
            let ours = EngineAnswer(to: query, on: try Element(parsing: document))
            #expect(ours == .found(result), sourceLocation: location)
            let known = KnownDifference.allCases.filter { $0.concerns(query, ProsodyQuery(query), answer) }
            #expect(known.filter { !$0.onlyAddsResults }.isEmpty, sourceLocation: location)
        }
    }
}

extension FoundResult: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self = .text(text) }
}

extension ElementPlace: ExpressibleByStringLiteral {
    init(stringLiteral place: String) { self.init(place) }
}

extension EngineAnswer {
    fileprivate var errorKind: Diagnostic.Kind? { if case .refused(let error) = self { error.kind } else { nil } }
}
