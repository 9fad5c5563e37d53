// Copies the records of a subtree into memory of exactly their size. TreeCopier.swift makes frozen trees with it,
// MutableTree+Copying.swift editable ones.
//
// The copy has its elements in document order, whatever the order of the source.

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
    /// The size of a copy of the subtree.
    var sizeOfCopy: TreeSize {
        var size = TreeSize()
        func add(_ string: ByteReference) {
            if !string.isEmpty { size.bytes += view.stored(string).count }
        }
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

/// The state of a copy.
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

    /// The index of the next element.
    var next: NodeIndex { NodeIndex(rawValue: UInt32(truncatingIfNeeded: size.nodes)) }

    @inline(__always)
    mutating func append(
        _ node: NodeIndex, in parent: NodeIndex, withTail: Bool, renaming names: inout NameInterner?
    ) -> NodeIndex {
        let index = next
        let source = view[node]
        var copy = Node(
            key: source.key, name: position(of: source.name, in: view, renaming: &names), parent: parent,
            attributes: UInt32(truncatingIfNeeded: size.attributes))
        copy.attributeCount = source.attributeCount
        for record in view.attributeRecords(of: node) {
            let name = position(of: record.name, in: view, renaming: &names)
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
