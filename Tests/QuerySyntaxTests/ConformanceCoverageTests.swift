// Compares the conformance suites with the grammar: they agree on the valid queries. An accepted case uses each part of
// each production, and a rejected case breaks each production. A failure names the part without a case.

import Foundation
import TestSupport
import Testing

struct ConformanceCoverageTests {
    /// The errors that the grammar covers. It covers neither a wrong argument nor a regex that PCRE2 refuses; after the
    /// latter any text may follow.
    private static let grammarErrors: Set = [
        "syntax", "unknownConversion", "misplacedConversion", "misplacedExtraction",
    ]

    private struct Comparison: Sendable {
        var coverage: GrammarCoverage
        /// The names of cases that contradict the grammar.
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
