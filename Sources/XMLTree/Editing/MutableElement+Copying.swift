// Copies of editable elements, editable and frozen.

extension MutableElement {
    /// Returns a detached deep copy: the root of its own tree, with the same namespace and all prefixes in scope, also
    /// those around the tree (rule 1.5). Linear in the subtree.
    public func copy() -> sending MutableElement {
        // The new tree and this one share three references. The surrounding context and the dictionary are immutable
        // and Sendable. In the table of names the copy only reads names that no code writes again. So the caller can
        // send the copy.
        nonisolated(unsafe) let copy = MutableElement(rootOf: copiedTree())
        return copy
    }

    /// Returns a detached copy without child elements: name, namespace, attributes, prefixes in scope, and, if
    /// requested, the element's own text in one piece.
    public func shallowCopy(withText: Bool = false) -> sending MutableElement {
        let arena = MutableTree()
        read { reader in
            arena.root = arena.copyNode(reader.index, of: reader.view)
            arena.bindings = reader.surroundings
            var text = withText ? reader.text ?? "" : ""
            text.withUTF8 { arena.setText($0, at: .before(arena.root)) }
        }
        arena.links.base[arena.root.offset].inheritsNamespace = tree.links.base[index.offset].inheritsNamespace
        // The new tree and this one share only the surrounding context, which is Sendable.
        nonisolated(unsafe) let copy = MutableElement(rootOf: arena)
        return copy
    }

    /// Returns an immutable copy that you can send to any isolation domain: the root of its own tree, with all prefixes
    /// in scope. An element that has not received its namespace yet has none in the copy. Linear in the subtree.
    ///
    /// The copy shares the names of this tree. In a tree that was built, these are in one block with the first storage
    /// of other records, up to 768 bytes, which stays allocated with the copy.
    public func freeze() -> Element {
        read {
            TreeCopier.copy(
                $0, names: tree.names.table, dictionary: tree.dictionary,
                size: tree.knownSize(of: index))
        }
    }

    /// Returns an editable copy, the same as `copy()`.
    public func thaw() -> sending MutableElement { copy() }

    func copiedTree() -> MutableTree {
        read {
            MutableTree.copy(
                of: $0, names: tree.names.table, dictionary: tree.dictionary, links: UnsafePointer(tree.links.base),
                size: tree.knownSize(of: index))
        }
    }
}
