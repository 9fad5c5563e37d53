// Gives keys their names back: programs hold names as keys only, and listings want to be read.

import QuerySyntax
import XMLTree

/// The names in a syntax tree, by their keys.
struct NameCollector {
    private(set) var names: [NameKey: String] = [:]

    init(_ tree: QueryTree) {
        for segment in tree.segments {
            if case .elements(let test) = segment.step { collect(test) }
            for filter in segment.filters {
                collect(filter.attribute)
                // A filter for `xmlns` is a test of the namespace.
                if case .equals(let parts) = filter.condition {
                    for case .text(let text) in parts { names[NameKey(.namespace, text)] = "{\(text)}" }
                }
            }
        }
        if case .attribute(let name)? = tree.extraction { collect(name) }
    }

    private mutating func collect(_ test: ElementTest) {
        var namespaceKey: NameKey?
        if case .named(let namespace) = test.namespace {
            namespaceKey = NameKey(.namespace, namespace)
            names[NameKey(.namespace, namespace)] = "{\(namespace)}"
        }
        switch test.name {
        case .any, .slot, .notSlot: break
        case .named(let name), .not(let name):
            let local = NameKey(.local, name)
            names[local] = name
            if let namespaceKey { names[namespaceKey + local] = test.description }
        }
    }

    private mutating func collect(_ attribute: AttributeName) {
        switch attribute {
        case .qualified(let name): names[NameKey(.qualified, name)] = name
        case .expanded(let namespace, let name):
            names[NameKey(.namespace, namespace) + NameKey(.local, name)] = attribute.description
        case .slotted: break
        }
    }
}
