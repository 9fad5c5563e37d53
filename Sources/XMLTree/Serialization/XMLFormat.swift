// How XML is laid out.

/// The layout of serialized XML.
public enum XMLFormat: Sendable, Hashable {
    /// Exactly the tree, so that parsing gives it back.
    case compact
    /// Every element on a line of its own, indented by two spaces; the inside of elements that have text, or say
    /// `xml:space='preserve'`, is left as it is.
    case pretty
}
