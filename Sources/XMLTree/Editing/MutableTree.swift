// The storage of one editable tree: the records of Node.swift in growing heaps, with the links that editing needs.
//
// An arena holds one tree; `remove()` splits it in two. MutableElement is the handle. The other files of this folder
// whose names begin with MutableTree do the work: +Memory (allocation and packing), +Structure (links), +Records
// (names, text, attributes), +Copying (subtrees of other trees), +Splitting.
//
// Rules: node indexes are stable within one operation, and change only in `trim()` at its end. References to bytes and
// rows of attributes change whenever room is reserved: read them again afterwards.

/// The extra record of an editable tree for each node.
struct NodeLinks: BitwiseCopyable {
    var previous = NodeIndex.none
    var lastChild = NodeIndex.none
    /// The element's one handle, while it exists. The handle clears this in its deinitializer.
    var handle: Unmanaged<MutableElement>?
    /// Whether the element was built without a namespace, and no parent has given it one yet. Its ancestors wait, too.
    var inheritsNamespace = false
}

/// An arena with one tree.
package final class MutableTree {
    // Swift does not check these accesses for overlaps at run time, which would cost a quarter of building a stanza.
    // This folder and Building show that they do not overlap: no other code writes these fields. A mutating call on one
    // of them gets values and pointers, never a closure or the tree. A tree belongs to one isolation domain.
    @exclusivity(unchecked) var nodes: RecordHeap<Node>
    @exclusivity(unchecked) var links: RecordHeap<NodeLinks>
    @exclusivity(unchecked) var attributes: RecordHeap<AttributeRecord>
    @exclusivity(unchecked) var bytes: RecordHeap<UInt8>
    /// Read only until the first new name, if they are those of the tree that this one was copied from.
    @exclusivity(unchecked) var names: NameInterner
    /// The number of names in use at the last count, and the number of nodes and attributes that used them.
    @exclusivity(unchecked) var usedNames = (count: 0, users: 0)
    /// The number of prefixes that the elements of this tree declare.
    @exclusivity(unchecked) var declarationCount = 0
    /// A list of free nodes, linked by `next`.
    @exclusivity(unchecked) var freeNodes = NodeIndex.none
    @exclusivity(unchecked) var root = NodeIndex.none
    /// The bindings around the root.
    @exclusivity(unchecked) var bindings: SharedNamespaceContext?
    /// Keeps the memory alive in which small heaps begin: the spare memory of this table.
    private let firstMemory: NameTable?

    /// An empty arena. It takes one allocation, for the first names and records.
    init() {
        let sizes = TreeSize(
            nodes: Self.minimumNodes, attributes: Self.minimumAttributes, bytes: Self.minimumBytes)
        names = NameInterner(spareBytes: sizes.heapBytes)
        let table = names.table
        firstMemory = table
        var place = table.spare
        nodes = RecordHeap(capacity: sizes.nodes, in: &place)
        links = RecordHeap(capacity: sizes.nodes, in: &place)
        attributes = RecordHeap(capacity: sizes.attributes, in: &place)
        bytes = RecordHeap(capacity: sizes.bytes, in: &place)
        bytes.base[0] = 0
        bytes.end = 1
        bytes.live = 1
    }

    /// A copy of an element, with all bindings in scope.
    ///
    /// - Parameters:
    ///   - table: The names of the source. The copy shares them, unless they are far more than it needs.
    ///   - sourceLinks: The links of the source, if it is editable. They show which elements wait for a namespace.
    init(copying source: ElementReader, names table: NameTable, links sourceLinks: UnsafePointer<NodeLinks>? = nil) {
        let size = source.size(sharingRuns: false)
        // Room for a few edits.
        let sizes = TreeSize(
            nodes: size.nodes + Self.minimumNodes / 2, attributes: size.attributes + Self.minimumAttributes / 2,
            bytes: size.bytes + Self.minimumBytes / 2)
        precondition(
            sizes.isRepresentable,
            "a tree holds fewer than 2³² elements and attributes and at most 4 GiB of text and values")
        if sizes.heapBytes <= Self.largestSharedMemory {
            let memory = NameTable.make(recordCapacity: 0, byteCapacity: 0, spareBytes: sizes.heapBytes)
            firstMemory = memory
            var place = memory.spare
            nodes = RecordHeap(capacity: sizes.nodes, in: &place)
            links = RecordHeap(capacity: sizes.nodes, in: &place)
            attributes = RecordHeap(capacity: sizes.attributes, in: &place)
            bytes = RecordHeap(capacity: sizes.bytes, in: &place)
        } else {
            firstMemory = nil
            nodes = RecordHeap(capacity: sizes.nodes)
            links = RecordHeap(capacity: sizes.nodes)
            attributes = RecordHeap(capacity: sizes.attributes)
            bytes = RecordHeap(capacity: sizes.bytes)
        }
        var ownNames = table.interner(forCopyOf: size.nodes + size.attributes)
        source.copy(
            to: TreeMemory(nodes: nodes.base, attributes: attributes.base, bytes: bytes.base), renaming: &ownNames,
            sharingRuns: false)
        names = ownNames.take() ?? NameInterner(reading: table)
        (nodes.end, nodes.live) = (size.nodes, size.nodes)
        (links.end, links.live) = (size.nodes, size.nodes)
        (attributes.end, attributes.live) = (size.attributes, size.attributes)
        (bytes.end, bytes.live) = (size.bytes, size.bytes)
        root = .root
        usedNames.users = size.nodes + size.attributes
        bindings = source.surroundings
        linkCopy(of: source, sourceLinks)
    }

    /// The storage for the query machine, the writer and the readers. Valid until the next edit.
    package var view: TreeView {
        TreeView(
            nodes: UnsafePointer(nodes.base), attributes: UnsafePointer(attributes.base),
            bytes: UnsafePointer(bytes.base), names: UnsafePointer(names.table.records),
            nameBytes: UnsafePointer(names.table.bytes))
    }

    func reader(at index: NodeIndex) -> ElementReader {
        ElementReader(view: view, index: index, bindings: bindings)
    }

    /// Returns the bindings in scope around an element. Constant time in a tree that declares no prefix.
    func surroundings(at index: NodeIndex) -> SharedNamespaceContext? {
        declarationCount == 0 ? bindings : reader(at: index).surroundings
    }

    /// Returns the handle of an element: the same object as long as any code holds it.
    func handle(at index: NodeIndex) -> MutableElement {
        if let handle = links.base[index.offset].handle { return handle.takeUnretainedValue() }
        return MutableElement(tree: self, index: index)
    }
}
