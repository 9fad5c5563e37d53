// Random queries on documents of the suites: the engine on frozen, parsed and editable trees against the naive
// evaluator.
//
// STANZA_SEED and STANZA_CASES repeat and lengthen the run; a failure names query, arguments, options and context.

import QuerySyntax
import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct DifferentialTests {
    @Test func engineAgreesWithTheNaiveEvaluator() throws {
        let total = SeededGenerator.cases(default: 12_000)
        var (cases, withResults) = (0, 0)
        var results: [ResultKind: Int] = [:]
        var salt: UInt64 = 0
        while cases < total {
            salt += 1
            var made = try RandomCases(salt: salt)
            let root = try made.document().thaw()
            // The storage is not in document order any more.
            if made.random.chance(50), let first = root.firstChild {
                first.remove()
                root.add(first)
                first.insert(first.copy(), at: 0)
            }
            let (model, frozenRoot) = (NaiveTree(root), root.freeze())
            // The text of a tree does not include its surroundings.
            let surroundings = NamespaceContext(prefixes: frozenRoot.namespacesInScope.prefixes)
            let parsedRoot = try Element(parsing: frozenRoot.xmlString(in: surroundings), in: surroundings)
            try #require(NaiveTree(frozenRoot) == model, "freezing changed the tree, case \(salt)")
            try #require(NaiveTree(parsedRoot) == model, "writing and reading changed the tree, case \(salt)")
            let (frozen, parsed) = (NaiveTree.elements(of: frozenRoot), NaiveTree.elements(of: parsedRoot))
            let editable = NaiveTree.elements(of: root)
            for _ in 0..<40 {
                let context = made.random.chance(60) ? 0 : made.random.number(0...frozen.count - 1)
                let text = made.query()
                var options: QueryOptions = made.random.chance(20) ? .strictConversions : []
                // Swift and PCRE2 know different versions of Unicode.
                if made.random.chance(20), model.isASCII, text.utf8.allSatisfy({ $0 < 0x80 }) {
                    options.insert(.caseInsensitiveFilters)
                }
                let tree = ParsedQuery(parsing: text).tree
                guard let query = try? Query(text, options: options),
                    let arguments = FittingArguments(for: tree, from: model)
                else { continue }
                cases += 1
                let naive = NaiveEvaluator(tree: model, query: tree, options: options, arguments: arguments.printed)
                // Nothing if a match runs past its limits.
                let expected = try? naive.results(on: context)
                if expected?.isEmpty == false { withResults += 1 }
                results[query.resultKind, default: 0] += expected?.count ?? 0
                let note = """
                    '\(text)' \(arguments.values), options \(options.rawValue), on node \(context) of \(frozenRoot), \
                    case \(salt), STANZA_SEED=\(SeededGenerator.seed)
                    """
                try FuzzSeeds.$current.withValue(note) {
                    func place(_ element: Element) -> Int? { frozen.firstIndex { $0.isSame(as: element) } }
                    compare(query, arguments.values, on: frozen[context], with: expected, place)
                    compare(query, arguments.values, on: parsed[context], with: expected) { found in
                        parsed.firstIndex { $0.isSame(as: found) }
                    }
                    compare(query, arguments.values, on: editable[context], with: expected) { found in
                        editable.firstIndex { $0 === found }
                    }
                    let bound = try query.binding(arguments: arguments.values)
                    let one = (try? Array(frozen[context].results(of: bound)))?.map { NaiveValue($0, place) }
                    require(one?.count == expected?.count, "results one after another: \(String(describing: one))")
                }
            }
        }
        #expect(withResults * 100 > total * 15, "only \(withResults) of \(total) cases had results")
        for kind in ResultKind.allCases where total >= 10_000 {
            #expect(results[kind, default: 0] > 5, "hardly any results were \(kind.rawValue)")
        }
    }
}
