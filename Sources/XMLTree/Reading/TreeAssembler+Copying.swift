// Copies elements into the frozen tree that is being built.

extension TreeAssembler {
    /// Appends a copy of a subtree, without its tail.
    ///
    /// - Parameter names: assigns positions in the copy's table; `nil` if the copy uses the source's table.
    mutating func append(_ source: ElementReader, renaming names: inout NameInterner?) {
        let view = source.view
        var walk = TreeWalk(view, from: source.index)
        while let step = walk.next() {
            switch step {
            case .enter(let node):
                startElement(like: node, of: view, renaming: &names)
                text(view.string(view[node].text), in: .none)
            case .leave(let node):
                endElement()
                if node != source.index { text(view.string(view[node].tail), in: .none) }
            }
        }
    }

    /// Starts an element with the same attributes and declarations.
    @inline(never)
    mutating func startElement(like node: NodeIndex, of view: TreeView, renaming names: inout NameInterner?) {
        let records = view.attributeRecords(of: node)
        let name = position(of: view[node].name, in: view, renaming: &names)
        startElement(name, key: view[node].key)
        for record in records {
            let name = position(of: record.name, in: view, renaming: &names)
            attribute(name, value: view.string(record.value), in: .none)
        }
        endAttributes()
    }
}

/// Returns the position of a name in the copy's table.
@inline(__always)
func position(of name: NameIndex, in view: TreeView, renaming names: inout NameInterner?) -> NameIndex {
    names?.intern(view[name], from: view.nameBytes) ?? name
}
