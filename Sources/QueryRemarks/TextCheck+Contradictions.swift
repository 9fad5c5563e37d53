// Remarks on filters that no element passes: filters of one attribute that no value satisfies together, and filters of
// 'xmlns' that exclude the namespace of the path.

import QuerySyntax
import StanzaPatterns

extension TextCheck {
    /// The remarks on filters that cannot hold at their place.
    ///
    /// An attribute has one value, so a filter that excludes its required literal never holds. Values known only at run
    /// time, and patterns without a literal next to them, get no remark.
    var contradictions: [QueryRemark] {
        var found: [QueryRemark] = []
        // The namespace of all elements that the path has reached, if the query defines it.
        var namespace: String?
        for (index, node) in query.tree.nodes.enumerated() where node.isStep {
            guard case .elements(let test) = node.content else {
                namespace = nil
                continue
            }
            switch test.namespace {
            case .named(let uri): namespace = query.tree.text(of: uri)
            case .any: namespace = nil
            // The namespace of the parent (3.3).
            case .inherited: break
            }
            let filters = query.tree.nodes[(index + 1)...].prefix { !$0.isStep }.compactMap { Demand($0, query.tree) }
            let demands = Demands(of: filters, in: namespace)
            found += filters.compactMap { demands.contradiction(of: $0) }
            namespace = demands["xmlns"]
        }
        return found
    }
}

/// A filter whose value is known.
private struct Demand {
    let name: String
    let value: String
    let isPattern: Bool
    let range: SourceRange

    init?(_ node: QueryNode, _ tree: QueryTree) {
        guard case .filter(let filter) = node.content else { return nil }
        switch filter.condition {
        case .equals: value = tree.value(in: filter.value)
        case .matches: value = tree.text(in: filter.value)
        // Others contradict nothing.
        default: return nil
        }
        let uri = filter.attribute.namespace
        // Slots can have any values.
        guard let local = tree.text(of: filter.attribute.name) else { return nil }
        if let uri, tree.text(of: uri) == nil { return nil }
        name = (uri.flatMap(tree.text).map { "{\($0)}" } ?? "") + local
        isPattern = if case .matches = filter.condition { true } else { false }
        range = node.range
    }
}

/// The required values of an element's attributes.
private struct Demands {
    /// By the bytes of the name: equal strings may be different names in the language.
    private var values: [[UInt8]: String] = [:]
    private let isInNamespace: Bool

    /// The first value that filters require of each attribute; the path's requirements come first.
    init(of filters: [Demand], in namespace: String?) {
        isInNamespace = namespace != nil
        values[Array("xmlns".utf8)] = namespace
        for filter in filters where !filter.isPattern {
            values[Array(filter.name.utf8)] = self[filter.name] ?? filter.value
        }
    }

    subscript(name: String) -> String? { values[Array(name.utf8)] }

    /// The conflict of a filter with these values.
    func contradiction(of filter: Demand) -> QueryRemark? {
        let name = filter.name
        guard let value = self[name] else { return nil }
        let isMet = filter.isPattern ? !Self.fails(filter.value, on: value) : filter.value.isIdentical(to: value)
        if isMet { return nil }
        let other = "and \(filter.isPattern ? "match " : "")'\(filter.value)'"
        let isOfNamespace = isInNamespace && name.isIdentical(to: "xmlns")
        return QueryRemark(
            kind: .contradictingFilters, message: "'\(name)' cannot be '\(value)' \(other) at once",
            hint: isOfNamespace ? "an element has the namespace before its name, or else that of its parent" : nil,
            range: filter.range)
    }

    /// Whether a pattern does not match; a match that exceeds its limits proves nothing.
    private static func fails(_ pattern: String, on value: String) -> Bool {
        var value = value
        guard let regex = try? Regex.compiled(pattern) else { return false }
        return value.withUTF8 { regex.match($0) } == .noMatch
    }
}

extension String {
    /// Compares code point by code point, as the language does.
    fileprivate func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
