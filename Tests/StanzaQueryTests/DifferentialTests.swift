// Random queries on random trees: the engine on frozen and editable trees against the naive evaluator.
//
// STANZA_SEED and STANZA_CASES repeat and lengthen the run; a failure names query, options, tree and context.

import Foundation
import QuerySyntax
import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct DifferentialTests {
    /// The counts of a run.
    private struct Tally {
        var cases = 0
        var withResults = 0
        var refused = 0
        /// How many results there were of each kind.
        var results: [ResultKind: Int] = [:]
    }

    @Test func engineAgreesWithTheNaiveEvaluator() throws {
        let total = SeededGenerator.cases(default: 12_000)
        var tally = Tally()
        var salt: UInt64 = 0
        while tally.cases < total {
            salt += 1
            var trees = RandomTrees(random: SeededGenerator(salt: salt))
            let root = try trees.tree(upTo: 25)
            try trees.edit(root)
            try compare(root, queries: 40, random: trees.random, salt: salt, &tally)
        }
        #expect(tally.withResults * 100 > total * 40, "only \(tally.withResults) of \(total) cases had results")
        for kind in ResultKind.allCases where total >= 10_000 {
            #expect(tally.results[kind, default: 0] > 5, "hardly any results were \(kind.rawValue)")
        }
        #expect(tally.refused * 100 < total * 5, "\(tally.refused) of \(total) queries did not compile")
    }

    private func compare(
        _ root: MutableElement, queries: Int, random: SeededGenerator, salt: UInt64, _ tally: inout Tally
    ) throws {
        let model = NaiveTree(root)
        let frozenRoot = root.freeze()
        try #require(NaiveTree(frozenRoot) == model, "freezing changed the tree, case \(salt)")
        let editable = NaiveTree.elements(of: root)
        let frozen = NaiveTree.elements(of: frozenRoot)
        // The text of a tree does not include its surroundings.
        let surroundings = NamespaceContext(prefixes: frozenRoot.namespacesInScope.prefixes)
        let parsedRoot = try Element(parsing: frozenRoot.xmlString(in: surroundings), in: surroundings)
        try #require(NaiveTree(parsedRoot) == model, "writing and reading changed the tree, case \(salt)")
        let parsed = NaiveTree.elements(of: parsedRoot)
        var places: [ObjectIdentifier: Int] = [:]
        for (place, element) in editable.enumerated() { places[ObjectIdentifier(element)] = place }
        var queries = (made: 0, wanted: queries, maker: RandomQueries(tree: model, random: random))
        while queries.made < queries.wanted {
            queries.made += 1
            let context =
                queries.maker.random.chance(60) ? 0 : Int.random(in: frozen.indices, using: &queries.maker.random)
            let made = queries.maker.query(on: context)
            var options: QueryOptions = []
            if queries.maker.random.chance(20) { options.insert(.caseInsensitiveFilters) }
            if queries.maker.random.chance(20) { options.insert(.strictConversions) }
            tally.cases += 1
            let query: Query<QueryValue>
            do {
                query = try Query(made.text, options: options)
            } catch {
                tally.refused += 1
                continue
            }
            let naive = NaiveEvaluator(
                tree: model, query: ParsedQuery(parsing: made.text).tree, options: options, arguments: made.printed)
            let expected = try naive.results(on: context)
            if !expected.isEmpty { tally.withResults += 1 }
            tally.results[query.resultKind, default: 0] += expected.count
            // Made for failures only: it writes the whole tree.
            func note(_ found: Any) -> Comment {
                Comment(
                    rawValue: "'\(made.text)' \(made.arguments) options \(options.rawValue) on node \(context) of "
                        + "\(frozenRoot) gave \(found), not \(expected); case \(salt), seed \(SeededGenerator.seed)")
            }
            expect(query, made.arguments, on: frozen[context], gives: expected, note) { found in
                frozen.firstIndex { $0.isSame(as: found) }
            }
            let one = try Array(frozen[context].results(of: query.binding(arguments: made.arguments))).map {
                NaiveValue($0) { found in frozen.firstIndex { $0.isSame(as: found) } }
            }
            if one != expected { Issue.record(note(one)) }
            if made.arguments.isEmpty {
                // Element has a way of its own for this.
                let isThere = try frozen[context].check(query)
                if isThere == expected.isEmpty { Issue.record(note(isThere)) }
            }
            expect(query, made.arguments, on: parsed[context], gives: expected, note) { found in
                parsed.firstIndex { $0.isSame(as: found) }
            }
            expect(query, made.arguments, on: editable[context], gives: expected, note) {
                places[ObjectIdentifier($0)]
            }
        }
    }

    private func expect<Node: QueryableElement>(
        _ query: Query<QueryValue>, _ arguments: [any QueryArgument], on element: Node, gives expected: [NaiveValue],
        _ note: (Any) -> Comment, place: (Node) -> Int?
    ) {
        do {
            let found = try element.find(query.binding(arguments: arguments)).map { NaiveValue($0, place) }
            if found != expected { Issue.record(note(found)) }
            let first = try element.findFirst(query.binding(arguments: arguments)).map { NaiveValue($0, place) }
            if first != expected.first { Issue.record(note(first as Any)) }
            let isThere = try element.check(query.binding(arguments: arguments))
            if isThere == expected.isEmpty { Issue.record(note(isThere)) }
        } catch {
            Issue.record(note(error))
        }
    }
}
