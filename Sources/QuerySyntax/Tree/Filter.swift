// Filters (3.7): an attribute, and the condition on its value.

/// A test of one attribute: `<name=value>` or `<name~regex>`.
public struct Filter: Sendable {
    /// The condition on the attribute's value.
    public enum Condition: Sendable {
        /// `=` before a text. The value is never empty.
        case equals
        /// `=` before a value with specifiers or slots. Its pieces are the nodes after the filter; texts do not follow
        /// each other directly.
        case equalsParts
        /// `~`: the value is a regular expression, which is not compiled yet.
        case matches
    }

    public let attribute: AttributeName
    public let condition: Condition
    /// The value or the pattern as written.
    public let value: TextRange
    /// The attribute's name as written.
    public let name: TextRange
}

/// An attribute's name in a filter or an extraction (4.3): Clark notation, or without a namespace a name as written,
/// perhaps with a prefix: `id`, `xml:lang`.
public struct AttributeName: Sendable {
    public let namespace: NamePiece?
    public let name: NamePiece
}

/// A piece of the value of a `=` filter.
public enum ValuePart: Sendable {
    /// Text to compare with, at the node's place.
    case text
    /// A place for an argument.
    case specifier(FormatSpecifier)
    /// A place for the value of a slot, by its number.
    case slot(Int)
}
