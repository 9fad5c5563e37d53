// Read access to a tree's storage: five pointers, valid as long as their tree is alive and not edited.
//
// Serializer, equality, data forms and the query machine read trees through this. It owns no memory and checks nothing:
// its callers hold the tree.

/// Borrowed access to a tree's storage.
@usableFromInline package struct TreeView: BitwiseCopyable {
    @usableFromInline package let nodes: UnsafePointer<Node>
    @usableFromInline package let attributes: UnsafePointer<AttributeRecord>
    @usableFromInline package let bytes: UnsafePointer<UInt8>
    @usableFromInline package let names: UnsafePointer<NameRecord>
    @usableFromInline package let nameBytes: UnsafePointer<UInt8>

    @inlinable package init(
        nodes: UnsafePointer<Node>, attributes: UnsafePointer<AttributeRecord>, bytes: UnsafePointer<UInt8>,
        names: UnsafePointer<NameRecord>, nameBytes: UnsafePointer<UInt8>
    ) {
        self.nodes = nodes
        self.attributes = attributes
        self.bytes = bytes
        self.names = names
        self.nameBytes = nameBytes
    }
}

extension TreeView {
    @inlinable @inline(__always)
    package subscript(_ index: NodeIndex) -> Node {
        @inline(__always) unsafeAddress { nodes + index.offset }
    }

    @inlinable @inline(__always)
    package subscript(_ index: NameIndex) -> NameRecord {
        @inline(__always) unsafeAddress { names + Int(index.rawValue) }
    }

    @inlinable @inline(__always)
    package func name(of node: NodeIndex) -> NameRecord { self[self[node].name] }

    @inlinable @inline(__always)
    package func string(_ reference: ByteReference) -> UnsafeBufferPointer<UInt8> {
        bytes.string(at: reference)
    }

    @inlinable package func localName(of node: NodeIndex) -> UnsafeBufferPointer<UInt8> {
        nameBytes.string(at: self[self[node].name].localReference)
    }

    /// Empty if the element has no namespace.
    @inlinable package func namespace(of node: NodeIndex) -> UnsafeBufferPointer<UInt8> {
        nameBytes.string(at: self[self[node].name].namespaceReference)
    }

    /// The records of the attributes and of the declared prefixes, in document order.
    @inlinable package func attributeRecords(of node: NodeIndex) -> UnsafeBufferPointer<AttributeRecord> {
        UnsafeBufferPointer(
            start: attributes + Int(self[node].attributes), count: Int(self[node].attributeCount))
    }

    /// Returns the value of the attribute that was written with this qualified name.
    @inlinable @inline(__always)
    package func attribute(qualified key: NameKey, of node: NodeIndex) -> ByteReference? {
        var record = attributes + Int(self[node].attributes)
        let end = record + Int(self[node].attributeCount)
        while record != end {
            if self[record.pointee.name].qualified == key { return record.pointee.value }
            record += 1
        }
        return nil
    }

    /// Returns the value of the attribute with this namespace and local name.
    @inlinable package func attribute(expanded key: NameKey, of node: NodeIndex) -> ByteReference? {
        for record in attributeRecords(of: node) where self[record.name].expanded == key {
            return record.value
        }
        return nil
    }
}
