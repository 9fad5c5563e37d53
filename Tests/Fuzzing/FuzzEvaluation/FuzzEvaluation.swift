// Fuzzes evaluation: the engine and the naive evaluator of the tests give the same results, on frozen and editable
// trees.
//
// Input: options, context (one byte each), the query in a line, then the XML.

import QuerySyntax

@testable import StanzaQuery

func fuzzEvaluation(_ input: FuzzInput) {
    var input = input
    var options = QueryOptions(rawValue: input.byte() & 3)
    let place = Int(input.byte())
    let text = String(decoding: input.line(), as: UTF8.self)
    guard let root = try? Element(parsing: input.rest(), in: .clientStream) else { return }
    let model = NaiveTree(root)
    if !model.isASCII || !text.utf8.allSatisfy({ $0 < 0x80 }) {
        // Swift and PCRE2 know different versions of Unicode, so letters whose case is newer are none to one of them.
        options.remove(.caseInsensitiveFilters)
    }
    guard let query = try? Query(text, options: options) else { return }
    let parsed = ParsedQuery(parsing: text)
    guard let arguments = FittingArguments(for: parsed.tree, from: model) else { return }

    let context = place % model.nodes.count
    let naive = NaiveEvaluator(tree: model, query: parsed.tree, options: options, arguments: arguments.printed)
    let expected = try? naive.results(on: context)
    let frozen = NaiveTree.elements(of: root)
    compare(query, arguments.values, on: frozen[context], with: expected) { found in
        frozen.firstIndex { $0.isSame(as: found) }
    }
    let editable = NaiveTree.elements(of: root.thaw())
    compare(query, arguments.values, on: editable[context], with: expected) { found in
        editable.firstIndex { $0 === found }
    }
}
