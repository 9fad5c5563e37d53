// Copies of frozen elements: detached trees that keep the prefixes that were in scope.

extension Element {
    /// Returns a detached deep copy: the root of its own tree, with the same namespace and all prefixes in scope, also
    /// those of the surrounding stream (rule 1.5). The copy does not keep the rest of the tree alive. Linear in the
    /// subtree.
    public func copy() -> Element {
        let dictionary = tree.dictionary
        return read { TreeCopier.copy($0, names: dictionary.names, dictionary: dictionary) }
    }

    /// Returns a detached copy without child elements: name, namespace, attributes, prefixes in scope, and, if
    /// requested, the element's own text in one piece.
    public func shallowCopy(withText: Bool = false) -> Element {
        read { TreeCopier.shallowCopy($0, tree.dictionary, withText: withText) }
    }

    /// Returns an editable copy of this element and its descendants: the root of its own tree. Linear in the subtree.
    public func thaw() -> sending MutableElement {
        let dictionary = tree.dictionary
        return MutableElement(
            rootOf: read { MutableTree.copy(of: $0, names: dictionary.names, dictionary: dictionary) })
    }
}
