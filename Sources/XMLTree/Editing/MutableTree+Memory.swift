// Keeps an editable tree within twice its live size, however long it is edited, and at most 4 KiB for the memory in
// which its heaps began. A copy also keeps its source's table of names until it gets a name of its own
// (TreeCopier.swift).
//
// A full heap is packed into 1.5 times the size of its live records. `trim()` packs a heap that has become too large
// for its live records. Packing walks all nodes, so each heap also has room in proportion to their number: as many
// edits share the cost of packing.

extension MutableTree {
    /// Heaps up to these sizes are not packed: small trees cost about two kilobytes.
    static var minimumNodes: Int { 8 }
    static var minimumAttributes: Int { 8 }
    static var minimumBytes: Int { 192 }
    static var minimumNames: Int { 32 }

    /// Heaps of a copy that together take more have memory of their own: it is freed when they outgrow it.
    static var largestSharedMemory: Int { 1 << 12 }

    /// The bytes that the tree's storage takes, also the first memory of heaps that have outgrown it.
    var capacityInBytes: Int {
        nodes.ownBytes + links.ownBytes + attributes.ownBytes + bytes.ownBytes + names.capacityInBytes + firstBytes
    }

    /// The size of a copy of the whole tree; `nil` for a part of it, which must be counted.
    func knownSize(of top: NodeIndex) -> TreeSize? {
        top == root ? TreeSize(nodes: nodes.live, attributes: attributes.live, bytes: bytes.live) : nil
    }

    private var firstBytes: Int {
        guard let firstMemory else { return 0 }
        return firstMemory.spareBytes + (firstMemory === names.table ? 0 : firstMemory.capacityInBytes)
    }

    // MARK: Making room

    /// Returns a node that is not linked yet.
    func makeNode(_ name: NameIndex) -> NodeIndex {
        let record = Node(
            key: names.table.records[Int(name.rawValue)].expanded, name: name, parent: .none, attributes: 0)
        let index: NodeIndex
        if freeNodes != .none {
            index = freeNodes
            freeNodes = nodes.base[index.offset].next
        } else {
            if nodes.room == 0 {
                let capacity = max(Self.minimumNodes, nodes.capacity + nodes.capacity / 2)
                precondition(capacity < Int(NodeIndex.none.rawValue), "a tree holds fewer than 2³² elements")
                nodes.move(toCapacity: capacity)
                links.move(toCapacity: capacity)
            }
            index = NodeIndex(rawValue: UInt32(nodes.end))
            nodes.end += 1
            links.end += 1
        }
        (nodes.base + index.offset).initialize(to: record)
        (links.base + index.offset).initialize(to: NodeLinks())
        nodes.live += 1
        links.live += 1
        return index
    }

    /// Frees a node and its records. Nothing may link to it, and no code may hold its handle.
    func freeNode(_ index: NodeIndex) {
        let node = nodes.base[index.offset]
        discard(node.text)
        discard(node.tail)
        for record in view.attributeRecords(of: index) {
            discard(record.value)
            if view[record.name].kind == .declaration { declarationCount -= 1 }
        }
        attributes.live -= Int(node.attributeCount)
        nodes.base[index.offset].name = .free
        nodes.base[index.offset].next = freeNodes
        nodes.base[index.offset].attributeCount = 0
        freeNodes = index
        nodes.live -= 1
        links.live -= 1
    }

    /// Makes room for bytes. References to bytes are invalid afterwards.
    func reserveBytes(_ count: Int) {
        if bytes.room < count { packBytes(adding: count) }
    }

    /// Makes room for attribute records. Rows may have moved afterwards.
    func reserveAttributes(_ count: Int) {
        if attributes.room < count { packAttributes(adding: count) }
    }

    /// Counts a string as garbage.
    func discard(_ reference: ByteReference) {
        if reference.isEmpty { return }
        let count = view.string(reference).count
        bytes.live -= LengthPrefix.size(of: count) + count
    }

    // MARK: Packing

    /// Ends an operation: packs each heap that has become too large. Nodes may be renumbered.
    func trim() {
        if nodes.capacity > Self.minimumNodes, nodes.capacity * 10 > nodes.live * 18 { packNodes() }
        if attributes.capacity * 10 > attributes.live * 19 + nodes.live * 8 + 20 * Self.minimumAttributes {
            packAttributes(adding: 0)
        }
        if bytes.capacity * 10 > bytes.live * 19 + nodes.live * 60 + 20 * Self.minimumBytes { packBytes(adding: 0) }
        if names.isReadOnly ? hasFewerNameUsers : names.count > nameLimit || hasFewerNameUsers { packNames() }
    }

    private var hasFewerNameUsers: Bool {
        names.table.recordCapacity > 2 * Self.minimumNames && nameUsers * 16 < usedNames.users * 15
    }

    private func packBytes(adding count: Int) {
        let capacity = (bytes.live + count) * 3 / 2 + nodes.live * 4 + Self.minimumBytes
        precondition(capacity <= Int(UInt32.max), "a tree holds at most 4 GiB of text and values")
        var packed = RecordHeap<UInt8>(capacity: capacity)
        packed.base[0] = 0
        packed.end = 1
        let old = view
        for index in liveNodes {
            let node = nodes.base + index.offset
            node.pointee.text = packed.append(old.string(node.pointee.text))
            node.pointee.tail = packed.append(old.string(node.pointee.tail))
            for record in row(of: index) { record.pointee.value = packed.append(old.string(record.pointee.value)) }
        }
        packed.live = packed.end
        bytes = packed
    }

