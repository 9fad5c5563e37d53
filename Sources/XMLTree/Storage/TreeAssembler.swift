// Builds frozen trees: collects the events of documents in order, and packs each tree into one block.
//
// Parsers feed it. It trusts its caller: names are interned, bytes are valid UTF-8, starts and ends are balanced. It
// reuses its buffers, so that a tree costs one allocation; a large tree takes the buffers with it.

/// Collects nodes, attributes and bytes in document order.
struct TreeAssembler: ~Copyable {
    private var nodes = Records<Node>(capacity: leastNodes)
    private var attributes = Records<AttributeRecord>(capacity: leastAttributes)
    private var bytes = ByteCollector()
    /// The element whose content is being read.
    private(set) var current = NodeIndex.none
    /// The link of the next element, as an offset in `nodes`: a `firstChild` after a start tag, a `next` after an end
    /// tag. The field after that link takes text at this place, so no code checks which tag came before.
    private var linkOffset = rootLink

    private static let leastNodes = 64
    private static let leastAttributes = 128

    /// Begins an element in the open one. The caller then adds attributes and declarations, and calls `endAttributes`.
    @inline(__always)
    mutating func startElement(_ name: NameIndex, key: NameKey) {
        bytes.endText()
        let index = NodeIndex(nodes.count)
        // The root's link is in the root itself, which overwrites it.
        nodes.reserve(1)
        UnsafeMutableRawPointer(nodes.base).storeBytes(of: index, toByteOffset: linkOffset, as: NodeIndex.self)
        linkOffset = nodes.count &* MemoryLayout<Node>.stride &+ Self.firstChildOffset
        nodes.append(
            Node(key: key, name: name, parent: current, attributes: UInt32(truncatingIfNeeded: attributes.count)))
        current = index
    }

    /// Adds an attribute to the element that was started last.
    @inline(__always)
    mutating func attribute(_ name: NameIndex, value: UnsafeBufferPointer<UInt8>, in surroundings: ReadableMemory) {
        attributes.append(AttributeRecord(name: name, value: bytes.store(value, in: surroundings)))
    }

    /// Adds a declaration of a prefix to the element that was started last. The name holds prefix and namespace.
    @inline(__always)
    mutating func declaration(_ name: NameIndex) { attributes.append(AttributeRecord(name: name, value: .empty)) }

    /// Ends the attributes of the element that was started last.
    @inline(__always)
    mutating func endAttributes() {
        let first = nodes.base[current.offset].attributes
        nodes.base[current.offset].attributeCount = UInt32(truncatingIfNeeded: attributes.count) &- first
    }

    /// Adds text at this place. Consecutive runs become one.
    @inline(__always)
    mutating func text(_ run: UnsafeBufferPointer<UInt8>, in surroundings: ReadableMemory) {
        let reference = bytes.text(run, in: surroundings)
        UnsafeMutableRawPointer(nodes.base)
            .storeBytes(of: reference, toByteOffset: linkOffset &+ Self.textDistance, as: ByteReference.self)
    }

    @inline(__always)
    mutating func endElement() {
        bytes.endText()
        linkOffset = current.offset &* MemoryLayout<Node>.stride &+ Self.nextOffset
        current = nodes.base[current.offset].parent
    }

    /// The elements of the open tree.
    var nodeCount: Int { nodes.count }

    /// The memory of the buffers.
    var capacityInBytes: Int { nodes.capacityInBytes + attributes.capacityInBytes + bytes.capacityInBytes }

    // MARK: Trees

    /// Ends the tree, and makes it. Copying a large one would take as long as collecting it, and twice the memory: it
    /// gets the buffers.
    mutating func finish(_ dictionary: TreeDictionary) -> Tree {
        let size = TreeSize(nodes: nodes.count, attributes: attributes.count, bytes: bytes.count)
        if isLarge {
            let records = TreeMemory(
                nodes: nodes.take(beginningWith: Self.leastNodes),
                attributes: attributes.take(beginningWith: Self.leastAttributes), bytes: bytes.take())
            forgetOpen()
            return Tree.adopting(records, size, dictionary)
        }
        let tree = Tree.packing(
            TreeMemory(nodes: nodes.base, attributes: attributes.base, bytes: bytes.base), size, dictionary)
        dropOpen()
        return tree
    }

    mutating func dropOpen() {
        if isLarge { return self = TreeAssembler() }
        nodes.removeLast(downTo: 0)
        attributes.removeLast(downTo: 0)
        bytes.beginTree()
        forgetOpen()
    }

