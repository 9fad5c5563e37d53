// Adding, removing and replacing child elements.
//
// Adding copies (rule 1.5), so you can add an element to its own descendant, or twice. Each method returns the handle
// of the copy.

extension MutableElement {
    /// Copies an element in as the last child, after all text, and returns the copy.
    ///
    /// Its elements that were built without a namespace take their new parent's (rule 1.5). All prefixes that were in
    /// scope stay in scope. Linear in the added subtree.
    @discardableResult
    public func add(_ child: MutableElement) -> MutableElement { insert(child, before: .none) }

    /// Copies a frozen element in as the last child. Elements without a namespace have none in the copy, too.
    @discardableResult
    public func add(_ child: Element) -> MutableElement { insert(child, before: .none) }

    /// Copies an element in before the child element at `position`; after the last child if `position` is the number of
    /// children. Linear in the position and the added subtree.
    ///
    /// - Precondition: 0 ≤ `position` ≤ the number of child elements.
    @discardableResult
    public func insert(_ child: MutableElement, at position: Int) -> MutableElement {
        insert(child, before: tree.child(at: position, of: index))
    }

    /// Copies a frozen element in before the child element at `position`.
    @discardableResult
    public func insert(_ child: Element, at position: Int) -> MutableElement {
        insert(child, before: tree.child(at: position, of: index))
    }

    /// Removes the element from its parent. It becomes the root of its own tree, with all prefixes that were in scope.
    /// The text after it stays in place. On a root, this does nothing.
    @discardableResult
    public func remove() -> MutableElement {
        if view[index].parent != .none { tree.split(at: index) }
        return self
    }

    /// Replaces this element with a copy of another one, and returns the copy. This element becomes the root of its own
    /// tree. On a root, this only returns the copy, also the root of its own tree.
    @discardableResult
    public func replace(with other: MutableElement) -> MutableElement {
        guard let parent else { return other.copy() }
        return replace(with: { parent.insert(other, before: $0) })
    }

    /// Replaces this element with a copy of a frozen element.
    @discardableResult
    public func replace(with other: Element) -> MutableElement {
        guard let parent else { return other.thaw() }
        return replace(with: { parent.insert(other, before: $0) })
    }

    /// Removes this element after `insert` has put another one before it.
    private func replace(with insert: (NodeIndex) -> MutableElement) -> MutableElement {
        let copy = insert(index)
        remove()
        return copy
    }

    /// Removes all child elements; the text stays.
    public func removeAllChildren() {
        while true {
            let child = view[index].firstChild
            if child == .none { return }
            tree.remove(child)
        }
    }

    /// Removes all child elements and all text.
    public func removeAllContent() {
        removeText()
        removeAllChildren()
        tree.trim()
    }

    /// Copies an element in as the last child, without a handle for the copy.
    func append(_ child: MutableElement) {
        _ = tree.insert(child, under: index, before: .none)
        tree.trim()
    }

    /// The same for a frozen element.
    func append(_ child: Element) {
        child.read { _ = tree.insert($0, links: nil, under: index, before: .none) }
        tree.trim()
    }

    private func insert(_ child: MutableElement, before sibling: NodeIndex) -> MutableElement {
        let tree = tree
        return tree.finish(tree.insert(child, under: index, before: sibling))
    }

    @discardableResult
    package func insert(_ child: Element, before sibling: NodeIndex) -> MutableElement {
        let tree = tree
        return tree.finish(child.read { tree.insert($0, links: nil, under: index, before: sibling) })
    }
}
