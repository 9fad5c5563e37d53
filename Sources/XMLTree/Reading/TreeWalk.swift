// Visits a subtree by its links, without recursion: trees may be deeper than the stack.

/// The tags of a subtree in document order.
struct TreeWalk: ~Copyable {
    enum Step {
        /// A start tag; the node's `text` follows it.
        case enter(NodeIndex)
        /// An end tag; the node's `tail` follows it. At the top node, the tail is not part of the subtree.
        case leave(NodeIndex)
    }

    private let view: TreeView
    private let top: NodeIndex
    private var last: Step?

    init(_ view: TreeView, from top: NodeIndex) {
        self.view = view
        self.top = top
    }

    /// Returns the next tag. The following call reads the links of the returned node.
    mutating func next() -> Step? {
        switch last {
        case nil:
            last = .enter(top)
        case .enter(let node):
            let child = view[node].firstChild
            last = child == .none ? .leave(node) : .enter(child)
        case .leave(let node):
            if node == top { return nil }
            let sibling = view[node].next
            last = sibling == .none ? .leave(view[node].parent) : .enter(sibling)
        }
        return last
    }
}
