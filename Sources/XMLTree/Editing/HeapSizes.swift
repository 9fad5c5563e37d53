// The sizes of the heaps of an editable tree.

/// Capacities of the four heaps.
struct HeapSizes {
    var nodes: Int
    var attributes: Int
    var bytes: Int

    /// Those of a new tree: a stanza with a few children has room in them.
    static let first = HeapSizes(
        nodes: MutableTree.minimumNodes, attributes: MutableTree.minimumAttributes, bytes: MutableTree.minimumBytes)

    /// The memory for all heaps, a multiple of 8.
    var memory: Int {
        let records =
            nodes * (MemoryLayout<Node>.stride + MemoryLayout<NodeLinks>.stride)
            + attributes * MemoryLayout<AttributeRecord>.stride
        return (records + bytes + 7) & ~7
    }
}
