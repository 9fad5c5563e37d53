// The layout of serialized XML.

/// The layout of serialized XML.
public enum XMLFormat: Sendable, Hashable {
    /// Exactly the tree, so that parsing returns the same tree.
    case compact
    /// Each element on its own line, indented by two spaces. The content of elements with text or
    /// `xml:space='preserve'` is unchanged.
    case pretty
}
