// The macro accepts valid queries, which give the predicted type at run time: no accepted query throws for a reason
// that the compiler could have seen.

import Foundation
import MacroTestSupport
import QuerySyntax
import StanzaQuery
import StanzaQueryMacros
import TestSupport
import Testing

@Suite struct RightQueriesTests {
    /// Returns the type of a query's results. This repeats the table of `QueryDecodable`, because the tests compare
    /// the macro's table and the engine's kinds with it.
    private static func type(of kind: ResultKind) -> any QueryDecodable.Type {
        switch kind {
        case .element: Element.self
        case .string: String.self
        case .attributes: StringMap.self
        case .bool: Bool.self
        case .int: Int.self
        case .uint: UInt.self
        case .double: Double.self
        case .datetime: Date.self
        case .base64: Data.self
        case .uuid: UUID.self
        case .form: DataForm.self
        case .field: FormField.self
        }
    }

    /// Returns the cases whose query compiles, each query once. It omits specifiers and options, which macros do not
    /// support.
    private static func cases() throws -> [(test: ConformanceCase, kind: ResultKind)] {
        var queries: Set<[UInt8]> = []
        return try ConformanceCase.all().compactMap { test in
            guard test.options == nil, ParsedQuery(parsing: QueryText(test.query)).diagnostics.isEmpty,
                let kind = try? Query(test.query).resultKind, queries.insert(Array(test.query.utf8)).inserted
            else { return nil }
            return (test, kind)
        }
    }

    private static func hasPattern(_ query: String) -> Bool {
        ParsedQuery(parsing: query).tree.nodes.contains {
            if case .filter(let filter) = $0.content, case .matches = filter.condition { true } else { false }
        }
    }

    /// The macro accepts each query in one of the spellings of its literal.
    @Test func theMacroAcceptsThem() throws {
        var kinds: Set<ResultKind> = []
        for (index, (test, kind)) in try Self.cases().enumerated() {
            let spelling = Spelling.allCases[index % Spelling.allCases.count]
            guard let literal = spelling.literal(test.query) ?? Spelling.plain.literal(test.query) else { continue }
            let label = Self.hasPattern(test.query) ? "regex: " : ""
            let source = "let query = #query<\(Self.type(of: kind))>(\(label)\(literal))\n"
            #expect(reportedMistakes(in: source).filter { !$0.isWarning } == [], "\(source)")
            // The first query of each kind is not a query for another result.
            guard kinds.insert(kind).inserted else { continue }
            let other: ResultKind = kind == .bool ? .int : .bool
            let wrong = "let query = #query<\(Self.type(of: other))>(\(label)\(literal))\n"
            #expect(
                reportedMistakes(in: wrong).filter { !$0.isWarning }.map(\.message)
                    == ["the query gives \(Self.type(of: kind)), not \(Self.type(of: other))"])
        }
        #expect(kinds.count == ResultKind.allCases.count)
    }

    /// The engine agrees with the type of each query, which `#query` requires, and evaluates it.
    @Test func theyDoNotThrow() throws {
        var count = 0
        for (test, kind) in try Self.cases() {
            // Some documents are malformed deliberately.
            guard let xml = test.xml, let element = try? Element(stanza: xml) else { continue }
            do throws(QueryError) {
                try evaluate(Self.type(of: kind), test.query, on: element)
            } catch {
                // The cost of a regular expression is unknown before it runs.
                #expect(error.kind == .regexLimit, "\(test.name): \(error)")
            }
            count += 1
        }
        #expect(count > 700)
    }

    private func evaluate<Value: QueryDecodable>(
        _: Value.Type, _ query: String, on element: Element
    ) throws(QueryError) {
        let checked = try Query(query, as: Value.self)
        _ = try element.findFirst(checked)
        _ = try element.find(checked)
    }
}
