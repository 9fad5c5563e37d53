// The storage of one editable tree: the records of Node.swift in growing arrays, with the links that editing needs.
//
// An arena holds one tree; `remove()` splits it in two. MutableElement is the handle. The other files of this folder
// whose names begin with MutableTree do the work: +Structure (links, copies and splits), +Records (names, text,
// attributes).
//
// Records that are not needed any more stay until `trim()` copies the tree. So the numbers of nodes and the references
// to bytes are stable within one operation, and change only in `trim()` at its end. Addresses change whenever records
// are added.

/// The extra record of an editable tree for each node.
struct NodeLinks: BitwiseCopyable {
    var previous = NodeIndex.none
    var lastChild = NodeIndex.none
    /// The element's one handle, while it exists. The handle clears this in its deinitializer. So it is alive here
    /// until the caller has retained it: all code that could release it runs on the tree's one domain.
    var handle: Unmanaged<MutableElement>?
    /// Whether the element was built without a namespace, and no parent has given it one yet. Its ancestors wait, too.
    var inheritsNamespace = false
}

package final class MutableTree {
    // Swift does not check these accesses for overlaps at run time, which would cost a quarter of building a stanza.
    // This folder and Building show that they do not overlap: no other code writes these fields. A mutating call on one
    // of them gets values and pointers, never a closure or the tree. A tree belongs to one isolation domain.
    @exclusivity(unchecked) var nodes: Records<Node>
    @exclusivity(unchecked) var links: Records<NodeLinks>
    @exclusivity(unchecked) var attributes: Records<AttributeRecord>
    @exclusivity(unchecked) var bytes: Records<UInt8>
    /// The records in use: the size of a frozen copy.
    @exclusivity(unchecked) var live = TreeSize()
    /// Read only until the first new name, if they are those of the tree that this one was copied from.
    @exclusivity(unchecked) var names: NameInterner
    /// The dictionary of the frozen tree whose names this one reads: frozen copies share it.
    @exclusivity(unchecked) var dictionary: TreeDictionary?
    /// The memory after the last copy of the tree, that of the records and names in use, and the number of nodes and
    /// attributes that used the names.
    @exclusivity(unchecked) private var packed = (capacity: 0, records: 0, names: 0, users: 1)
    /// Whether elements of this tree may declare prefixes.
    @exclusivity(unchecked) var hasDeclarations = false
    @exclusivity(unchecked) var root = NodeIndex.none
    /// The bindings around the root.
    @exclusivity(unchecked) var bindings: SharedNamespaceContext?
    /// Keeps the memory alive in which the arrays of a small tree begin: the spare memory of this table.
    @exclusivity(unchecked) private var firstMemory: NameTable?

    /// Begins with room for some records.
    ///
    /// - Parameter memory: The arrays begin in its spare memory. So a new element takes one allocation for its names
    ///   and records.
    private init(_ room: TreeSize, names: consuming NameInterner, in memory: NameTable?) {
        self.names = names
        firstMemory = memory
        var place = memory?.spare
        nodes = Records(capacity: room.nodes, in: &place)
        links = Records(capacity: room.nodes, in: &place)
        attributes = Records(capacity: room.attributes, in: &place)
        bytes = Records(capacity: room.bytes, in: &place)
        bytes.append(0)
    }

    /// An empty arena, also for an element without children, with this number of attributes and perhaps a declaration.
    convenience init(attributes count: Int? = nil) {
        let isSmall = count.map { $0 <= 8 } ?? false
        let room = isSmall ? TreeSize(nodes: 2, attributes: (count ?? 0) + 2, bytes: 96) : Self.usual
        let names = NameInterner(expectedNames: min(room.attributes + 2, NameWriter.fewNames), spareBytes: room.memory)
        let table = names.table
        self.init(room, names: names, in: table)
    }

    /// An empty arena that shares names.
    convenience init(sharing dictionary: TreeDictionary) {
        self.init(Self.usual, names: NameInterner(reading: dictionary.names), in: Self.memory(for: Self.usual))
        self.dictionary = dictionary
    }

    private static let usual = TreeSize(nodes: 8, attributes: 8, bytes: 192)

    private static func memory(for room: TreeSize) -> NameTable? {
        room.memory > minimumBytes ? nil : .make(recordCapacity: 0, byteCapacity: 0, spareBytes: room.memory)
    }

    /// The storage for the query machine, the writer and the readers. Valid until the next edit.
    package var view: TreeView {
        TreeView(
            nodes: UnsafePointer(nodes.base), attributes: UnsafePointer(attributes.base),
            bytes: UnsafePointer(bytes.base), names: UnsafePointer(names.table.records),
            nameBytes: UnsafePointer(names.table.bytes))
    }

    func reader(at index: NodeIndex) -> ElementReader { ElementReader(view: view, index: index, bindings: bindings) }

    /// Returns the bindings in scope around an element. Constant time in a tree that declares no prefix.
    func surroundings(at index: NodeIndex) -> SharedNamespaceContext? {
        hasDeclarations ? reader(at: index).surroundings : bindings
    }

    /// Ends an operation that made an element, and returns its handle.
    func finish(_ made: NodeIndex) -> MutableElement {
        let element = handle(at: made)
        trim()
        return element
    }

    /// Returns the handle of an element: the same object as long as any code holds it.
    func handle(at index: NodeIndex) -> MutableElement {
        if let handle = links.base[index.offset].handle { return handle.takeUnretainedValue() }
        return MutableElement(tree: self, index: index)
    }

    // MARK: Nodes

    /// Returns a node that is not linked yet.
    func makeNode(_ name: NameIndex) -> NodeIndex {
        precondition(nodes.count < Int(NodeIndex.none.rawValue), "a tree holds fewer than 2³² elements")
        let index = NodeIndex(nodes.count)
        let key = names.table.records[name.offset].expanded
        nodes.append(Node(key: key, name: name, parent: .none, attributes: 0))
        links.append(NodeLinks())
        live.nodes += 1
        return index
    }

    /// Gives up a subtree that is not linked. No code may hold a handle to its elements.
    func free(_ top: NodeIndex) {
        let size = reader(at: top).sizeOfCopy
        live.nodes -= size.nodes
        live.attributes -= size.attributes
        // A copy has an empty string of its own.
        live.bytes -= size.bytes - 1
    }

    // MARK: Memory

    /// The size of a copy of the whole tree; `nil` for a part of it, which must be counted.
    func knownSize(of top: NodeIndex) -> TreeSize? { top == root ? live : nil }

    /// The bytes that the tree's storage takes.
    var capacityInBytes: Int {
        let first = firstMemory.map { $0.spareBytes + ($0 === names.table ? 0 : $0.capacityInBytes) }
        return nodes.capacityInBytes + links.capacityInBytes + attributes.capacityInBytes + bytes.capacityInBytes
            + names.capacityInBytes + (first ?? 0)
    }

    /// A tree that takes less is not copied, and a smaller copy is in one block.
    private static let minimumBytes = 4096

    /// Ends an operation: keeps the tree within twice its live size, however long it is edited. May renumber nodes.
    ///
    /// A copy of the tree follows edits in proportion to it: a quarter of its memory was added, or is used no more.
    func trim() {
        let capacity = capacityInBytes
        let names = packed.names * min(live.nodes + live.attributes, packed.users) / packed.users
        if capacity <= 2 * (live.memory + names) + Self.minimumBytes { return }
        if capacity * 4 > packed.capacity * 5 || live.memory * 4 < packed.records * 3 { pack() }
    }

    /// Records the memory of a tree that has just been copied.
    private func setPacked() {
        packed = (
            capacityInBytes, live.memory, names.count * MemoryLayout<NameRecord>.stride + names.byteCount,
            live.nodes + live.attributes
        )
    }

    /// Replaces the arrays by those of a copy, without the records and names that nothing uses.
    private func pack() {
        let copy = MutableTree.copy(
            of: reader(at: root), names: names.table, sharingThem: names.isReadOnly, dictionary: dictionary,
            links: UnsafePointer(links.base), size: live)
        var (node, number) = (root, NodeIndex.root)
        while node != .none {
            if let handle = links.base[node.offset].handle {
                copy.links[number.offset].handle = handle
                handle.takeUnretainedValue().index = number
            }
            node = view.node(after: node, in: root)
            number = NodeIndex(rawValue: number.rawValue + 1)
        }
        swap(&nodes, &copy.nodes)
        swap(&links, &copy.links)
        swap(&attributes, &copy.attributes)
        swap(&bytes, &copy.bytes)
        swap(&names, &copy.names)
        swap(&firstMemory, &copy.firstMemory)
        (root, dictionary, hasDeclarations, packed) = (.root, copy.dictionary, copy.hasDeclarations, copy.packed)
    }

    /// Returns a copy of an element, with all bindings in scope.
    ///
    /// - Parameters:
    ///   - table: The names of the source.
    ///   - isSharing: Whether the copy shares them, unless they are far more than it needs.
    ///   - dictionary: The dictionary with these names, if one is known.
    ///   - sourceLinks: The links of the source, if it is editable. They show which elements wait for a namespace.
    ///   - known: The size of the copy, if it is known.
    static func copy(
        of source: ElementReader, names table: NameTable, sharingThem isSharing: Bool = true,
        dictionary: TreeDictionary?, links sourceLinks: UnsafePointer<NodeLinks>? = nil, size known: TreeSize? = nil
    ) -> MutableTree {
        let size = known ?? source.sizeOfCopy
        assert(known == nil || size == source.sizeOfCopy, "the counters of trees are exact")
        precondition(
            size.isRepresentable,
            "a tree holds fewer than 2³² elements and attributes and at most 4 GiB of text and values")
        // Room for a few edits.
        let room = TreeSize(
            nodes: size.nodes * 5 / 4 + 2, attributes: size.attributes * 5 / 4 + 2, bytes: size.bytes * 5 / 4 + 64)
        let copy = MutableTree(room, names: NameInterner(reading: table), in: memory(for: room))
        if isSharing {
            copy.fill(with: source, size, table.interner(forCopyOf: size.nodes + size.attributes))
        } else {
            copy.fill(with: source, size, NameInterner())
        }
        if copy.names.isReadOnly { copy.dictionary = dictionary }
        copy.link(like: source, sourceLinks)
        copy.setPacked()
        return copy
    }

    private func fill(with source: ElementReader, _ size: TreeSize, _ ownNames: consuming NameInterner?) {
        source.copy(
            to: TreeMemory(nodes: nodes.base, attributes: attributes.base, bytes: bytes.base), of: size,
            renaming: &ownNames)
        if let ownNames = ownNames.take() { names = ownNames }
        nodes.extend(to: size.nodes)
        attributes.extend(to: size.attributes)
        bytes.extend(to: size.bytes)
        live = size
        root = .root
        bindings = source.surroundings
        hasDeclarations = (0..<size.attributes).contains { view[attributes[$0].name].kind == .declaration }
    }

    /// Writes the links of a copy, whose nodes are in document order.
    private func link(like source: ElementReader, _ sourceLinks: UnsafePointer<NodeLinks>?) {
        for _ in 0..<nodes.count { links.append(NodeLinks()) }
        var original = source.index
        for offset in 0..<nodes.count {
            let index = NodeIndex(offset)
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
    }

    /// Copies the names, if they are those of another tree. Call this before a name is interned.
    func makeNamesOwn() {
        if !names.isReadOnly { return }
        var own = NameInterner()
        let old = view
        for index in 0..<nodes.count { nodes[index].name = own.intern(old[nodes[index].name], from: old.nameBytes) }
        for index in 0..<attributes.count {
            attributes[index].name = own.intern(old[attributes[index].name], from: old.nameBytes)
        }
        names = own
        dictionary = nil
        setPacked()
    }
}

extension TreeSize {
    /// The bytes of an editable tree's records, a multiple of 8.
    fileprivate var memory: Int {
        let links = nodes * (MemoryLayout<Node>.stride + MemoryLayout<NodeLinks>.stride)
        return (links + attributes * MemoryLayout<AttributeRecord>.stride + bytes + 7) & ~7
    }
}
