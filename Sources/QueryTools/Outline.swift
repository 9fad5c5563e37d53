// A syntax tree as text, for users and tests: one line for each part, in the order of the query. EscapedText.swift
// escapes the invisible scalars in names and values.

public import QuerySyntax

extension QueryTree: CustomStringConvertible {
    /// The tree as an outline:
    ///
    /// ```text
    /// rooted
    /// elements {jabber:client}iq
    ///   type = "result"
    /// self
    /// extract attribute id
    /// convert int
    /// ```
    public var description: String {
        outline.map { String(repeating: "  ", count: $0.depth) + $0.text }.joined(separator: "\n")
    }

    /// The outline line by line, each with its place in the query. None for the empty query.
    public var outline: [OutlineLine] {
        var lines: [OutlineLine] = []
        // A rooted query begins with its '/'.
        if isRooted { lines.append(OutlineLine(depth: 0, text: "rooted", range: 0..<1)) }
        for (index, node) in nodes.enumerated() {
            if case .part = node.content { continue }
            let line = describe(node, at: index)
            let range = node.range.isEmpty ? nil : node.range
            let isFilter = if case .filter = node.content { true } else { false }
            lines.append(OutlineLine(depth: isFilter ? 1 : 0, text: line, range: range))
        }
        return lines
    }
}

/// A line of a syntax tree's outline.
public struct OutlineLine: Hashable, Sendable {
    /// The nesting depth: 1 for the filters of a segment.
    public let depth: Int
    /// The text of the line, without indentation.
    public let text: String
    /// The described part of the query, in UTF-8 offsets; `nil` if the query only implies the line.
    public let range: SourceRange?
}

extension QueryTree {
    private func describe(_ node: QueryNode, at index: Int) -> String {
        switch node.content {
        case .ascend: "ascend"
        case .elements(let test): "elements \(describe(test))"
        case .selfNode: "self"
        case .filter(let filter): "\(describe(filter.attribute)) \(describe(filter, at: index))"
        case .part(.text): quotedText(value(in: TextRange(node.range)))
        case .part(.specifier(let specifier)): specifier.description
        case .part(.slot(let slot)): describe(.slot(slot))
        case .extraction(let extraction): "extract \(describe(extraction))"
        case .conversion(let conversion): "convert \(conversion.rawValue)"
        }
    }

    /// As a query has it, with the name always written out, on one line.
    private func describe(_ test: ElementTest) -> String {
        let namespace =
            switch test.namespace {
            case .inherited: ""
            case .any: "{*}"
            case .named(let uri): "{\(describe(uri))}"
            }
        return switch test.name {
        case .any: namespace + "*"
        case .named(let name): namespace + describe(name)
        case .not(let name): namespace + "!" + describe(name)
        }
    }

    /// A slot by its number: `\(0)`.
    private func describe(_ name: NamePiece) -> String {
        if case .slot(let slot) = name { "\\(\(slot))" } else { escapedText(text(of: name) ?? "") }
    }

    /// An attribute's name as a query has it, on one line.
    private func describe(_ attribute: AttributeName) -> String {
        (attribute.namespace.map { "{\(describe($0))}" } ?? "") + describe(attribute.name)
    }

    private func describe(_ filter: Filter, at index: Int) -> String {
        switch filter.condition {
        case .equals: "= \(quotedText(value(in: filter.value)))"
        case .equalsParts: "= " + parts(ofFilterAt: index).map { describe($0, at: index) }.joined(separator: " ")
        case .matches: "~ \(quotedText(text(in: filter.value)))"
        }
    }

    private func describe(_ extraction: Extraction) -> String {
        switch extraction {
        case .attribute(let name): "attribute \(describe(name))"
        case .attributes: "attributes"
        case .text: "text"
        case .name: "name"
        case .form(let form): describe(form)
        }
    }

    private func describe(_ form: FormQuery) -> String {
        var words = ["form"]
        if let formType = form.formType { words.append("FORM_TYPE \(quotedText(text(in: formType)))") }
        if let type = form.type { words.append("type \(escapedText(text(in: type)))") }
        if let index = form.index { words.append("item \(index)") }
        switch form.access {
        case .none: break
        case .value(let field): words.append("value of \(describe(field: field))")
        case .description(let field): words.append("description of \(describe(field: field))")
        }
        return words.joined(separator: " ")
    }

    private func describe(field name: NamePiece) -> String {
        if case .slot = name { describe(name) } else { quotedText(text(of: name) ?? "") }
    }
}