    private mutating func forgetOpen() {
        current = .none
        linkOffset = Self.rootLink
    }

    /// Most stanzas are far smaller. The buffers keep no more room than this.
    private static let keptNodes = 1 << 11
    private static let keptAttributes = 1 << 12

    private var isLarge: Bool {
        nodes.capacity > Self.keptNodes || attributes.capacity > Self.keptAttributes || bytes.isLarge
    }
}

extension TreeAssembler {
    // MARK: Fields of a node

    private static var nextOffset: Int { MemoryLayout<Node>.offset(of: \.next).unsafelyUnwrapped }
    private static var firstChildOffset: Int { MemoryLayout<Node>.offset(of: \.firstChild).unsafelyUnwrapped }
    /// The distance from a link to the text at the same place.
    private static var textDistance: Int { MemoryLayout<Node>.offset(of: \.tail).unsafelyUnwrapped - nextOffset }
    /// The root's link is written into the root itself, before the root is initialized.
    private static var rootLink: Int { nextOffset }
}

struct ByteCollector: ~Copyable {
    private var bytes = Records<UInt8>(capacity: leastBytes)
    /// The run that may continue; empty after a tag.
    private var openRun = ByteReference.empty

    private static let leastBytes = 4096
    /// The buffer keeps no more room than this.
    private static let keptBytes = 1 << 17
    /// The room kept free after a string: its 32-bit length, and the bytes that a block copy writes past its end.
    private static let slack = 8 + ReadableMemory.blockLength

    init() { beginTree() }

    var isLarge: Bool { bytes.capacity > Self.keptBytes }

    var capacityInBytes: Int { bytes.capacityInBytes }

    // MARK: Trees

    /// The bytes of the tree. Valid until the next change.
    var base: UnsafeMutablePointer<UInt8> { bytes.base }
    var count: Int { bytes.count }

    /// Drops the bytes of the tree.
    @inline(__always)
    mutating func beginTree() {
        openRun = .empty
        bytes.removeLast(downTo: 0)
        bytes.append(0)
    }

    /// Gives away the block, and begins a small one.
    mutating func take() -> UnsafeMutablePointer<UInt8> {
        let taken = bytes.take(beginningWith: Self.leastBytes)
        beginTree()
        return taken
    }

    // MARK: Strings

    /// Stores a string from inside or outside `surroundings`.
    @inline(__always)
    mutating func store(_ string: UnsafeBufferPointer<UInt8>, in surroundings: ReadableMemory) -> ByteReference {
        guard let start = string.baseAddress, string.count > 0 else { return .empty }
        bytes.reserve(string.count &+ Self.slack)
        let reference = ByteReference(rawValue: UInt32(truncatingIfNeeded: bytes.count))
        let text = LengthPrefix.write(string.count, to: bytes.base + bytes.count)
        if string.count <= ReadableMemory.blockLength, surroundings.hasBlock(at: start) {
            text.copyBlock(from: start)
        } else {
            text.update(from: start, count: string.count)
        }
        bytes.extend(to: (text - bytes.base) &+ string.count)
        return reference
    }

    /// Stores a run of text, or the continuation of the open run. Returns the whole run.
    @inline(__always)
    mutating func text(_ part: UnsafeBufferPointer<UInt8>, in surroundings: ReadableMemory) -> ByteReference {
        if !openRun.isEmpty { return extendRun(part) }
        openRun = store(part, in: surroundings)
        return openRun
    }

    /// Ends the open run. The next text starts a new one.
    @inline(__always)
    mutating func endText() { openRun = .empty }

    /// Long runs, and those with references and CDATA sections, arrive in parts.
    @inline(never)
    private mutating func extendRun(_ part: UnsafeBufferPointer<UInt8>) -> ByteReference {
        guard let addition = part.baseAddress, part.count > 0 else { return openRun }
        let length = UnsafePointer(bytes.base).string(at: openRun).count
        let newLength = length + part.count
        bytes.reserve(newLength + Self.slack)
        // The run was stored last.
        let start = Int(openRun.rawValue)
        let prefix = LengthPrefix.size(of: length)
        let newPrefix = LengthPrefix.size(of: newLength)
        let text = bytes.base + start + prefix
        if newPrefix > prefix {
            UnsafeMutableRawPointer(bytes.base + start + newPrefix).copyMemory(from: text, byteCount: length)
        }
        let end = LengthPrefix.write(newLength, to: bytes.base + start) + length
        end.update(from: addition, count: part.count)
        bytes.extend(to: (end - bytes.base) + part.count)
        return openRun
    }
}
