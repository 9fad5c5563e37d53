// `#query` accepts valid queries, with the type of their results and with no other.

import QuerySyntax
import StanzaQuery
import TestSupport
import Testing

@Suite struct RightQueriesTests {
    /// The types of results. This repeats the table of `QueryDecodable`, because the test compares the macro's table
    /// with it.
    private static let types: [ResultKind: String] = [
        .element: "Element", .string: "String", .attributes: "StringMap", .bool: "Bool", .int: "Int", .uint: "UInt",
        .double: "Double", .datetime: "Date", .base64: "Data", .uuid: "UUID", .form: "DataForm", .field: "FormField",
    ]

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

    /// `#query` accepts each query in one of the spellings of its literal.
    @Test func theMacroAcceptsThem() throws {
        var kinds: Set<ResultKind> = []
        for (index, (test, kind)) in try Self.cases().enumerated() {
            let spelling = Spelling.allCases[index % Spelling.allCases.count]
            guard let literal = spelling.literal(test.query) ?? Spelling.plain.literal(test.query) else { continue }
            let type = try #require(Self.types[kind])
            let label = Self.hasPattern(test.query) ? "regex: " : ""
            let source = "let query = #query<\(type)>(\(label)\(literal))\n"
            #expect(reportedMistakes(in: source).filter { !$0.isWarning } == [], "\(source)")
            // The first query of each kind is not a query for another result.
            guard kinds.insert(kind).inserted else { continue }
            let other = kind == .bool ? "Int" : "Bool"
            let wrong = "let query = #query<\(other)>(\(label)\(literal))\n"
            #expect(
                reportedMistakes(in: wrong).filter { !$0.isWarning }.map(\.message)
                    == ["the query gives \(type), not \(other)"])
        }
        #expect(kinds.count == ResultKind.allCases.count)
    }
}
