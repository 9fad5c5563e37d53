// The links of an editable tree: links elements into it, and unlinks them.

extension MutableTree {
    /// Links a node without parent into a parent, before a sibling or after the last child.
    func link(_ node: NodeIndex, under parent: NodeIndex, before sibling: NodeIndex = .none) {
        let previous =
            sibling == .none ? links.base[parent.offset].lastChild : links.base[sibling.offset].previous
        nodes.base[node.offset].parent = parent
        nodes.base[node.offset].next = sibling
        links.base[node.offset].previous = previous
        if previous == .none {
            nodes.base[parent.offset].firstChild = node
        } else {
            nodes.base[previous.offset].next = node
        }
        if sibling == .none {
            links.base[parent.offset].lastChild = node
        } else {
            links.base[sibling.offset].previous = node
        }
    }

    /// Unlinks a node from its parent. The text after it stays, and joins the text before it.
    func unlink(_ node: NodeIndex) {
        let parent = nodes.base[node.offset].parent
        let previous = links.base[node.offset].previous
        let next = nodes.base[node.offset].next
        joinTail(of: node, previous: previous, parent: parent)
        if previous == .none {
            nodes.base[parent.offset].firstChild = next
        } else {
            nodes.base[previous.offset].next = next
        }
        if next == .none {
            links.base[parent.offset].lastChild = previous
        } else {
            links.base[next.offset].previous = previous
        }
        nodes.base[node.offset].parent = .none
        nodes.base[node.offset].next = .none
        links.base[node.offset].previous = .none
    }

    private func joinTail(of node: NodeIndex, previous: NodeIndex, parent: NodeIndex) {
        let length = view.string(nodes.base[node.offset].tail).count
        if length == 0 { return }
        let place = previous == .none ? TextPlace.before(parent) : .behind(previous)
        append(.behind(node), to: place)
        let tail = nodes.base[node.offset].tail
        discard(tail)
        nodes.base[node.offset].tail = .empty
    }

    /// Returns the child element at a position; `.none` after the last. Linear in the position.
    func child(at position: Int, of parent: NodeIndex) -> NodeIndex {
        var child = nodes.base[parent.offset].firstChild
        var remaining = position
        while remaining > 0, child != .none {
            child = nodes.base[child.offset].next
            remaining -= 1
        }
        precondition(position >= 0 && remaining == 0, "an element is inserted between 0 and the number of children")
        return child
    }

    /// Whether a handle to an element of the subtree exists.
    func isHeld(_ top: NodeIndex) -> Bool {
        var walk = TreeWalk(view, from: top)
        while let step = walk.next() {
            if case .enter(let node) = step, links.base[node.offset].handle != nil { return true }
        }
        return false
    }

    /// Frees a subtree that is not linked and has no handles.
    func free(_ top: NodeIndex) {
        var walk = TreeWalk(view, from: top)
        var left = NodeIndex.none
        while let step = walk.next() {
            if left != .none { freeNode(left) }
            left = .none
            if case .leave(let node) = step { left = node }
        }
        freeNode(top)
    }
}
