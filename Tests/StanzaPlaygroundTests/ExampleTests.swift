// The page's examples are cases of the conformance suites, so they cannot become outdated.

import Foundation
import QuerySyntax
import QueryTools
import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI
@testable import StanzaPlayground

@Suite struct ExampleTests {
    struct Example: Decodable, CustomTestStringConvertible {
        let group: String
        let title: String
        let query: String
        let stanza: String
        let arguments: [String]?
        let ignoreCase: Bool?
        let strict: Bool?
        /// The suite's file and the case's name.
        let `case`: String

        var testDescription: String { title }

        var options: QueryOptions {
            var options: QueryOptions = []
            if ignoreCase == true { options.insert(.caseInsensitiveFilters) }
            if strict == true { options.insert(.strictConversions) }
            return options
        }

        /// Returns the case of the suite.
        func test() throws -> SuiteTest {
            let colon = try #require(`case`.firstRange(of: ": "))
            let file = packageFolder.appending(path: "Grammar/conformance/\(`case`[..<colon.lowerBound])")
            let suite = try Suite(Array(Data(contentsOf: file)))
            let tests = try suite.cases.map { try $0.test.get() }
            return try #require(tests.first { $0.name == `case`[colon.upperBound...] })
        }
    }

    static let examples: [Example] = {
        let bytes = PlaygroundAsset(path: "/examples.json")?.bytes ?? []
        return (try? JSONDecoder().decode([Example].self, from: Data(bytes))) ?? []
    }()

    /// Returns the text without white space between tags and at its ends.
    private func bare(_ xml: String) -> String {
        xml.replacing(/>\s+</, with: "><").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func thereAreSome() {
        #expect(Self.examples.count >= 20)
        #expect(Set(Self.examples.map(\.title)).count == Self.examples.count)
    }

    @Test(arguments: examples)
    func eachIsACaseOfASuite(example: Example) throws {
        let test = try example.test()
        #expect(example.query.utf8.elementsEqual(test.query.utf8))
        #expect(example.options == test.options && test.context.isEmpty)
        if let xml = test.document?.xml { #expect(bare(example.stanza) == bare(xml)) }
        if let query = try? Query(test.query, options: test.options) {
            #expect(query.arguments(from: example.arguments ?? []) == test.arguments)
        }
        let shown = SuiteTest(
            name: test.name, document: .own(example.stanza), context: [], query: example.query,
            arguments: test.arguments,
            options: example.options, expectation: test.expectation, question: [])
        let failure = Suite(context: .clientStream, cases: [], warnings: []).run(shown)
        #expect(failure == nil, "\(failure?.description ?? "")")
    }

    @Test(arguments: examples)
    func eachIsAnsweredAsItsCaseSays(example: Example) throws {
        var request = EvaluationRequest(
            query: example.query, stanza: example.stanza, arguments: example.arguments ?? [])
        request.ignoreCase = example.ignoreCase ?? false
        request.strict = example.strict ?? false
        let answer = EvaluationAnswer(to: request)
        #expect(answer.stanzaProblems.isEmpty)
        switch try example.test().expectation {
        case .results(let expected, _):
            #expect(answer.diagnostics.isEmpty && answer.failure == nil)
            #expect(answer.results.map(\.kind) == expected.map { $0.json.object?.first?.name ?? "" })
            for (result, expected) in zip(answer.results, expected) {
                switch expected {
                case .element(let path), .form(let path): #expect(result.path == path)
                case .string(let text): #expect(result.text == text)
                case .int(let number): #expect(result.text == String(number))
                default: #expect(!result.text.isEmpty)
                }
            }
        case .error(let kind, let range):
            let first = try #require(answer.diagnostics.first)
            #expect(first.kind == kind.rawValue)
            if let range { #expect(first.start == range.lowerBound) }
        }
    }
}