    private func packAttributes(adding count: Int) {
        let capacity = (attributes.live + count) * 3 / 2 + nodes.live / 2 + Self.minimumAttributes
        precondition(capacity <= Int(UInt32.max), "a tree holds fewer than 2³² attributes")
        var packed = RecordHeap<AttributeRecord>(capacity: capacity)
        for index in liveNodes {
            let row = row(of: index)
            nodes.base[index.offset].attributes = UInt32(packed.end)
            for record in row { packed.append(record.pointee) }
        }
        packed.live = packed.end
        attributes = packed
    }

    /// Renumbers the nodes in their order.
    private func packNodes() {
        let capacity = max(Self.minimumNodes, nodes.live * 7 / 5)
        var packed = RecordHeap<Node>(capacity: capacity)
        var packedLinks = RecordHeap<NodeLinks>(capacity: capacity)
        var numbers = [NodeIndex](repeating: .none, count: nodes.end)
        for index in liveNodes {
            numbers[index.offset] = NodeIndex(rawValue: UInt32(packed.end))
            packed.append(nodes.base[index.offset])
            packedLinks.append(links.base[index.offset])
        }
        func renumber(_ index: inout NodeIndex) {
            if index != .none { index = numbers[index.offset] }
        }
        for offset in 0..<packed.end {
            renumber(&packed.base[offset].parent)
            renumber(&packed.base[offset].next)
            renumber(&packed.base[offset].firstChild)
            renumber(&packedLinks.base[offset].previous)
            renumber(&packedLinks.base[offset].lastChild)
            packedLinks.base[offset].handle?.takeUnretainedValue().index = NodeIndex(rawValue: UInt32(offset))
        }
        renumber(&root)
        packed.live = packed.end
        packedLinks.live = packed.end
        freeNodes = .none
        nodes = packed
        links = packedLinks
    }

    /// The number of names at which the tree looks for unused ones. It also looks for them when it shrinks.
    var nameLimit: Int { Self.minimumNames + min(usedNames.count, nameUsers) * 6 / 5 + nameUsers / 32 }

    private var nameUsers: Int { nodes.live + attributes.live }

    /// Copies the names, if they are those of another tree. Call this before a name is interned.
    func makeNamesOwn() {
        if names.isReadOnly { packNames() }
    }

    /// Removes the names that no node and no attribute uses.
    private func packNames() {
        usedNames = (countUsedNames(), nameUsers)
        if !names.isReadOnly, usedNames.count == names.count, names.table.recordCapacity <= 2 * nameLimit { return }
        var packed = NameInterner(
            expectedNames: names.isReadOnly ? max(NameWriter.fewNames, usedNames.count) : nameLimit)
        let old = view
        for index in liveNodes {
            let node = nodes.base + index.offset
            node.pointee.name = packed.intern(old[node.pointee.name], from: old.nameBytes)
            for record in row(of: index) {
                record.pointee.name = packed.intern(old[record.pointee.name], from: old.nameBytes)
            }
        }
        names = packed
        dictionary = nil
    }

    private func countUsedNames() -> Int {
        var used = [Bool](repeating: false, count: names.table.recordCapacity)
        for index in liveNodes {
            used[Int(nodes.base[index.offset].name.rawValue)] = true
            for record in row(of: index) { used[Int(record.pointee.name.rawValue)] = true }
        }
        return used.count { $0 }
    }

    /// The nodes in use, in the order of their indexes.
    private var liveNodes: some Sequence<NodeIndex> {
        let base = nodes.base
        return (0..<nodes.end).lazy.filter { base[$0].name != .free }.map { NodeIndex(rawValue: UInt32($0)) }
    }

    /// The addresses of a node's attribute records.
    private func row(of index: NodeIndex) -> Range<UnsafeMutablePointer<AttributeRecord>> {
        let start = attributes.base + Int(nodes.base[index.offset].attributes)
        return start..<(start + Int(nodes.base[index.offset].attributeCount))
    }
}

extension NameIndex {
    /// The name of a node that is not in use.
    static var free: NameIndex { NameIndex(rawValue: .max) }
}

extension RecordHeap {
    /// Appends a record. The caller has reserved room.
    mutating func append(_ record: Record) {
        (base + end).initialize(to: record)
        end += 1
    }
}

extension RecordHeap<UInt8> {
    /// Appends a string with its length. The caller has reserved room.
    mutating func append(_ text: UnsafeBufferPointer<UInt8>) -> ByteReference {
        guard let start = text.baseAddress, text.count > 0 else { return .empty }
        let reference = ByteReference(rawValue: UInt32(end))
        let position = LengthPrefix.write(text.count, to: base + end)
        position.update(from: start, count: text.count)
        end = position - base + text.count
        return reference
    }
}

extension TreeSize {
    /// The memory of all heaps with these capacities, a multiple of 8.
    var heapBytes: Int {
        let records =
            nodes * (MemoryLayout<Node>.stride + MemoryLayout<NodeLinks>.stride)
            + attributes * MemoryLayout<AttributeRecord>.stride
        return (records + bytes + 7) & ~7
    }
}
