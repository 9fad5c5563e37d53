// The storage of one editable tree: the records of Node.swift in growing heaps, with the links that editing needs.
//
// An arena holds one tree; `remove()` splits it in two. Handles are MutableElement's. The other files of this folder
// that begin with this name do the work: +Memory (allocation and packing), +Structure (links), +Records (names, text,
// attributes), +Copying (subtrees from elsewhere), +Splitting.
//
// Rules: node indices are stable within one operation, and change only in `trim()` at its end. References to bytes and
// rows of attributes change whenever room is reserved, and are read again afterwards.

/// The extra record of an editable tree for each node.
struct NodeLinks: BitwiseCopyable {
    var previous = NodeIndex.none
    var lastChild = NodeIndex.none
    /// The element's one handle, while it exists. The handle clears this in its deinitializer.
    var handle: Unmanaged<MutableElement>?
    /// The element was built without a namespace and has not been added to a parent that could give it one. Its
    /// ancestors are in the same state.
    var inheritsNamespace = false
}

/// An arena with one tree.
package final class MutableTree {
    // Accesses are not checked for overlaps while the program runs, which cost a quarter of building a stanza. Whether
    // they overlap is seen in this folder and in Building alone: nothing else writes these fields, a mutating call on
    // one of them is given values and pointers, never a closure or the tree, and a tree belongs to one isolation
    // domain.
    @exclusivity(unchecked) var nodes = RecordHeap<Node>(capacity: minimumNodes)
    @exclusivity(unchecked) var links = RecordHeap<NodeLinks>(capacity: minimumNodes)
    @exclusivity(unchecked) var attributes = RecordHeap<AttributeRecord>(capacity: minimumAttributes)
    @exclusivity(unchecked) var bytes = RecordHeap<UInt8>(capacity: minimumBytes)
    @exclusivity(unchecked) var names = NameInterner(expectedNames: 8)
    /// How many names were in use when that was counted last, and how many nodes and attributes used them.
    @exclusivity(unchecked) var usedNames = (count: 0, users: 0)
    /// How many prefixes the elements of this tree declare.
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

    /// The storage as the machine, the writer and the readers see it. Valid until the next edit.
    package var view: TreeView {
        TreeView(
            nodes: UnsafePointer(nodes.base), attributes: UnsafePointer(attributes.base),
            bytes: UnsafePointer(bytes.base), names: UnsafePointer(names.table.records),
            nameBytes: UnsafePointer(names.table.bytes))
    }

    func reader(at index: NodeIndex) -> ElementReader {
        ElementReader(view: view, index: index, bindings: bindings)
    }

    /// The bindings in scope around an element. Constant time in a tree that declares no prefix.
    func surroundings(at index: NodeIndex) -> SharedNamespaceContext? {
        declarationCount == 0 ? bindings : reader(at: index).surroundings
    }

    /// The handle of an element: the same object as long as any code holds it.
    func handle(at index: NodeIndex) -> MutableElement {
        if let handle = links.base[index.offset].handle { return handle.takeUnretainedValue() }
        return MutableElement(tree: self, index: index)
    }
}
