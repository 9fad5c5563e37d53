// The query language straight from its page, rule by rule, with node sets written out: the model for the engine. It
// knows the syntax tree and NaiveTree.swift, but neither programs nor the machine. NaiveConversions.swift has the
// conversions, NaiveForms.swift the data forms. From the engine it borrows PCRE2 for real patterns, without their
// reduction to string comparisons.

import Foundation
import QuerySyntax
import StanzaPatterns

@testable import StanzaQuery

/// A result of the naive evaluator. Elements and forms are places in the tree.
enum NaiveValue: Equatable {
    case element(Int)
    case string([UInt8])
    case attributes(StringMap)
    case bool(Bool)
    case int(Int)
    case uint(UInt)
    /// Compared by its bits.
    case double(UInt64)
    /// Milliseconds since 1970.
    case date(Int)
    case data([UInt8])
    case uuid(String)
    case form(Int)
    case field(FormField)
}

/// A query whose evaluation has no result, because a match ran past its limits.
struct NaiveRegexLimit: Error {}

/// Evaluates a syntax tree on one tree.
struct NaiveEvaluator {
    let tree: NaiveTree
    let query: QueryTree
    let options: QueryOptions
    /// One text for each specifier, in order (6.1).
    let arguments: [String]
    /// One text for each slot, in order.
    var slotValues: [String] = []

    /// All results on one context, in order (2.1).
    func results(on context: Int) throws -> [NaiveValue] {
        var used = 0
        // 2.2: the empty query returns the context itself.
        var nodes = [context]
        for (position, step) in query.nodes.enumerated() {
            switch step.content {
            case .ascend:
                // 3.5: the parent of each node; at the root it stays. As the first segment it ascends from the
                // context, with or without the leading slash.
                nodes = nodes.map { tree[$0].parent ?? $0 }
            case .selfNode:
                // 3.6: a nameless extraction reads the node reached so far.
                break
            case .elements(let test):
                if query.isRooted, position == 0 {
                    // 2.4: the first segment of a rooted path is tested against the context.
                    nodes = nodes.filter { satisfies(test, $0) }
                } else {
                    // 2.3: for every node, in order, its child elements that satisfy the segment, in document order.
                    nodes = nodes.flatMap { tree[$0].children }.filter { satisfies(test, $0) }
                }
            case .filter(let filter):
                // 3.7: the filters follow the name, and all must hold.
                let text = value(of: filter, at: position, used: &used)
                nodes = try nodes.filter { try holds(filter, text, $0) }
            case .part, .extraction, .conversion: break
            }
            // 2.5: a set, in document order. Places in the tree are in document order.
            nodes = Array(Set(nodes)).sorted()
        }
        return nodes.compactMap(extract)
    }

    // MARK: Names (3.1 to 3.4)

    private func satisfies(_ test: ElementTest, _ node: Int) -> Bool {
        let element = tree[node]
        let hasName =
            switch test.name {
            case .any: true  // 3.2
            case .named(let name): element.name.isExactly(text(of: name))
            case .not(let name): !element.name.isExactly(text(of: name))  // 3.4
            }
        let hasNamespace: Bool
        switch test.namespace {
        case .any: hasNamespace = true  // 3.2
        // An empty namespace, which only a slot can have, is none.
        case .named(let namespace): hasNamespace = (element.namespace ?? "").isExactly(text(of: namespace))
        case .inherited:
            // 3.3: the namespace of the candidate's parent; without a parent, any.
            hasNamespace = element.parent.map { tree[$0].namespace.isExactly(element.namespace) } ?? true
        }
        return hasName && hasNamespace
    }

    // MARK: Filters (3.7)

    /// The text that a filter compares with: its arguments take the places of the specifiers, in order (6.1).
    private func value(of filter: Filter, at position: Int, used: inout Int) -> String {
        if case .equals = filter.condition { return query.value(in: filter.value) }
        var text = ""
        for node in query.nodes[(position + 1)...] {
            guard case .part(let part) = node.content else { break }
            switch part {
            case .text: text += query.value(in: TextRange(node.range))
            case .specifier:
                text += arguments[used]
                used += 1
            case .slot(let slot): text += slotValues[slot]
            }
        }
        return text
    }

