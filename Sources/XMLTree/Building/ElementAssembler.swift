// Builds frozen elements in document order from names that are known beforehand, for the modules of this package that
// write elements of a fixed vocabulary. It uses no handles.
//
// MutableElement+Building.swift builds elements of any name.

/// The names of a vocabulary, interned once for any number of trees.
package struct Vocabulary: Sendable {
    fileprivate let dictionary: TreeDictionary

    /// A name of a vocabulary. A name without a prefix is written without one, on elements of the vocabulary.
    package enum Name {
        case element(String, namespace: String)
        case attribute(String)
    }

    /// Interns the names, which callers refer to by position. The caller guarantees that they differ and are legal in
    /// XML.
    package init(_ names: [Name]) {
        var interner = NameInterner(expectedNames: names.count)
        for name in names {
            let (kind, local, namespace): (NameKind, String, String) =
                switch name {
                case .element(let local, let namespace): (.element, local, namespace)
                case .attribute(let local): (.attribute, local, "")
                }
            local.withBytes { local in
                namespace.withBytes { _ = interner.intern(kind, prefix: .empty, local: local, namespace: $0) }
            }
        }
        precondition(interner.count == names.count, "the names of a vocabulary differ")
        dictionary = TreeDictionary(names: interner.table, context: nil)
    }
}

/// Assembles one frozen element.
package struct ElementAssembler: ~Copyable {
    private let vocabulary: NameTable
    /// It shares the names of the vocabulary until another one is added.
    private let tree: MutableTree
    private var current = NodeIndex.none

    package init(_ vocabulary: Vocabulary) {
        self.vocabulary = vocabulary.dictionary.names
        tree = MutableTree(sharing: vocabulary.dictionary)
    }

    private func name(at position: Int) -> NameIndex {
        if tree.names.isReadOnly { return NameIndex(position) }
        return tree.names.intern(vocabulary.records[position], from: UnsafePointer(vocabulary.bytes))
    }

    private func link(_ node: NodeIndex) {
        if current == .none { tree.root = node } else { tree.link(node, under: current) }
    }

    /// Starts the element at this position of the vocabulary.
    package mutating func start(_ position: Int) {
        let node = tree.makeNode(name(at: position))
        link(node)
        current = node
    }

    /// Adds an attribute to the element that was started last. The element must not have it yet.
    package func attribute(_ position: Int, _ value: String) throws(XMLTreeError) {
        try XMLTreeError.check(text: value)
        value.withBytes { tree.appendAttribute(name(at: position), value: $0, to: current) }
    }

    package func text(_ text: String) throws(XMLTreeError) {
        try XMLTreeError.check(text: text)
        text.withBytes { tree.addText($0, to: current) }
    }

    /// Adds a copy of an element as a child, or as the whole element. The copy keeps the prefixes that are written on
    /// it, not those around it.
    package func add(_ element: Element) { link(element.read { tree.copyIn($0) }) }

    package mutating func end() { current = tree.nodes[current.offset].parent }

    /// Returns the element. Every start must have had its end.
    package consuming func finish() -> Element {
        precondition(current == .none && tree.root != .none, "an element is finished when everything in it has ended")
        return TreeCopier.copy(
            tree.reader(at: tree.root), names: tree.names.table, dictionary: tree.dictionary, size: tree.live)
    }
}
