// The links of an editable tree: links elements into it, unlinks them, copies subtrees of other trees into it with the
// prefixes that were in scope, and splits it: a removed subtree becomes its own tree, in its own arena, and all handles
// move with their elements.

extension MutableTree {
    /// Links a node without parent into a parent, before a sibling or after the last child.
    func link(_ node: NodeIndex, under parent: NodeIndex, before sibling: NodeIndex = .none) {
        let previous =
            sibling == .none ? links.base[parent.offset].lastChild : links.base[sibling.offset].previous
        nodes.base[node.offset].parent = parent
        join(previous, node, in: parent)
        join(node, sibling, in: parent)
    }

    /// Unlinks a node from its parent. The text after it stays, and joins the text before it.
    func unlink(_ node: NodeIndex) {
        let parent = nodes.base[node.offset].parent
        let previous = links.base[node.offset].previous
        let next = nodes.base[node.offset].next
        joinTail(of: node, previous: previous, parent: parent)
        join(previous, next, in: parent)
        nodes.base[node.offset].parent = .none
        nodes.base[node.offset].next = .none
        links.base[node.offset].previous = .none
    }

    /// Makes two children neighbors. `none` is the place before the first child, or after the last one.
    @inline(__always)
    private func join(_ previous: NodeIndex, _ next: NodeIndex, in parent: NodeIndex) {
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
    }

    private func joinTail(of node: NodeIndex, previous: NodeIndex, parent: NodeIndex) {
        let tail = Array(view.string(nodes.base[node.offset].tail))
        if tail.isEmpty { return }
        tail.withUnsafeBufferPointer { append($0, to: previous == .none ? .before(parent) : .behind(previous)) }
        setText(.empty, at: .behind(node))
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

    // MARK: Copying

    /// Copies a subtree of another tree to a node without parent.
    ///
    /// - Parameters:
    ///   - sourceLinks: the links of the source, if it is editable. They show which elements wait for a namespace.
    ///   - movesHandles: whether to take over the handles, because the source is about to be freed.
    func copyIn(
        _ source: ElementReader, links sourceLinks: UnsafePointer<NodeLinks>? = nil, movesHandles: Bool = false
    ) -> NodeIndex {
        let view = source.view
        var walk = TreeWalk(view, from: source.index)
        var current = NodeIndex.none
        var last = NodeIndex.none
        while let step = walk.next() {
            switch step {
            case .enter(let node):
                let copy = copyNode(node, of: view)
                if current != .none { link(copy, under: current) }
                current = copy
                if let sourceLinks {
                    links.base[copy.offset].inheritsNamespace = sourceLinks[node.offset].inheritsNamespace
                    if movesHandles { sourceLinks[node.offset].handle?.takeUnretainedValue().move(to: self, copy) }
                }
            case .leave(let node):
                last = current
                current = nodes.base[current.offset].parent
                if node != source.index { setText(view.string(view[node].tail), at: .behind(last)) }
            }
        }
        return last
    }

    /// Returns a copy of an element without children, with all bindings in scope.
    static func shallowCopy(of source: ElementReader, withText: Bool) -> MutableTree {
        let copy = MutableTree()
        copy.root = copy.copyNode(source.index, of: source.view)
        copy.bindings = source.surroundings
        (withText ? source.text ?? "" : "").withBytes { copy.setText($0, at: .before(copy.root)) }
        return copy
    }

    /// Copies one node with its attributes and its text.
    func copyNode(_ node: NodeIndex, of view: TreeView) -> NodeIndex {
        makeNamesOwn()
        let copy = makeNode(names.intern(view.name(of: node), from: view.nameBytes))
        for record in view.attributeRecords(of: node) {
            let name = names.intern(view[record.name], from: view.nameBytes)
            appendAttribute(name, value: view.string(record.value), to: copy)
        }
        setText(view.string(view[node].text), at: .before(copy))
        return copy
    }

    /// Copies an element in as a child. A tree cannot be read while it grows, so its own elements are copied first.
    func insert(_ child: MutableElement, under parent: NodeIndex, before sibling: NodeIndex) -> NodeIndex {
        let source = child.tree === self ? child.copiedTree() : child.tree
        return withExtendedLifetime(source) {
            insert(
                source.reader(at: source === child.tree ? child.index : source.root),
                links: UnsafePointer(source.links.base), under: parent, before: sibling)
        }
    }

    /// Copies a subtree of another tree in as a child, as `add(_:)` defines it: elements built without a namespace take
    /// the parent's, and prefixes that were in scope stay in scope.
    func insert(
        _ source: ElementReader, links sourceLinks: UnsafePointer<NodeLinks>?, under parent: NodeIndex,
        before sibling: NodeIndex
    ) -> NodeIndex {
        let copy = copyIn(source, links: sourceLinks)
        link(copy, under: parent, before: sibling)
        resolveNamespaces(from: copy)
        bringPrefixes(of: source, to: copy)
        return copy
    }

    /// Keeps the prefixes that were in scope at the copied element. The copy declares those that have another binding
    /// here, or none, so that they move with it and apply nowhere else in this tree.
    ///
    /// Only a tree without a surrounding context adopts the source's context, so that a stream's bindings are not
    /// repeated on each of its stanzas.
    private func bringPrefixes(of source: ElementReader, to copy: NodeIndex) {
        // A new element has nothing around it.
        if source.view[source.index].parent == .none, source.bindings == nil { return }
        let declared = source.declarations(from: source.view[source.index].parent)
        for (prefix, namespace) in declared.sortedByKey() {
            declare(prefix, as: namespace, unlessInScopeAt: copy)
        }
        guard let around = source.bindings, around !== bindings, !around.context.prefixes.isEmpty else { return }
        if bindings == nil { bindings = around }
        let hidden = Set(declared.map { NameKey(.declaration, $0.key) })
        for (prefix, namespace) in around.context.prefixes where !hidden.contains(NameKey(.declaration, prefix)) {
            declare(prefix, as: namespace, unlessInScopeAt: copy)
        }
    }

    /// Declares a prefix at an element, unless the element declares it itself, or the prefix has this binding already.
    private func declare(_ prefix: String, as namespace: String, unlessInScopeAt node: NodeIndex) {
        let key = NameKey(.declaration, prefix)
        let isOwn = view.attributeRecords(of: node).contains { view[$0.name].qualified == key }
        let bound = view.namespaceKey(forPrefix: key, at: node, bindings: bindings)
        if isOwn || bound == NameKey(.namespace, namespace) { return }
        appendAttribute(
            intern(.declaration, local: prefix, namespace: namespace), value: view.string(.empty), to: node)
    }

    // MARK: Splitting

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
            if count * 2 > live.nodes { return false }
        }
        return true
    }
}