    private func holds(_ filter: Filter, _ text: String, _ node: Int) throws -> Bool {
        guard let value = attribute(filter.attribute, of: node) else { return false }
        let ignoresCase = options.contains(.caseInsensitiveFilters)
        switch filter.condition {
        case .equals, .equalsParts:
            return ignoresCase ? value.simplyFolded.isExactly(text.simplyFolded) : value.isExactly(text)
        case .matches:
            let pattern = query.text(in: filter.value)
            let regex = try Array(pattern.utf8).withUnsafeBufferPointer { try Regex($0, isCaseless: ignoresCase) }
            return switch Array(value.utf8).withUnsafeBufferPointer({ regex.match($0) }) {
            case .match: true
            case .noMatch: false
            case .limit: throw NaiveRegexLimit()
            }
        }
    }

    /// The value of an attribute (1.3, 4.3).
    private func attribute(_ name: AttributeName, of node: Int) -> String? {
        let element = tree[node]
        if let namespace = name.namespace { return expanded(text(of: namespace), text(of: name.name), of: element) }
        let name = text(of: name.name)
        // 1.3: the pseudo-attribute.
        if name.isExactly("xmlns") { return element.namespace }
        // The qualified name as written.
        if let written = element.attributes.first(where: { $0.name.isExactly(name) }) { return written.value }
        // A prefix that is in scope at the node.
        guard let colon = name.unicodeScalars.firstIndex(of: ":") else { return nil }
        let prefix = String(name[..<colon])
        let local = String(name[name.unicodeScalars.index(after: colon)...])
        let namespace = prefix == "xml" ? XMLNamespace.xml : element.prefixes[prefix]
        return namespace.flatMap { expanded($0, local, of: element) }
    }

    private func text(of name: NamePiece) -> String {
        if case .slot(let slot) = name { slotValues[slot] } else { query.text(of: name) ?? "" }
    }

    private func expanded(_ namespace: String, _ name: String, of element: NaiveTree.Node) -> String? {
        element.attributes.first { attribute in
            let local = attribute.name.unicodeScalars.split(separator: ":").last.map(String.init) ?? ""
            return (attribute.namespace ?? "").isExactly(namespace) && local.isExactly(name)
        }?.value
    }

    // MARK: Extractions (4.1, 4.2)

    private func extract(_ node: Int) -> NaiveValue? {
        let element = tree[node]
        switch query.extraction {
        case nil: return .element(node)
        case .attribute(let name): return attribute(name, of: node).flatMap(convert)
        case .attributes:
            // 1.3: `xmlns` is part of `@@`.
            let namespace = element.namespace.map { [StringMap.Entry("xmlns", $0)] } ?? []
            return .attributes(StringMap(namespace + element.attributes.map { ($0.name, $0.value) }))
        case .text:
            // 1.4; 4.2: no text or an empty one contributes no result.
            let text = element.texts.joined()
            return text.isEmpty ? nil : convert(text)
        case .name: return convert(element.name)
        case .form(let form):
            return NaiveForm(tree, node).flatMap { $0.result(of: form, in: query, text) }.flatMap { result in
                switch result {
                case .form: .form(node)
                case .value(let value): convert(value)
                case .field(let field): .field(field)
                }
            }
        }
    }

    /// 4.4 and 4.5.
    private func convert(_ text: String) -> NaiveValue? {
        let isStrict = options.contains(.strictConversions)
        return switch query.conversion {
        case nil: .string(Array(text.utf8))
        case .bool: NaiveConversions.bool(text, isStrict: isStrict).map { .bool($0) }
        case .int: NaiveConversions.int(text, isStrict: isStrict).map { .int($0) }
        case .uint: NaiveConversions.uint(text, isStrict: isStrict).map { .uint($0) }
        case .double: NaiveConversions.double(text, isStrict: isStrict).map { .double($0.bitPattern) }
        case .datetime: NaiveConversions.datetime(text).map { .date($0) }
        case .base64: NaiveConversions.base64(text, isStrict: isStrict).map { .data($0) }
        case .uuid: NaiveConversions.uuid(text).map { .uuid($0) }
        case .uuidcast: .uuid(NaiveConversions.uuidcast(text))
        }
    }
}

extension String {
    /// Simple case folding, character by character (3.7).
    fileprivate var simplyFolded: String {
        var folded = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            // Simple folding has no pair for the dotless i.
            if scalar == "\u{131}" {
                folded.append(scalar)
                continue
            }
            let upper = scalar.properties.uppercaseMapping.unicodeScalars
            let base = upper.count == 1 ? upper[upper.startIndex] : scalar
            let lower = base.properties.lowercaseMapping.unicodeScalars
            folded.append(lower.count == 1 ? lower[lower.startIndex] : base)
        }
        return String(folded)
    }
}
