// Random queries on random trees in random spellings: the prefilter passes over no stanza with a result or an error.
// Wrong prefilters, made on purpose, have to be found by the same test.
//
// STANZA_SEED and STANZA_CASES repeat and lengthen the random run; .ci/long runs a million cases.

import QuerySyntax
import TestSupport
import Testing

@testable import QueryTools
@testable import StanzaQuery

@Suite("Prefilter property") struct PrefilterPropertyTests {
    /// A wrong prefilter.
    enum Mistake: CaseIterable {
        case namespaces, negatedNames, prefixesAsWritten, valuesWithoutReferences, valuesWithSpaces, caselessValues
        case namesWithoutEscapes
    }

    private struct Tally {
        var cases = 0
        var withResults = 0
        /// Spellings that a prefilter passed over.
        var skipped = 0
        var counterexample: String?
    }

    @Test("passes over no stanza with a result, in any spelling")
    func property() throws {
        let total = SeededGenerator.cases(default: 10_000)
        let tally = try run(cases: total, mistake: nil)
        #expect(tally.counterexample == nil, "seed \(SeededGenerator.seed)")
        #expect(tally.withResults * 100 > total * 25, "only \(tally.withResults) of \(total) cases had results")
        #expect(tally.skipped * 100 > total * 10, "only \(tally.skipped) of \(2 * total) spellings were passed over")
    }

    @Test("finds each mistake in a prefilter", arguments: Mistake.allCases)
    func mistakes(_ mistake: Mistake) throws {
        // The rarest one shows in some 20,000 cases, by chance sometimes in several times as many. The bound keeps the
        // test finite.
        let tally = try run(cases: 300_000, mistake: mistake)
        #expect(tally.counterexample != nil, "not found in \(tally.cases) cases; seed \(SeededGenerator.seed)")
    }

    /// Runs cases up to the first counterexample.
    private func run(cases: Int, mistake: Mistake?) throws -> Tally {
        var tally = Tally()
        var salt: UInt64 = 0x5052_4546
        while tally.cases < cases, tally.counterexample == nil {
            salt += 1
            var trees = RandomTrees(random: SeededGenerator(salt: salt))
            // Other trees for most stanzas: queries are made for one tree, and the filter is for all.
            let roots = [try trees.tree(upTo: 12), try trees.tree(upTo: 6), try trees.tree(upTo: 3)]
            var queries = RandomQueries(tree: NaiveTree(roots[0]), random: trees.random)
            var spelling = StanzaSpelling(random: SeededGenerator(salt: ~salt))
            // Making and spelling a tree costs more than a query does.
            for _ in 0..<4 where tally.counterexample == nil {
                let root = spelling.random.chance(60) ? roots[0] : spelling.random.pick(roots)
                let stanza = try Spellings(of: root, by: &spelling)
                for _ in 0..<10 where tally.counterexample == nil {
                    let made = queries.query(on: 0)
                    let options: QueryOptions = spelling.random.chance(20) ? .caseInsensitiveFilters : []
                    guard let query = try? Query(made.text, options: options) else { continue }
                    try check(query, made.arguments, mistake, on: stanza, &tally)
                }
            }
        }
        return tally
    }

    /// A stanza in XML and in a line of JSON.
    private struct Spellings {
        let element: Element
        let xml: String
        let json: String

        init(of root: MutableElement, by spelling: inout StanzaSpelling) throws {
            xml = spelling.xml(of: root)
            json = spelling.json(of: xml)
            element = try Element(parsing: xml)
        }

        /// The format in which the filter passes over the stanza, among others or alone.
        func format(passedOverBy query: Query<QueryValue>) -> StanzaFilter.Format? {
            for (format, text) in [(StanzaFilter.Format.xml, xml), (.json, json), (.json, xml)] {
                guard var filter = StanzaFilter([query.prefilter], format) else { continue }
                let other = Array("<other a='b'/>\n".utf8)
                let stanza = Array(text.utf8)
                let bytes = other + stanza + Array("\n".utf8) + other
                let isAdmitted = bytes.withUnsafeBytes { bytes in
                    filter.begin()
                    _ = filter.admits(0..<other.count, of: bytes)
                    return filter.admits(other.count..<other.count + stanza.count, of: bytes)
                }
                if !isAdmitted { return format }
            }
            return nil
        }
    }

    private func check(
        _ query: Query<QueryValue>, _ arguments: [any QueryArgument], _ mistake: Mistake?, on stanza: Spellings,
        _ tally: inout Tally
    ) throws {
        tally.cases += 1
        // A query that fails has to fail with the filter, too.
        let hasResult = (try? stanza.element.check(query.binding(arguments: arguments))) ?? true
        if hasResult { tally.withResults += 1 }
        let literals = try Self.literals(of: query, mistake)
        if mistake == nil, hasResult, let format = stanza.format(passedOverBy: query) {
            tally.counterexample = "the filter of '\(query)' passes over \(stanza.xml) or \(stanza.json) as \(format)"
        }
        let json = SpelledStanza(stanza.json, as: mistake == .namesWithoutEscapes ? .xml : .json)
        for spelled in [SpelledStanza(stanza.xml, as: .xml), json] where !spelled.admits(literals) {
            tally.skipped += 1
            if hasResult {
                tally.counterexample = "'\(query)' needs \(literals), not in \(stanza.xml) or \(stanza.json)"
            }
        }
    }

    /// The query's literals, or others that are wrong.
    private static func literals(
        of query: Query<QueryValue>, _ mistake: Mistake?
    ) throws -> [QueryPrefilter.Literal] {
        let literals = query.prefilter.literals
        let tree = ParsedQuery(parsing: query.source).tree
        var more: [QueryPrefilter.Literal] = []
        switch mistake {
        case nil: break
        case .namespaces:
            for case .elements(let test) in tree.nodes.map(\.content) {
                if case .named(let uri) = test.namespace, let uri = tree.text(of: uri) { more.append(.name(uri)) }
            }
        case .negatedNames:
            for case .elements(let test) in tree.nodes.map(\.content) {
                if case .not(let name) = test.name, let name = tree.text(of: name) { more.append(.name(name)) }
            }
        case .prefixesAsWritten:
            for case .filter(let filter) in tree.nodes.map(\.content) where filter.attribute.namespace == nil {
                if let name = tree.text(of: filter.attribute.name), name != "xmlns" { more.append(.name(name)) }
            }
        case .valuesWithoutReferences:
            return literals.map { .name($0.text) }
        case .valuesWithSpaces:
            for case .filter(let filter) in tree.nodes.map(\.content) {
                guard case .equals = filter.condition, query.options.isEmpty else { continue }
                let text = tree.value(in: filter.value)
                if text.contains(" ") { more.append(.value(text)) }
            }
        case .caselessValues: return try Query(query.source).prefilter.literals
        case .namesWithoutEscapes:
            return literals.filter { if case .name = $0 { true } else { false } }
        }
        return literals + more
    }
}
