// The tree as text, for people and for tests: one line per thing, in the order of the query.

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
        var lines: [String] = []
        if isRooted { lines.append("rooted") }
        for segment in segments {
            lines.append(segment.step.description)
            for filter in segment.filters { lines.append("  \(filter)") }
        }
        if let extraction { lines.append("extract \(extraction)") }
        if let conversion { lines.append("convert \(conversion.rawValue)") }
        return lines.joined(separator: "\n")
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
            case .named(let uri): "{\(visibleScalars(uri.unicodeScalars))}"
            case .slot(let slot): "{\(slot)}"
            }
        return switch name {
        case .any: namespace + "*"
        case .named(let name): namespace + name
        case .not(let name): namespace + "!" + name
        case .slot(let slot): namespace + "\(slot)"
        case .notSlot(let slot): namespace + "!\(slot)"
        }
    }
}

extension AttributeName: CustomStringConvertible {
    /// As a query has it, on one line.
    public var description: String {
        switch self {
        case .qualified(let name): name
        case .expanded(let namespace, let name): "{\(visibleScalars(namespace.unicodeScalars))}\(name)"
        case .slotted(let namespace, let name): (namespace.map { "{\($0)}" } ?? "") + "\(name)"
        }
    }
}

extension Filter: CustomStringConvertible {
    public var description: String {
        switch condition {
        case .equals(let parts): "\(attribute) = \(parts.map(\.description).joined(separator: " "))"
        case .matches(let pattern, _): "\(attribute) ~ \(literal(pattern))"
        }
    }
}

extension ValuePart: CustomStringConvertible {
    public var description: String {
        switch self {
        case .text(let text): literal(text)
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
        case .text(let text): visibleScalars(text.unicodeScalars)
        case .slot(let slot): slot.description
        }
    }
}

extension FormQuery: CustomStringConvertible {
    public var description: String {
        var words = ["form"]
        if let formType { words.append("FORM_TYPE \(literal(formType))") }
        if let type { words.append("type \(type)") }
        if let index { words.append("item \(index)") }
        switch access {
        case .none: break
        case .value(let field): words.append("value of \(literal(field))")
        case .description(let field): words.append("description of \(literal(field))")
        case .valueOfSlot(let slot): words.append("value of \(slot)")
        case .descriptionOfSlot(let slot): words.append("description of \(slot)")
        }
        return words.joined(separator: " ")
    }
}

/// Text between quotes, on one line.
private func literal(_ text: String) -> String {
    text.debugDescription
}
