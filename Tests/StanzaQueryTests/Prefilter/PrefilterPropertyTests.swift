// Random queries on documents of the suites in random spellings: the prefilter passes over no stanza with a result or
// an error.
//
// STANZA_SEED and STANZA_CASES repeat and lengthen the random run; .ci/long runs a million cases.

import QuerySyntax
import TestSupport
import Testing

@testable import QueryTools
@testable import StanzaQuery

@Suite("Prefilter property") struct PrefilterPropertyTests {
    @Test("passes over no stanza with a result, in any spelling")
    func property() throws {
        let total = SeededGenerator.cases(default: 10_000)
        var (cases, withResults, skipped) = (0, 0, 0)
        var salt: UInt64 = 0x5052_4546
        while cases < total {
            salt += 1
            var made = try RandomCases(salt: salt)
            var spelling = StanzaSpelling(random: SeededGenerator(salt: ~salt))
            // Making and spelling a tree costs more than a query does.
            for _ in 0..<4 {
                let xml = spelling.xml(of: try made.document())
                let (json, element) = (spelling.json(of: xml), try Element(parsing: xml))
                let model = NaiveTree(element)
                for _ in 0..<10 {
                    let source = made.query()
                    let options: QueryOptions = spelling.random.chance(20) ? .caseInsensitiveFilters : []
                    guard let query = try? Query(source, options: options),
                        let arguments = FittingArguments(for: ParsedQuery(parsing: source).tree, from: model)
                    else { continue }
                    cases += 1
                    // A query that fails has to fail with the filter, too.
                    let hasResult = (try? element.check(query.binding(arguments: arguments.values))) ?? true
                    if hasResult { withResults += 1 }
                    for (format, text) in [(StanzaFilter.Format.xml, xml), (.json, json), (.json, xml)]
                    where Self.passesOver(text, query.prefilter, format) {
                        skipped += 1
                        #expect(
                            !hasResult, "'\(query)' needs \(query.prefilter), seed \(SeededGenerator.seed): \(text)")
                    }
                }
            }
        }
        #expect(withResults * 100 > total * 15, "only \(withResults) of \(total) cases had results")
        #expect(skipped * 100 > total * 10, "only \(skipped) of \(3 * total) spellings were passed over")
    }

    /// Whether a filter passes over a stanza among others.
    private static func passesOver(_ text: String, _ prefilter: QueryPrefilter, _ format: StanzaFilter.Format) -> Bool {
        guard var filter = StanzaFilter([prefilter], format) else { return false }
        let other = "<other a='b'/>\n"
        return Array((other + text + "\n" + other).utf8).withUnsafeBytes { bytes in
            filter.begin()
            let start = other.utf8.count
            _ = filter.admits(0..<start, of: bytes)
            return !filter.admits(start..<start + text.utf8.count, of: bytes)
        }
    }
}
