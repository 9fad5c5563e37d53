// Copies of editable elements, editable and frozen.

extension MutableElement {
    /// A detached deep copy: the root of a tree of its own, with the same namespace and all prefixes in scope, those
    /// around the tree included (rule 1.5). Linear in the subtree.
    public func copy() -> sending MutableElement {
        // The new tree and this one share no references: bytes and plain records are copied in, names are interned
        // again, and the shared surrounding context is Sendable. So the copy can be sent away.
        nonisolated(unsafe) let copy = MutableElement(rootOf: copiedTree())
        return copy
    }

    /// A detached copy without child elements: name, namespace, attributes, prefixes in scope, and, if requested, the
    /// element's own text in one piece.
    public func shallowCopy(withText: Bool = false) -> sending MutableElement {
        let arena = MutableTree()
        read { reader in
            arena.root = arena.copyNode(reader.index, of: reader.view)
            arena.bindings = reader.surroundings
            var text = withText ? reader.text ?? "" : ""
            text.withUTF8 { arena.setText($0, at: .before(arena.root)) }
        }
        arena.links.base[arena.root.offset].inheritsNamespace = tree.links.base[index.offset].inheritsNamespace
        // As in `copy()`: the new tree shares nothing with this one.
        nonisolated(unsafe) let copy = MutableElement(rootOf: arena)
        return copy
    }

    /// An immutable copy that can be sent to any isolation domain: the root of a tree of its own, with all prefixes in
    /// scope. An element that still waits for a namespace has none in it. Linear in the subtree.
    public func freeze() -> Element { read { TreeCopier.copy($0, names: tree.names.table) } }

    /// An editable copy, the same as `copy()`.
    public func thaw() -> sending MutableElement { copy() }

    func copiedTree() -> MutableTree {
        let arena = MutableTree()
        read { arena.adopt($0, links: UnsafePointer(tree.links.base)) }
        return arena
    }
}
