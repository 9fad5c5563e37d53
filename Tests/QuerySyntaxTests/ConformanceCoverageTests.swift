// The conformance suites against the grammar: they agree on what is a query, every part of every production is used by
// a case that is accepted, and every production is broken by one that is rejected. A failure names what has no case.

import Foundation
import TestSupport
import Testing

struct ConformanceCoverageTests {
    /// The errors that the grammar knows. A wrong argument is beyond it, and so is a regex that PCRE2 refuses; behind
    /// that one there may be anything.
    private static let grammarErrors: Set = [
        "syntax", "unknownConversion", "misplacedConversion", "misplacedExtraction",
    ]

    private struct Comparison: Sendable {
        var coverage: GrammarCoverage
        /// The names of cases of which the grammar says the contrary.
        var contradicted: [String] = []
    }

    private static let comparison = Result {
        var comparison = Comparison(coverage: GrammarCoverage(of: try EBNF.project()))
        for test in try ConformanceCase.all() where test.error != "invalidRegex" {
            let isRejected = grammarErrors.contains(test.error ?? "")
            let isConfirmed =
                isRejected ? comparison.coverage.reject(test.query) : comparison.coverage.accept(test.query)
            if !isConfirmed { comparison.contradicted.append(test.name) }
        }
        return comparison
    }

    private let coverage: GrammarCoverage
    private let contradicted: [String]

    init() throws {
        let comparison = try Self.comparison.get()
        coverage = comparison.coverage
        contradicted = comparison.contradicted
    }

    @Test func suitesAndGrammarAcceptTheSame() {
        #expect(contradicted == [])
    }

    @Test func everyPartOfEveryProductionIsUsed() {
        for part in coverage.unused {
            Issue.record("no accepted case uses this of \(part.rule): \(coverage.parts[part] ?? "")")
        }
        #expect(coverage.parts.count > 200)
    }

    @Test func everyProductionIsBroken() {
        let canBeMissing = coverage.rulesThatCanBeMissing
        let canBeBrokenOff = coverage.rulesThatCanBeBrokenOff
        #expect(canBeMissing.subtracting(coverage.missing).sorted() == [], "no rejected case lacks these")
        #expect(canBeBrokenOff.subtracting(coverage.brokenOff).sorted() == [], "no rejected case stops within these")
        #expect(canBeMissing.union(canBeBrokenOff) == Set(coverage.grammar.rules.keys))
    }
}
