// The collections of a frozen element: views of its tree that allocate no memory.
//
// They are not nested in `Element`, because a collection uses that name for its own elements.

/// The attributes of an element, read lazily.
public struct ElementAttributes: Collection, Sendable {
    /// A place among the attributes.
    public struct Index: Comparable, Sendable {
        fileprivate let record: Int

        public static func < (one: Index, other: Index) -> Bool { one.record < other.record }
    }

    let owner: XMLTree.Element

    public var startIndex: Index { position(from: 0) }

    public var endIndex: Index { Index(record: Int(owner.view[owner.index].attributeCount)) }

    public func index(after index: Index) -> Index { position(from: index.record + 1) }

    public subscript(position: Index) -> XMLAttribute {
        let attribute = owner.read { reader in
            let records = reader.view.attributeRecords(of: reader.index)
            return records.indices.contains(position.record) ? reader.attribute(records[position.record]) : nil
        }
        guard let attribute else { preconditionFailure("the index belongs to the attributes of another element") }
        return attribute
    }

    /// The first attribute at or after a record. Skips declarations.
    private func position(from start: Int) -> Index {
        owner.read { reader in
            let records = reader.view.attributeRecords(of: reader.index)
            var record = start
            while record < records.count, reader.view[records[record].name].kind == .declaration { record += 1 }
            return Index(record: record)
        }
    }
}

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

/// The child elements of an element and the text between them.
public struct ElementContent: Sequence, Sendable {
    let parent: XMLTree.Element

    public func makeIterator() -> Iterator { Iterator(parent: parent) }

    /// Iterates over the content.
    public struct Iterator: IteratorProtocol {
        private let parent: XMLTree.Element
        private var upcoming: NodeIndex
        /// The text before `upcoming`, not returned yet.
        private var text: ByteReference

        fileprivate init(parent: XMLTree.Element) {
            self.parent = parent
            upcoming = parent.view[parent.index].firstChild
            text = parent.view[parent.index].text
        }

        public mutating func next() -> XMLContent<XMLTree.Element>? {
            if !text.isEmpty {
                defer { text = .empty }
                return .text(parent.read { String($0.view.string(text)) })
            }
            if upcoming == .none { return nil }
            let child = parent.element(at: upcoming)
            text = child.view[child.index].tail
            upcoming = child.view[child.index].next
            return .element(child)
        }
    }
}
