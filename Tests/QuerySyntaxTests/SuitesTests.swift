// Compares the conformance suites with the parser and with the grammar: they agree on the valid queries and on the
// places of mistakes. The valid cases use each part of each production.

import Foundation
import QuerySyntax
import TestSupport
import Testing

struct SuitesTests {
    /// The errors of a query's syntax. The engine finds the others.
    private static let syntaxErrors: Set = [
        "syntax", "unknownConversion", "misplacedConversion", "misplacedExtraction",
    ]

    /// The first mistake of each case, and its place: that of a syntax error is where it begins, one character long.
    @Test func theParserAgrees() throws {
        var errors = 0
        // Any text may follow a regular expression that PCRE2 refuses.
        for test in try ConformanceCase.all() where test.error != "invalidRegex" {
            let first = ParsedQuery(parsing: test.query).diagnostics.first
            guard let error = test.error, Self.syntaxErrors.contains(error) else {
                #expect(first == nil, "\(test.name)")
                continue
            }
            errors += 1
            #expect(first?.kind.rawValue == error, "\(test.name)")
            guard let place = test.at else { continue }
            #expect(first?.range.lowerBound == place[0], "\(test.name)")
            #expect(
                error == "syntax" ? (first?.range.count ?? 9) <= 4 : first?.range.upperBound == place[1], "\(test.name)"
            )
        }
        #expect(errors > 400)
    }

    /// A failure names the part without a case.
    @Test func theGrammarAgrees() throws {
        var coverage = GrammarCoverage(of: try EBNF.project())
        for test in try ConformanceCase.all() where test.error != "invalidRegex" {
            let isAccepted = coverage.accept(test.query)
            #expect(isAccepted != Self.syntaxErrors.contains(test.error ?? ""), "\(test.name)")
        }
        for part in coverage.unused {
            Issue.record("no accepted case uses this of \(part.rule): \(coverage.parts[part] ?? "")")
        }
        #expect(coverage.parts.count > 200)
    }

    /// The suites know neither types of results nor `resultType`.
    @Test func theKindsAreThoseOfTheSuites() {
        #expect(
            Diagnostic.Kind.allCases.map(\.rawValue) == [
                "syntax", "unknownConversion", "misplacedConversion", "misplacedExtraction", "invalidRegex",
                "arguments", "regexLimit", "resultType",
            ]
        )
    }
}
