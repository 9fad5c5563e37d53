// Builds frozen trees: takes the events of a document in order and packs them into one block.
//
// Parsers, `freeze()` and `copy()` feed it. It trusts its caller: names are interned, bytes are valid UTF-8, starts
// and ends are balanced. Its buffers live on from tree to tree, so that a tree costs one allocation.

/// Collects nodes, attributes and bytes in document order.
struct TreeAssembler: ~Copyable {
    private var nodes: UnsafeMutablePointer<Node>
    private var attributes: UnsafeMutablePointer<AttributeRecord>
    private var bytes: UnsafeMutablePointer<UInt8>
    private var nodeCapacity = 64
    private var attributeCapacity = 128
    private var byteCapacity = 4096
    private(set) var nodeCount = 0
    private(set) var attributeCount = 0
    private(set) var byteCount = 1
    /// The element whose content is being read.
    private(set) var current = NodeIndex.none
    /// The last child of `current` that has ended.
    private var previousSibling = NodeIndex.none
    /// Where the run of text that is being collected begins; 0 when there is none.
    private var textStart = 0

    init() {
        nodes = .allocate(capacity: nodeCapacity)
        attributes = .allocate(capacity: attributeCapacity)
        bytes = .allocate(capacity: byteCapacity)
        bytes[0] = 0
    }

    deinit {
        nodes.deallocate()
        attributes.deallocate()
        bytes.deallocate()
    }

    mutating func startElement(_ name: NameIndex, key: NameKey) {
        endText()
        if nodeCount == nodeCapacity { growNodes() }
        let index = NodeIndex(rawValue: UInt32(truncatingIfNeeded: nodeCount))
        (nodes + nodeCount).initialize(
            to: Node(
                key: key, name: name, parent: current, attributes: UInt32(truncatingIfNeeded: attributeCount)))
        nodeCount += 1
        if previousSibling != .none {
            nodes[previousSibling.offset].next = index
        } else if current != .none {
            nodes[current.offset].firstChild = index
        }
        current = index
        previousSibling = .none
    }

    /// An attribute of the element that was started last.
    mutating func attribute(_ name: NameIndex, value: UnsafeBufferPointer<UInt8>) {
        if attributeCount == attributeCapacity { growAttributes() }
        (attributes + attributeCount).initialize(to: AttributeRecord(name: name, value: store(value)))
        attributeCount += 1
        nodes[current.offset].attributeCount += 1
    }

    /// A declaration of a prefix on the element that was started last: its name says everything.
    mutating func declaration(_ name: NameIndex) {
        attribute(name, value: UnsafeBufferPointer(start: nil, count: 0))
    }

    /// Text at this place; runs that follow each other become one.
    mutating func text(_ run: UnsafeBufferPointer<UInt8>) {
        guard let start = run.baseAddress, run.count > 0 else { return }
        reserveBytes(run.count + Self.longestPrefix)
        if textStart == 0 {
            textStart = byteCount
            byteCount += 1
        }
        (bytes + byteCount).update(from: start, count: run.count)
        byteCount += run.count
    }

    mutating func endElement() {
        endText()
        previousSibling = current
        current = nodes[current.offset].parent
    }

    /// Whether one tree is complete.
    var isComplete: Bool { current == .none && nodeCount > 0 }

    /// Packs the tree and makes ready for the next one.
    mutating func finish(names: NameTable, context: SharedNamespaceContext?) -> Tree {
        let tree = Tree.pack(
            nodes: UnsafeBufferPointer(start: nodes, count: nodeCount),
            attributes: UnsafeBufferPointer(start: attributes, count: attributeCount),
            bytes: UnsafeBufferPointer(start: bytes, count: byteCount), names: names, context: context)
        removeAll()
        return tree
    }

    /// Most stanzas are far smaller. More room than this is given back with the tree that took it.
    private static let keptNodes = 1 << 11
    private static let keptAttributes = 1 << 12
    private static let keptBytes = 1 << 17

    /// The memory that the buffers take.
    var capacityInBytes: Int {
        nodeCapacity * MemoryLayout<Node>.stride + attributeCapacity * MemoryLayout<AttributeRecord>.stride
            + byteCapacity
    }

    /// Drops what was collected.
    mutating func removeAll() {
        if nodeCapacity > Self.keptNodes || attributeCapacity > Self.keptAttributes || byteCapacity > Self.keptBytes {
            self = TreeAssembler()
            return
        }
        nodeCount = 0
        attributeCount = 0
        byteCount = 1
        current = .none
        previousSibling = .none
        textStart = 0
    }

    // MARK: Bytes

    /// The bytes that the length of a string takes at most: lengths have 32 bits.
    private static let longestPrefix = 5

    /// Ends a run of text: its length becomes known and it gets its place.
    @inline(__always)
    private mutating func endText() {
        if textStart != 0 { finishText() }
    }

    private mutating func finishText() {
        let start = textStart
        textStart = 0
        let length = byteCount - start - 1
        let prefix = LengthPrefix.size(of: length)
        if prefix > 1 {
            // One byte was kept for the length: long runs are rare.
            (bytes + start + prefix).update(from: bytes + start + 1, count: length)
            byteCount += prefix - 1
        }
        _ = LengthPrefix.write(length, to: bytes + start)
        let reference = ByteReference(rawValue: UInt32(truncatingIfNeeded: start))
        if previousSibling != .none {
            nodes[previousSibling.offset].tail = reference
        } else if current != .none {
            nodes[current.offset].text = reference
        }
    }

    @inline(__always)
    private mutating func store(_ value: UnsafeBufferPointer<UInt8>) -> ByteReference {
        guard let start = value.baseAddress, value.count > 0 else { return .empty }
        reserveBytes(value.count + Self.longestPrefix)
        let reference = ByteReference(rawValue: UInt32(truncatingIfNeeded: byteCount))
        let text = LengthPrefix.write(value.count, to: bytes + byteCount)
        text.update(from: start, count: value.count)
        byteCount = (text - bytes) + value.count
        return reference
    }

    @inline(__always)
    private mutating func reserveBytes(_ additional: Int) {
        if byteCount + additional > byteCapacity { growBytes(additional) }
    }

    @inline(never)
    private mutating func growBytes(_ additional: Int) {
        let capacity = max(byteCapacity * 2, byteCount + additional)
        bytes = bytes.moved(count: byteCount, toCapacity: capacity)
        byteCapacity = capacity
    }

    @inline(never)
    private mutating func growNodes() {
        nodes = nodes.moved(count: nodeCount, toCapacity: nodeCapacity * 2)
        nodeCapacity *= 2
    }

    @inline(never)
    private mutating func growAttributes() {
        attributes = attributes.moved(count: attributeCount, toCapacity: attributeCapacity * 2)
        attributeCapacity *= 2
    }
}

extension UnsafeMutablePointer {
    /// Moves the first elements to a larger allocation and frees this one.
    fileprivate func moved(count: Int, toCapacity capacity: Int) -> UnsafeMutablePointer {
        let larger = UnsafeMutablePointer.allocate(capacity: capacity)
        larger.moveInitialize(from: self, count: count)
        deallocate()
        return larger
    }
}
