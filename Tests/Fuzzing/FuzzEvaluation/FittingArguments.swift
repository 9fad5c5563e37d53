// Arguments for queries that a fuzzer made up. FuzzQuerySet and StanzaQueryTests have this file, too.

import QuerySyntax

@testable import StanzaQuery

/// Arguments that fit a query's specifiers, made of values in a tree so that they are equal to some, and their texts.
struct FittingArguments {
    private(set) var values: [any QueryArgument] = []
    private(set) var printed: [String] = []

    /// Nothing when no argument fits.
    init?(for tree: QueryTree, from model: NaiveTree) {
        let texts = model.nodes.flatMap { $0.attributes.map(\.value) }
        for case .part(.specifier(let specifier)) in tree.nodes.map(\.content) {
            let text = texts.isEmpty ? "x" : texts[values.count % texts.count]
            let candidates: [QueryArgumentValue] =
                [.text(text)]
                + [Int64(text).map { .integer($0) }, Double(text).map { .floating($0) }].compactMap(\.self)
                + [.integer(42), .text("x")]
            guard let value = candidates.first(where: { specifier.format($0) != nil }) else { return nil }
            values.append(value)
            printed.append(specifier.format(value) ?? "")
        }
    }
}
