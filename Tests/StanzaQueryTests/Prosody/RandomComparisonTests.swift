// Random queries on random trees against the real Prosody. STANZA_SEED and STANZA_CASES repeat and lengthen the run.

import StanzaQuery
import TestSupport
import Testing

extension AgainstProsody {
    @Suite struct RandomComparisonTests {
        /// Few, so that the test has many documents: errors depend on the tree at least as much as on the query.
        private static let queriesOfADocument = 5

        @Test func resultsAreProsodys() throws {
            let total = SeededGenerator.cases(default: 12_000)
            let prosody = try Prosody()
            var comparison = Comparison()
            var documentCount = 0
            while comparison.cases < total {
                documentCount += 1
                var documents = RandomDocuments(random: SeededGenerator(salt: UInt64(documentCount)))
                let document = documents.document(upTo: 25)
                let root = try Element(parsing: document)
                var queries = RandomProsodyQueries(random: documents.random)
                let context = queries.context(in: root)
                let texts = (0..<Self.queriesOfADocument).map { _ in queries.query(on: context) }
                try comparison.compare(
                    texts, on: context, of: document, with: prosody, note: "(STANZA_SEED=\(SeededGenerator.seed))")
            }
            expectEnough(comparison, documentCount: documentCount)
        }

        /// That a run was worth something. A handful of cases need not be.
        private func expectEnough(_ comparison: Comparison, documentCount: Int) {
            let cases = comparison.cases
            guard cases >= 5_000 else { return }
            #expect(documentCount * 6 > cases, "only \(documentCount) documents for \(cases) cases")
            let same = comparison.sameResults
            #expect(same * 3 > cases, "only \(same) of \(cases) cases had a result that both must have")
            for form in ProsodyQuery.Form.allCases {
                let count = comparison.forms[form, default: 0]
                #expect(count >= cases / 2_000, "only \(count) results of \(cases) cases came from \(form.rawValue)")
            }
            for difference in KnownDifference.allCases {
                let count = comparison.differences[difference, default: 0]
                #expect(count >= cases / 2_000, "only \(count) of \(cases) cases: \(difference.rawValue)")
            }
        }
    }
}

extension RandomProsodyQueries {
    /// The element that queries are evaluated on: the root, or one below it.
    mutating func context(in root: Element) -> Element {
        var context = root
        while random.chance(25), let child = context.children.randomElement(using: &random) { context = child }
        return context
    }
}
