// Copies subtrees of other trees into a tree, node by node, with the prefixes that were in scope.

extension MutableTree {
    /// Returns a copy of an element, with all bindings in scope.
    ///
    /// - Parameters:
    ///   - table: The names of the source. The copy shares them, unless they are far more than it needs.
    ///   - dictionary: The dictionary with these names, if one is known.
    ///   - sourceLinks: The links of the source, if it is editable. They show which elements wait for a namespace.
    ///   - known: The size of the copy, if it is known.
    static func copy(
        of source: ElementReader, names table: NameTable, dictionary: TreeDictionary?,
        links sourceLinks: UnsafePointer<NodeLinks>? = nil, size known: TreeSize? = nil
    ) -> MutableTree {
        let size = known ?? source.sizeOfCopy
        assert(known == nil || size == source.sizeOfCopy, "the counters of trees are exact")
        // Room for a few edits.
        let sizes = TreeSize(
            nodes: size.nodes + minimumNodes / 2, attributes: size.attributes + minimumAttributes / 2,
            bytes: size.bytes + minimumBytes / 2)
        precondition(
            sizes.isRepresentable,
            "a tree holds fewer than 2³² elements and attributes and at most 4 GiB of text and values")
        let isSmall = sizes.heapBytes <= largestSharedMemory
        let tree = MutableTree(
            sizes, names: NameInterner(reading: table),
            in: isSmall ? .make(recordCapacity: 0, byteCapacity: 0, spareBytes: sizes.heapBytes) : nil)
        tree.fill(with: source, size, table, dictionary, sourceLinks)
        return tree
    }

    private func fill(
        with source: ElementReader, _ size: TreeSize, _ table: NameTable, _ dictionary: TreeDictionary?,
        _ sourceLinks: UnsafePointer<NodeLinks>?
    ) {
        var ownNames = table.interner(forCopyOf: size.nodes + size.attributes)
        source.copy(
            to: TreeMemory(nodes: nodes.base, attributes: attributes.base, bytes: bytes.base), of: size,
            renaming: &ownNames)
        if let ownNames = ownNames.take() { names = ownNames } else { self.dictionary = dictionary }
        (nodes.end, nodes.live) = (size.nodes, size.nodes)
        (links.end, links.live) = (size.nodes, size.nodes)
        (attributes.end, attributes.live) = (size.attributes, size.attributes)
        (bytes.end, bytes.live) = (size.bytes, size.bytes)
        root = .root
        usedNames.users = size.nodes + size.attributes
        bindings = source.surroundings
        linkCopy(of: source, sourceLinks)
    }

    /// Writes the links of a copy, whose nodes are in document order.
    private func linkCopy(of source: ElementReader, _ sourceLinks: UnsafePointer<NodeLinks>?) {
        var original = source.index
        for offset in 0..<nodes.end {
            (links.base + offset).initialize(to: NodeLinks())
        }
        for offset in 0..<nodes.end {
            let index = NodeIndex(rawValue: UInt32(truncatingIfNeeded: offset))
            let node = nodes.base[offset]
            if node.next != .none {
                links.base[node.next.offset].previous = index
            } else if node.parent != .none {
                links.base[node.parent.offset].lastChild = index
            }
            if let sourceLinks {
                links.base[offset].inheritsNamespace = sourceLinks[original.offset].inheritsNamespace
                original = source.view.node(after: original, in: source.index)
            }
        }
        for record in 0..<attributes.end where view[attributes.base[record].name].kind == .declaration {
            declarationCount += 1
        }
    }

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
}
