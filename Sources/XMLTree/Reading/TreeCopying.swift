// Copies subtrees: into frozen trees, for `copy()` and `freeze()`, and into memory of exactly their size, also for
// MutableTree+Structure.swift. No code here recurses: trees may be deeper than the stack.
//
// A copy shares its source's table of names, unless that has far more names than the copy can need. Then the copy gets
// its own table, so that it does not keep the names of a whole stream alive. The copy has its elements in document
// order, whatever the order of the source.

enum TreeCopier {
    /// - Parameters:
    ///   - names: The names of the source.
    ///   - dictionary: The dictionary with these names, if one is known.
    ///   - known: The size of the copy, if it is known.
    static func copy(
        _ source: ElementReader, names: NameTable, dictionary: TreeDictionary?, size known: TreeSize? = nil
    ) -> Element {
        let size = known ?? source.sizeOfCopy
        // The copy is written without further checks.
        assert(known == nil || size == source.sizeOfCopy, "the counters of trees are exact")
        // An editable tree that just fits could otherwise make offsets and indexes wrap around.
        precondition(
            size.isRepresentable,
            "a frozen tree holds fewer than 2³² elements and attributes and at most 4 GiB of text and values")
        var ownNames = names.interner(forCopyOf: size.nodes + size.attributes)
        let tree = Tree.make(size) { memory in
            source.copy(to: memory, of: size, renaming: &ownNames)
            let (names, context) = (ownNames?.table ?? names, source.surroundings)
            if let dictionary, dictionary.names === names, dictionary.context === context { return dictionary }
            return TreeDictionary(names: names, context: context)
        }
        return Element(tree: tree, index: .root)
    }
}

extension NameTable {
    /// The largest table that a copy may keep alive whatever its own need. Most streams never reach it.
    private static let sharedTableBytes = 1 << 16
    /// How many times larger than the copy's own need a shared table may be.
    private static let sharedTableFactor = 4
    /// The usual size of a record and its strings.
    private static let expectedBytesPerName = MemoryLayout<NameRecord>.stride + 32

    /// Assigns positions in a table of its own to a copy with at most this many names; `nil` if it shares this table.
    func interner(forCopyOf names: Int) -> NameInterner? {
        let bytes = capacityInBytes
        if bytes <= Self.sharedTableBytes { return nil }
        return bytes > Self.sharedTableFactor * names * Self.expectedBytesPerName
            ? NameInterner() : nil
    }
}

/// The number of records of a tree.
struct TreeSize: Equatable, BitwiseCopyable {
    var nodes = 0
    var attributes = 0
    /// Text and values with their lengths, and the empty string.
    var bytes = 1

    /// Whether the indexes and offsets of a tree, which have 32 bits, are enough.
    var isRepresentable: Bool {
        nodes < Int(NodeIndex.none.rawValue) && attributes <= Int(UInt32.max) && bytes <= Int(UInt32.max)
    }
}

/// Memory for the records of a tree.
struct TreeMemory: BitwiseCopyable {
    let nodes: UnsafeMutablePointer<Node>
    let attributes: UnsafeMutablePointer<AttributeRecord>
    let bytes: UnsafeMutablePointer<UInt8>
}

extension ElementReader {
    var sizeOfCopy: TreeSize {
        var size = TreeSize()
        func add(_ string: ByteReference) { if !string.isEmpty { size.bytes += view.stored(string).count } }
        var node = index
        repeat {
            size.nodes += 1
            let records = view.attributeRecords(of: node)
            size.attributes += records.count
            for record in records { add(record.value) }
            add(view[node].text)
            if node != index { add(view[node].tail) }
            node = view.node(after: node, in: index)
        } while node != .none
        return size
    }

    /// Copies the subtree into memory of its size.
    ///
    /// - Parameters:
    ///   - size: The size of the memory, which is the size of the copy.
    ///   - names: Assigns positions in the copy's table; `nil` if the copy uses the source's table.
    func copy(to memory: TreeMemory, of size: TreeSize, renaming names: inout NameInterner?) {
        var copy = SubtreeCopy(memory: memory, view: view)
        var node = index
        var parent = NodeIndex.none
        while true {
            var last = copy.append(node, in: parent, withTail: node != index, renaming: &names)
            if view[node].firstChild != .none {
                memory.nodes[last.offset].firstChild = copy.next
                parent = last
                node = view[node].firstChild
                continue
            }
            while node != index, view[node].next == .none {
                node = view[node].parent
                last = memory.nodes[last.offset].parent
            }
            if node == index { break }
            memory.nodes[last.offset].next = copy.next
            parent = memory.nodes[last.offset].parent
            node = view[node].next
        }
        precondition(copy.size == size, "the memory of a copy has its size")
    }
}

private struct SubtreeCopy {
    let memory: TreeMemory
    let view: TreeView
    /// The number of records so far.
    private(set) var size = TreeSize()

    init(memory: TreeMemory, view: TreeView) {
        self.memory = memory
        self.view = view
        memory.bytes[0] = 0
    }

    var next: NodeIndex { NodeIndex(size.nodes) }

    @inline(__always)
    mutating func append(
        _ node: NodeIndex, in parent: NodeIndex, withTail: Bool, renaming names: inout NameInterner?
    ) -> NodeIndex {
        let index = next
        let source = view[node]
        var copy = Node(
            key: source.key, name: names?.intern(view[source.name], from: view.nameBytes) ?? source.name,
            parent: parent, attributes: UInt32(truncatingIfNeeded: size.attributes))
        copy.attributeCount = source.attributeCount
        for record in view.attributeRecords(of: node) {
            let name = names?.intern(view[record.name], from: view.nameBytes) ?? record.name
            (memory.attributes + size.attributes).initialize(
                to: AttributeRecord(name: name, value: append(record.value)))
            size.attributes &+= 1
        }
        copy.text = append(source.text)
        if withTail { copy.tail = append(source.tail) }
        (memory.nodes + index.offset).initialize(to: copy)
        size.nodes &+= 1
        return index
    }

    @inline(__always)
    private mutating func append(_ string: ByteReference) -> ByteReference {
        if string.isEmpty { return .empty }
        let stored = view.stored(string)
        let reference = ByteReference(rawValue: UInt32(truncatingIfNeeded: size.bytes))
        (memory.bytes + size.bytes).initialize(from: stored.baseAddress.unsafelyUnwrapped, count: stored.count)
        size.bytes &+= stored.count
        return reference
    }
}

extension TreeView {
    /// The bytes of a string that is not empty, together with its length.
    @inline(__always)
    fileprivate func stored(_ reference: ByteReference) -> UnsafeBufferPointer<UInt8> {
        let string = string(reference)
        let start = bytes + Int(reference.rawValue)
        return UnsafeBufferPointer(start: start, count: string.baseAddress.unsafelyUnwrapped + string.count - start)
    }

    /// The element after another one in document order, within a subtree; `.none` after the last.
    @inline(__always)
    func node(after node: NodeIndex, in top: NodeIndex) -> NodeIndex {
        if self[node].firstChild != .none { return self[node].firstChild }
        var node = node
        while node != top {
            if self[node].next != .none { return self[node].next }
            node = self[node].parent
        }
        return .none
    }
}

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
