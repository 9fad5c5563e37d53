// Filters that nothing passes: those of one attribute which no value satisfies together, and those of 'xmlns' where the
// path demands another namespace already.

import QuerySyntax
import StanzaPatterns

extension TextCheck {
    /// The filters that cannot hold where they stand.
    ///
    /// An attribute has one value, so what does not fit the literal that it must equal never holds. Of values that come
    /// at run time, and of patterns that have no literal beside them, nothing is said.
    var contradictions: [QueryRemark] {
        var found: [QueryRemark] = []
        // That of all elements which the path has reached, where the query says it.
        var namespace: String?
        for segment in query.tree.segments {
            guard case .elements(let test) = segment.step else {
                namespace = nil
                continue
            }
            switch test.namespace {
            case .named(let uri): namespace = uri
            case .any, .slot: namespace = nil
            // That of the parent (3.3).
            case .inherited: break
            }
            let demands = Demands(of: segment.filters, in: namespace)
            found += segment.filters.compactMap { demands.contradiction(of: $0) }
            namespace = demands["xmlns"]
        }
        return found
    }
}

/// The values that the attributes of an element must have.
private struct Demands {
    /// By the bytes of the name: strings would be equal that the language tells apart.
    private var values: [[UInt8]: String] = [:]
    private let isInNamespace: Bool

    /// The first value that filters demand of each attribute; what the path demands comes before them.
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

    /// What is wrong with a filter beside these.
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

    /// Whether a pattern does not match; a match that runs past its limits tells nothing.
    private static func fails(_ pattern: String, on value: String) -> Bool {
        var (pattern, value) = (pattern, value)
        guard let regex = pattern.withUTF8({ try? Regex($0) }) else { return false }
        return value.withUTF8 { regex.match($0) } == .noMatch
    }
}

extension Filter {
    /// The value that the attribute must have, where no argument is a part of it.
    fileprivate var literal: String? {
        guard case .equals(let parts) = condition, parts.count == 1, case .text(let value) = parts[0] else {
            return nil
        }
        return value
    }
}

extension String {
    /// Code point by code point, as the language compares.
    fileprivate func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
