// Fuzzes interpolation: the query only compares interpolated values and never reads them. So a query with slots gives
// the results of the naive evaluator, which only compares. Whether a place allows a slot does not depend on its value.
//
// Input: options, context (one byte each), the query in a line with ^A (0x01) for each slot, the values in lines up to
// an empty one, then the XML.

import QuerySyntax

@testable import StanzaQuery

func fuzzInterpolation(_ input: FuzzInput) {
    var input = input
    var options = QueryOptions(rawValue: input.byte() & 3)
    let place = Int(input.byte())
    let pieces = input.line().split(separator: 1, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    var lines: [String] = []
    while case let line = input.line(), !line.isEmpty { lines.append(String(decoding: line, as: UTF8.self)) }
    let values = (0..<(pieces.count - 1)).map { lines.isEmpty ? "" : lines[$0 % lines.count] }
    guard !values.isEmpty, let root = try? Element(parsing: input.rest(), in: .clientStream) else { return }

    var interpolation = QueryLiteral.StringInterpolation(literalCapacity: 0, interpolationCount: values.count)
    interpolation.append(text: pieces[0])
    for (value, piece) in zip(values, pieces.dropFirst()) {
        interpolation.appendInterpolation(value)
        interpolation.append(text: piece)
    }
    let literal = QueryLiteral(stringInterpolation: interpolation)
    let model = NaiveTree(root)
    if !model.isASCII || !(values + pieces).allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) {
        // Swift and PCRE2 know different versions of Unicode, so letters whose case is newer are none to one of them.
        options.remove(.caseInsensitiveFilters)
    }
    guard let text = literal.parts?.text else { return require(false, "an interpolation has parts") }
    let parsed = ParsedQuery(parsing: text)
    guard let query = try? Query(literal, options: options) else {
        require(!parsed.diagnostics.isEmpty || parsed.tree.hasPatterns, "a query without mistakes was refused")
        return
    }
    require(parsed.diagnostics.isEmpty, "a query with mistakes was taken")

    let context = place % model.nodes.count
    let naive = NaiveEvaluator(tree: model, query: parsed.tree, options: options, arguments: [], slotValues: values)
    let expected = try? naive.results(on: context)
    let frozen = NaiveTree.elements(of: root)
    compare(query, on: frozen[context], with: expected) { found in frozen.firstIndex { $0.isSame(as: found) } }
    let editable = NaiveTree.elements(of: root.thaw())
    compare(query, on: editable[context], with: expected) { found in editable.firstIndex { $0 === found } }
    // The values of filters as arguments, which is how calls have them.
    guard let template = try? compiledTemplate(text, options: options) else {
        return require(false, "compiled once, and then no more")
    }
    let (named, arguments) = template.binding(values.map(\.queryArgument))
    compare(Query<QueryValue>(named, arguments), on: frozen[context], with: expected) { found in
        frozen.firstIndex { $0.isSame(as: found) }
    }
}

extension QueryTree {
    fileprivate var hasPatterns: Bool {
        nodes.contains {
            if case .filter(let filter) = $0.content, case .matches = filter.condition { true } else { false }
        }
    }
}
