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
    /// The element's one handle, while it exists. The handle clears this in its deinitializer. So it is alive here
    /// until the caller has retained it: all code that could release it runs on the tree's one domain.
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
    /// The dictionary of the frozen tree whose names this one reads: frozen copies share it.
    @exclusivity(unchecked) var dictionary: TreeDictionary?
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
    let firstMemory: NameTable?

    /// Begins with heaps of these capacities.
    ///
    /// - Parameter memory: The spare memory of this table becomes the first memory of the heaps.
    @inline(__always)
    init(_ sizes: TreeSize, names: consuming NameInterner, in memory: NameTable?) {
        self.names = names
        firstMemory = memory
        var place = memory?.spare
        nodes = RecordHeap(capacity: sizes.nodes, in: &place)
        links = RecordHeap(capacity: sizes.nodes, in: &place)
        attributes = RecordHeap(capacity: sizes.attributes, in: &place)
        bytes = RecordHeap(capacity: sizes.bytes, in: &place)
    }

    /// An empty arena. It takes one allocation, for the first names and records.
    convenience init() {
        self.init(
            TreeSize(nodes: Self.minimumNodes, attributes: Self.minimumAttributes, bytes: Self.minimumBytes),
            names: NameWriter.fewNames)
    }

    /// An empty arena for an element without children, in which this number of attributes and a declaration fit. With
    /// few attributes it is small: the allocator is faster with such blocks.
    convenience init(attributes count: Int) {
        if count > Self.minimumAttributes {
            self.init()
        } else {
            self.init(
                TreeSize(nodes: 2, attributes: count + 2, bytes: Self.minimumBytes / 2), names: count + 4)
        }
    }

    private convenience init(_ sizes: TreeSize, names: Int) {
        let names = NameInterner(expectedNames: names, spareBytes: sizes.heapBytes)
        let table = names.table
        self.init(sizes, names: names, in: table)
        bytes.base[0] = 0
        bytes.end = 1
        bytes.live = 1
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
}
