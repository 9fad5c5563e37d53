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
    @exclusivity(unchecked) var nodes = RecordHeap<Node>(capacity: minimumNodes)
    @exclusivity(unchecked) var links = RecordHeap<NodeLinks>(capacity: minimumNodes)
    @exclusivity(unchecked) var attributes = RecordHeap<AttributeRecord>(capacity: minimumAttributes)
    @exclusivity(unchecked) var bytes = RecordHeap<UInt8>(capacity: minimumBytes)
    @exclusivity(unchecked) var names = NameInterner(expectedNames: 8)
    /// The number of names in use at the last count, and the number of nodes and attributes that used them.
    @exclusivity(unchecked) var usedNames = (count: 0, users: 0)
    /// The number of prefixes that the elements of this tree declare.
    @exclusivity(unchecked) var declarationCount = 0
    /// A list of free nodes, linked by `next`.
    @exclusivity(unchecked) var freeNodes = NodeIndex.none
    @exclusivity(unchecked) var root = NodeIndex.none
    /// The bindings around the root.
    @exclusivity(unchecked) var bindings: SharedNamespaceContext?

    init() {
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

    /// Returns the handle of an element: the same object as long as any code holds it.
    func handle(at index: NodeIndex) -> MutableElement {
        if let handle = links.base[index.offset].handle { return handle.takeUnretainedValue() }
        return MutableElement(tree: self, index: index)
    }
}
