// Removal: a subtree becomes its own tree, in its own arena, and all handles move with their elements.

extension MutableTree {
    /// Splits off a subtree. The smaller part moves to a new arena, so that taking a tree apart piece by piece costs
    /// no more than a logarithmic factor over its size.
    func split(at node: NodeIndex) {
        let surroundings = surroundings(at: node)
        unlink(node)
        let other = MutableTree()
        if isAtMostHalf(node) {
            move(node, to: other)
            other.bindings = surroundings
        } else {
            move(root, to: other)
            other.bindings = bindings
            root = node
            bindings = surroundings
        }
        other.trim()
        trim()
    }

    /// Removes a subtree: frees it, or makes it its own tree if a handle to one of its elements exists.
    func remove(_ node: NodeIndex) {
        if isHeld(node) {
            split(at: node)
        } else {
            unlink(node)
            free(node)
            trim()
        }
    }

    private func move(_ top: NodeIndex, to other: MutableTree) {
        other.root = other.copyIn(reader(at: top), links: UnsafePointer(links.base), movesHandles: true)
        free(top)
    }

    private func isAtMostHalf(_ top: NodeIndex) -> Bool {
        var walk = TreeWalk(view, from: top)
        var count = 0
        while let step = walk.next() {
            guard case .enter = step else { continue }
            count += 1
            if count * 2 > nodes.live { return false }
        }
        return true
    }
}
