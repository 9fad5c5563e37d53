// A frozen tree: nodes, attributes and bytes after a header in one allocation. A large tree keeps the blocks in which
// they were collected.
//
// TreeAssembler.swift and TreeCopying.swift make it, and no code writes it again. Element.swift uses it.

/// The header of a frozen tree's storage.
@usableFromInline package struct TreeHeader {
    @usableFromInline let nodes: UnsafePointer<Node>
    @usableFromInline let attributes: UnsafePointer<AttributeRecord>
    @usableFromInline let bytes: UnsafePointer<UInt8>
    /// The names that nodes and attributes refer to, and the bindings around the root.
    @usableFromInline let dictionary: TreeDictionary
    /// The bound for indexes from outside.
    let nodeCount: UInt32
    /// Whether nodes, attributes and bytes have their own blocks, which are freed with the tree.
    let hasOwnBlocks: Bool
}

/// An immutable tree. Elements hold a reference to it, and so keep it alive.
@usableFromInline package final class Tree: ManagedBuffer<TreeHeader, UInt64> {
    /// Reads through a pointer: Swift would check each access to the class's property for exclusivity.
    @inlinable package var view: TreeView {
        withUnsafeMutablePointerToHeader { header in
            TreeView(
                nodes: header.pointee.nodes, attributes: header.pointee.attributes, bytes: header.pointee.bytes,
                names: header.pointee.dictionary.records, nameBytes: header.pointee.dictionary.nameBytes)
        }
    }

    /// The names and the bindings around the root.
    var dictionary: TreeDictionary { withUnsafeMutablePointerToHeader { $0.pointee.dictionary } }

    /// Makes a tree in one block.
    ///
    /// - Parameter write: Writes all records, and returns the dictionary.
    @inline(__always)
    static func make(_ size: TreeSize, _ write: (TreeMemory) -> TreeDictionary) -> Tree {
        let nodeBytes = size.nodes * MemoryLayout<Node>.stride
        let attributeBytes = size.attributes * MemoryLayout<AttributeRecord>.stride
        let words = (nodeBytes + attributeBytes + size.bytes + 7) / 8
        let buffer = Tree.create(minimumCapacity: words) { buffer in
            buffer.withUnsafeMutablePointerToElements { block in
                // The block is raw memory for three kinds of records: only these pointers read and write it, and no
                // record is a reference.
                let start = UnsafeMutableRawPointer(block)
                let memory = TreeMemory(
                    nodes: start.assumingMemoryBound(to: Node.self),
                    attributes: (start + nodeBytes).assumingMemoryBound(to: AttributeRecord.self),
                    bytes: (start + nodeBytes + attributeBytes).assumingMemoryBound(to: UInt8.self))
                let dictionary = write(memory)
                return TreeHeader(
                    nodes: UnsafePointer(memory.nodes), attributes: UnsafePointer(memory.attributes),
                    bytes: UnsafePointer(memory.bytes), dictionary: dictionary,
                    nodeCount: UInt32(truncatingIfNeeded: size.nodes), hasOwnBlocks: false)
            }
        }
        return unsafeDowncast(buffer, to: Tree.self)
    }

    /// Copies collected records into one block.
    static func packing(_ records: TreeMemory, _ size: TreeSize, _ dictionary: TreeDictionary) -> Tree {
        make(size) { memory in
            memory.nodes.initialize(from: records.nodes, count: size.nodes)
            memory.attributes.initialize(from: records.attributes, count: size.attributes)
            memory.bytes.initialize(from: records.bytes, count: size.bytes)
            return dictionary
        }
    }

    /// Takes over blocks that `Records.take` returned.
    static func adopting(_ records: TreeMemory, _ size: TreeSize, _ dictionary: TreeDictionary) -> Tree {
        let buffer = Tree.create(minimumCapacity: 0) { _ in
            TreeHeader(
                nodes: UnsafePointer(records.nodes), attributes: UnsafePointer(records.attributes),
                bytes: UnsafePointer(records.bytes), dictionary: dictionary,
                nodeCount: UInt32(truncatingIfNeeded: size.nodes), hasOwnBlocks: true)
        }
        return unsafeDowncast(buffer, to: Tree.self)
    }

    deinit {
        withUnsafeMutablePointerToHeader { header in
            guard header.pointee.hasOwnBlocks else { return }
            Records.free(header.pointee.nodes)
            Records.free(header.pointee.attributes)
            Records.free(header.pointee.bytes)
        }
    }
}

/// The names that trees refer to, and the bindings around their roots.
///
/// Sendable although it holds pointers into a table: no code writes the names that a built tree refers to.
@usableFromInline package final class TreeDictionary: @unchecked Sendable {
    let names: NameTable
    /// `nil` if the trees have no bindings around them.
    let context: SharedNamespaceContext?
    /// The table's records: this saves a load.
    @usableFromInline let records: UnsafePointer<NameRecord>
    @usableFromInline let nameBytes: UnsafePointer<UInt8>

    init(names: NameTable, context: SharedNamespaceContext?) {
        self.names = names
        self.context = context
        records = UnsafePointer(names.records)
        nameBytes = UnsafePointer(names.bytes)
    }
}
