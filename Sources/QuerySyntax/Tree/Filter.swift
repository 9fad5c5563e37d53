// Filters of a segment (3.7): an attribute, and the condition on its value.

/// A test of one attribute: `<name=value>` or `<name~regex>`.
public struct Filter: Sendable {
    /// The condition on the attribute's value.
    public enum Condition: Sendable {
        /// `=`: the value is the parts, one after the other. Never empty; texts do not follow each other directly.
        case equals([ValuePart])
        /// `~`: the regular expression, and its place. Not compiled yet, never empty.
        case matches(pattern: String, range: SourceRange)
    }

    public var attribute: AttributeName
    public var condition: Condition
    /// The filter with its angle brackets.
    public var range: SourceRange
    /// The attribute's name as written.
    public var attributeRange: SourceRange
}

/// An attribute's name in a filter or an extraction (4.3).
public enum AttributeName: Sendable {
    /// As written, perhaps with a prefix: `id`, `xml:lang`.
    case qualified(String)
    /// Clark notation: `{namespace}name`.
    case expanded(namespace: String, name: String)
    /// A name with a slot for one part or both; without a namespace, for the name.
    case slotted(namespace: NamePiece?, name: NamePiece)
}

/// A piece of the value of a `=` filter.
public enum ValuePart: Sendable {
    /// Text to compare with; `%%` is already a percent sign.
    case text(String)
    /// A place for an argument.
    case specifier(FormatSpecifier)
    /// A place for a value.
    case slot(Slot)
}
