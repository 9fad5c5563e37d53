// The child elements of a frozen element: a view of its tree that allocates no memory.
//
// The type is not nested in `Element`, because a collection uses that name for its own elements.

/// The child elements of an element: a view of the tree that allocates no memory. Counting is linear.
public struct ElementChildren: Collection, Sendable {
    /// A child's place in the tree.
    public struct Index: Comparable, Sendable {
        fileprivate let node: NodeIndex

        // A frozen tree numbers its elements in document order, and `none` is the greatest number.
        public static func < (one: Index, other: Index) -> Bool { one.node.rawValue < other.node.rawValue }
    }

    let parent: XMLTree.Element

    public var startIndex: Index { Index(node: parent.view[parent.index].firstChild) }

    public var endIndex: Index { Index(node: .none) }

    public func index(after index: Index) -> Index { Index(node: parent.view[child(at: index)].next) }

    public subscript(position: Index) -> XMLTree.Element { parent.element(at: child(at: position)) }

    /// The node at an index. An index beyond the end or of another tree is never read.
    private func child(at index: Index) -> NodeIndex {
        let tree = parent.tree
        precondition(
            index.node != .none && index.node.rawValue < tree.header.nodeCount
                && tree.view[index.node].parent == parent.index,
            "the index is the end, or belongs to the children of another element")
        return index.node
    }
}
