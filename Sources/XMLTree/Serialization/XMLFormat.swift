// The layout of serialized XML.

/// The layout of serialized XML.
public enum XMLFormat: Sendable, Hashable {
    /// Exactly the tree, so that parsing returns the same tree.
    case compact
    /// Every element on a line of its own, indented by two spaces. The inside of elements with text or
    /// `xml:space='preserve'` is unchanged.
    case pretty
}
