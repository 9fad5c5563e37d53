// The tree as text, for users and tests: one line for each part, in the order of the query. EscapedText.swift escapes
// the invisible scalars in names and values.

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
        if isRooted { lines.append(OutlineLine(text: "rooted", range: 0..<1)) }
        for segment in segments {
            lines.append(
                OutlineLine(text: segment.step.description, range: segment.range.isEmpty ? nil : segment.range))
            for filter in segment.filters {
                lines.append(OutlineLine(depth: 1, text: filter.description, range: filter.range))
            }
        }
        if let extraction { lines.append(OutlineLine(text: "extract \(extraction)", range: extractionRange)) }
        if let conversion { lines.append(OutlineLine(text: "convert \(conversion.rawValue)", range: conversionRange)) }
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

    init(depth: Int = 0, text: String, range: SourceRange?) {
        self.depth = depth
        self.text = text
        self.range = range
    }
}

extension Segment.Step: CustomStringConvertible {
    public var description: String {
        switch self {
        case .ascend: "ascend"
        case .elements(let test): "elements \(test)"
        case .selfNode: "self"
        }
    }
}

extension ElementTest: CustomStringConvertible {
    /// As a query has it, with the name always written out, on one line.
    public var description: String {
        let namespace =
            switch namespace {
            case .inherited: ""
            case .any: "{*}"
            case .named(let uri): "{\(escapedText(uri))}"
            case .slot(let slot): "{\(slot)}"
            }
        return switch name {
        case .any: namespace + "*"
        case .named(let name): namespace + escapedText(name)
        case .not(let name): namespace + "!" + escapedText(name)
        case .slot(let slot): namespace + "\(slot)"
        case .notSlot(let slot): namespace + "!\(slot)"
        }
    }
}

extension AttributeName: CustomStringConvertible {
    /// As a query has it, on one line.
    public var description: String {
        switch self {
        case .qualified(let name): escapedText(name)
        case .expanded(let namespace, let name): "{\(escapedText(namespace))}\(escapedText(name))"
        case .slotted(let namespace, let name): (namespace.map { "{\($0)}" } ?? "") + "\(name)"
        }
    }
}

extension Filter: CustomStringConvertible {
    public var description: String {
        switch condition {
        case .equals(let parts): "\(attribute) = \(parts.map(\.description).joined(separator: " "))"
        case .matches(let pattern, _): "\(attribute) ~ \(quotedText(pattern))"
        }
    }
}

extension ValuePart: CustomStringConvertible {
    public var description: String {
        switch self {
        case .text(let text): quotedText(text)
        case .specifier(let specifier): specifier.description
        case .slot(let slot): slot.description
        }
    }
}

extension Extraction: CustomStringConvertible {
    public var description: String {
        switch self {
        case .attribute(let name): "attribute \(name)"
        case .attributes: "attributes"
        case .text: "text"
        case .name: "name"
        case .form(let form): form.description
        }
    }
}

extension Slot: CustomStringConvertible {
    /// The slot by its number: `\(0)`.
    public var description: String { "\\(\(index))" }
}

extension NamePiece: CustomStringConvertible {
    public var description: String {
        switch self {
        case .text(let text): escapedText(text)
        case .slot(let slot): slot.description
        }
    }
}

extension FormQuery: CustomStringConvertible {
    public var description: String {
        var words = ["form"]
        if let formType { words.append("FORM_TYPE \(quotedText(formType))") }
        if let type { words.append("type \(escapedText(type))") }
        if let index { words.append("item \(index)") }
        switch access {
        case .none: break
        case .value(let field): words.append("value of \(quotedText(field))")
        case .description(let field): words.append("description of \(quotedText(field))")
        case .valueOfSlot(let slot): words.append("value of \(slot)")
        case .descriptionOfSlot(let slot): words.append("description of \(slot)")
        }
        return words.joined(separator: " ")
    }
}
