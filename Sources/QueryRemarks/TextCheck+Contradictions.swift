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
        for segment in query.tree.segments {
            guard case .elements(let test) = segment.step else {
                namespace = nil
                continue
            }
            switch test.namespace {
            case .named(let uri): namespace = uri
            case .any, .slot: namespace = nil
            // The namespace of the parent (3.3).
            case .inherited: break
            }
            let demands = Demands(of: segment.filters, in: namespace)
            found += segment.filters.compactMap { demands.contradiction(of: $0) }
            namespace = demands["xmlns"]
        }
        return found
    }
}

/// The required values of an element's attributes.
private struct Demands {
    /// By the bytes of the name: equal strings may be different names in the language.
    private var values: [[UInt8]: String] = [:]
    private let isInNamespace: Bool

    /// The first value that filters require of each attribute; the path's requirements come first.
    init(of filters: [Filter], in namespace: String?) {
        isInNamespace = namespace != nil
        values[Array("xmlns".utf8)] = namespace
        for filter in filters {
            guard let value = filter.literal else { continue }
            let name = Array(filter.attribute.description.utf8)
            if values[name] == nil { values[name] = value }
        }
    }

    subscript(name: String) -> String? { values[Array(name.utf8)] }

    /// The conflict of a filter with these values.
    func contradiction(of filter: Filter) -> QueryRemark? {
        let name = filter.attribute.description
        guard let value = self[name] else { return nil }
        let other: String
        switch filter.condition {
        case .equals:
            guard let literal = filter.literal, !literal.isIdentical(to: value) else { return nil }
            other = "and '\(literal)'"
        case .matches(let pattern, _):
            guard Self.fails(pattern, on: value) else { return nil }
            other = "and match '\(pattern)'"
        }
        let isOfNamespace = isInNamespace && name.isIdentical(to: "xmlns")
        return QueryRemark(
            kind: .contradictingFilters, message: "'\(name)' cannot be '\(value)' \(other) at once",
            hint: isOfNamespace ? "an element has the namespace before its name, or else that of its parent" : nil,
            range: filter.range)
    }

    /// Whether a pattern does not match; a match that exceeds its limits proves nothing.
    private static func fails(_ pattern: String, on value: String) -> Bool {
        var (pattern, value) = (pattern, value)
        guard let regex = pattern.withUTF8({ try? Regex($0) }) else { return false }
        return value.withUTF8 { regex.match($0) } == .noMatch
    }
}

extension Filter {
    /// The required value of the attribute, if no argument is a part of it.
    fileprivate var literal: String? {
        guard case .equals(let parts) = condition, parts.count == 1, case .text(let value) = parts[0] else {
            return nil
        }
        return value
    }
}

extension String {
    /// Compares code point by code point, as the language does.
    fileprivate func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
