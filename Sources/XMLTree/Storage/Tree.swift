// A frozen tree: one allocation that holds its header, nodes, attributes and bytes.
//
// Made by TreeAssembler.swift and never written again. Who uses it: Element.swift.

/// What stands in front of a frozen tree's storage.
@usableFromInline package struct TreeHeader {
    @usableFromInline package let view: TreeView
    /// What indexes from outside are checked against.
    let nodeCount: Int
    /// Keeps the names that `view` points to.
    let names: NameTable
    /// The bindings around the root; `nil` when there are none.
    package let context: SharedNamespaceContext?
}

/// An immutable tree in one block. Elements hold a reference to it, and so keep it alive.
@usableFromInline package final class Tree: ManagedBuffer<TreeHeader, UInt64> {
    /// Read through a pointer: an access to the class's property would be checked for exclusivity each time.
    @inlinable package var view: TreeView { withUnsafeMutablePointerToHeader { $0.pointee.view } }

    /// Copies collected records into a block of their own.
    static func pack(
        nodes: UnsafeBufferPointer<Node>, attributes: UnsafeBufferPointer<AttributeRecord>,
        bytes: UnsafeBufferPointer<UInt8>, names: NameTable, context: SharedNamespaceContext?
    ) -> Tree {
        let nodeBytes = nodes.count * MemoryLayout<Node>.stride
        let attributeBytes = attributes.count * MemoryLayout<AttributeRecord>.stride
        let words = (nodeBytes + attributeBytes + bytes.count + 7) / 8
        let buffer = Tree.create(minimumCapacity: words) { buffer in
            buffer.withUnsafeMutablePointerToElements { block in
                let start = UnsafeMutableRawPointer(block)
                start.copy(nodes, at: 0)
                start.copy(attributes, at: nodeBytes)
                start.copy(bytes, at: nodeBytes + attributeBytes)
                let view = TreeView(
                    nodes: UnsafePointer((start).assumingMemoryBound(to: Node.self)),
                    attributes: UnsafePointer((start + nodeBytes).assumingMemoryBound(to: AttributeRecord.self)),
                    bytes: UnsafePointer(
                        (start + nodeBytes + attributeBytes).assumingMemoryBound(to: UInt8.self)),
                    names: UnsafePointer(names.records), nameBytes: UnsafePointer(names.bytes))
                return TreeHeader(view: view, nodeCount: nodes.count, names: names, context: context)
            }
        }
        return unsafeDowncast(buffer, to: Tree.self)
    }
}

extension UnsafeMutableRawPointer {
    /// Copies records of a trivial type to `offset`.
    fileprivate func copy<Record: BitwiseCopyable>(_ records: UnsafeBufferPointer<Record>, at offset: Int) {
        guard let source = records.baseAddress else { return }
        (self + offset).copyMemory(from: source, byteCount: records.count * MemoryLayout<Record>.stride)
    }
}
