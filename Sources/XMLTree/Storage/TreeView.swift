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
    package subscript(_ index: NodeIndex) -> Node { @inline(__always) unsafeAddress { nodes + index.offset } }

    @inlinable @inline(__always)
    package subscript(_ index: NameIndex) -> NameRecord {
        @inline(__always) unsafeAddress { names + index.offset }
    }

    @inlinable @inline(__always)
    package func name(of node: NodeIndex) -> NameRecord { self[self[node].name] }

    @inlinable @inline(__always)
    package func string(_ reference: ByteReference) -> UnsafeBufferPointer<UInt8> { bytes.string(at: reference) }

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
        for record in attributeRecords(of: node) where self[record.name].expanded == key { return record.value }
        return nil
    }
}

// MARK: Text, read without building a string where possible (rule 1.4)

extension TreeView {
    /// Whether the element has any own text.
    package func hasText(_ node: NodeIndex) -> Bool {
        if !self[node].text.isEmpty { return true }
        var child = self[node].firstChild
        while child != .none {
            if !self[child].tail.isEmpty { return true }
            child = self[child].next
        }
        return false
    }

    /// Whether the own text is exactly `expected`. Allocates no memory.
    package func hasText(_ node: NodeIndex, equalTo expected: UnsafeBufferPointer<UInt8>) -> Bool {
        var rest = expected[...]
        var isEqual = true
        forEachTextRun(of: node) { run in
            isEqual = isEqual && rest.starts(with: run)
            rest = rest.dropFirst(run.count)
        }
        return isEqual && rest.isEmpty
    }

    /// Passes the own text as one piece of bytes. Joins several runs in temporary storage. Passes no bytes if the
    /// element has no own text.
    package func withText<Result>(of node: NodeIndex, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var (last, byteCount, runs) = (UnsafeBufferPointer<UInt8>.empty, 0, 0)
        forEachTextRun(of: node) { run in
            last = run
            byteCount += run.count
            runs += 1
        }
        if runs <= 1 { return body(last) }
        var joined: [UInt8] = []
        joined.reserveCapacity(byteCount)
        forEachTextRun(of: node) { joined.append(contentsOf: $0) }
        return joined.withUnsafeBufferPointer(body)
    }

    /// Returns the own text as a string; empty if the element has none.
    package func textString(of node: NodeIndex) -> String {
        withText(of: node) { String(decoding: $0, as: UTF8.self) }
    }

    @inline(__always)
    private func forEachTextRun(of node: NodeIndex, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if !self[node].text.isEmpty { body(string(self[node].text)) }
        var child = self[node].firstChild
        while child != .none {
            if !self[child].tail.isEmpty { body(string(self[child].tail)) }
            child = self[child].next
        }
    }
}
