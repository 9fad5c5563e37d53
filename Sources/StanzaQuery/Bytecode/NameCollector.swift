// Finds the names of keys: programs hold names as keys only, and listings need the names.

import QuerySyntax
import XMLTree

/// The names in a syntax tree, by their keys, unescaped: the code that shows them escapes invisible characters, once.
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
        var namespace: String?
        if case .named(let uri) = test.namespace {
            namespace = uri
            names[NameKey(.namespace, uri)] = "{\(uri)}"
        }
        switch test.name {
        case .any, .slot, .notSlot: break
        case .named(let name), .not(let name):
            names[NameKey(.local, name)] = name
            if let namespace { collect(name, in: namespace) }
        }
    }

    private mutating func collect(_ attribute: AttributeName) {
        switch attribute {
        case .qualified(let name): names[NameKey(.qualified, name)] = name
        case .expanded(let namespace, let name): collect(name, in: namespace)
        case .slotted: break
        }
    }

    private mutating func collect(_ name: String, in namespace: String) {
        names[NameKey(.namespace, namespace) + NameKey(.local, name)] = "{\(namespace)}\(name)"
    }
}
