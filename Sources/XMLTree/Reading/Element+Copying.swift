// Copies of frozen elements: detached trees that keep the prefixes that were in scope.

extension Element {
    /// A detached deep copy: the root of a tree of its own, with the same namespace and all prefixes in scope, those
    /// of the surrounding stream included (rule 1.5). It lets go of the rest of the tree. Linear in the subtree.
    public func copy() -> Element {
        var assembler = TreeAssembler()
        return read { reader in
            assembler.append(reader)
            return Element(
                tree: assembler.finish(names: tree.header.names, context: reader.sharedScope), index: .root)
        }
    }

    /// A detached copy without child elements: name, namespace, attributes, prefixes in scope, and, if wished, the
    /// element's own text in one piece.
    public func shallowCopy(withText: Bool = false) -> Element {
        var assembler = TreeAssembler()
        return read { reader in
            assembler.start(reader.index, in: reader.view)
            if withText, var text = reader.text { text.withUTF8 { assembler.text($0) } }
            assembler.endElement()
            return Element(
                tree: assembler.finish(names: tree.header.names, context: reader.sharedScope), index: .root)
        }
    }

    /// An editable copy of this element and what is below it: the root of a tree of its own. Linear in the subtree.
    public func thaw() -> sending MutableElement {
        let arena = MutableTree()
        read { arena.adopt($0) }
        return MutableElement(rootOf: arena)
    }
}

extension TreeAssembler {
    /// Appends a subtree whose names the finished tree will share.
    mutating func append(_ reader: ElementReader) {
        let view = reader.view
        var walk = TreeWalk(view, from: reader.index)
        while let step = walk.next() {
            switch step {
            case .enter(let node):
                start(node, in: view)
                text(view.string(view[node].text))
            case .leave(let node):
                endElement()
                if node != reader.index { text(view.string(view[node].tail)) }
            }
        }
    }

    /// Starts an element like another one, attributes and declarations included.
    fileprivate mutating func start(_ node: NodeIndex, in view: TreeView) {
        startElement(view[node].name, key: view[node].key)
        for record in view.attributeRecords(of: node) { attribute(record.name, value: view.string(record.value)) }
    }
}
