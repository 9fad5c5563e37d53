// The writer of name tables: gives equal names the same index.
//
// Parsers, builders and editable trees each have one. When its table is full it goes on with a larger copy; trees
// made before keep the old one. Whoever lives long replaces its interner between trees (`count`), so that hostile
// names do not pile up. Reading names is NameTable.swift and TreeView.swift.

/// Interns names into a `NameTable`. Expected cost of a look-up: three keyed hashes and one probe.
struct NameInterner: ~Copyable {
    private(set) var table: NameTable
    private(set) var count = 0
    private(set) var byteCount = 1
    /// Open addressing, a power of two in size; `vacant` marks free slots.
    private var slots: [UInt32]
    /// Namespaces and prefixes repeat: each is stored once.
    private var shared: [NameKey: ByteReference] = [:]

    private static let vacant = UInt32.max

    init(expectedNames: Int = 32) {
        let capacity = max(16, expectedNames)
        table = NameTable(recordCapacity: capacity, byteCapacity: capacity * 32)
        table.bytes[0] = 0
        slots = Array(repeating: Self.vacant, count: (capacity * 2).nextPowerOfTwo)
    }

    /// The index of a name. The strings are taken as valid: well-formed UTF-8, legal in XML.
    mutating func intern(
        _ kind: NameKind, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>,
        namespace: UnsafeBufferPointer<UInt8>
    ) -> NameIndex {
        intern(
            NameKeys(kind, prefix: prefix, local: local, namespace: namespace),
            prefix: prefix, local: local, namespace: namespace)
    }

    /// The index of a name that another table holds: its keys need not be computed again.
    mutating func intern(_ record: NameRecord, from bytes: UnsafePointer<UInt8>) -> NameIndex {
        intern(
            NameKeys(of: record), prefix: bytes.string(at: record.prefixReference),
            local: bytes.string(at: record.localReference), namespace: bytes.string(at: record.namespaceReference))
    }

    /// The memory that table and look-up take.
    var capacityInBytes: Int {
        table.recordCapacity * MemoryLayout<NameRecord>.stride + table.byteCapacity
            + slots.count * MemoryLayout<UInt32>.stride
            + shared.capacity * (MemoryLayout<NameKey>.stride + MemoryLayout<ByteReference>.stride)
    }

    private mutating func intern(
        _ keys: NameKeys, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>,
        namespace: UnsafeBufferPointer<UInt8>
    ) -> NameIndex {
        var slot = keys.slot & (slots.count - 1)
        while slots[slot] != Self.vacant {
            let index = slots[slot]
            if keys.match(table.records[Int(index)]) { return NameIndex(rawValue: index) }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = UInt32(count)
        return append(keys, prefix: prefix, local: local, namespace: namespace)
    }

    private mutating func append(
        _ keys: NameKeys, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>,
        namespace: UnsafeBufferPointer<UInt8>
    ) -> NameIndex {
        if count == table.recordCapacity { growRecords() }
        let record = NameRecord(
            expanded: keys.expanded, local: keys.local, namespace: keys.namespace, qualified: keys.qualified,
            localReference: store(local),
            prefixReference: storeShared(prefix, key: NameKey(.namespace, prefix)),
            namespaceReference: storeShared(namespace, key: keys.namespace),
            kind: keys.kind)
        (table.records + count).initialize(to: record)
        count += 1
        if count * 2 > slots.count { rehash() }
        return NameIndex(rawValue: UInt32(count - 1))
    }

    private mutating func storeShared(_ bytes: UnsafeBufferPointer<UInt8>, key: NameKey) -> ByteReference {
        if let known = shared[key] { return known }
        let reference = store(bytes)
        shared[key] = reference
        return reference
    }

    private mutating func store(_ bytes: UnsafeBufferPointer<UInt8>) -> ByteReference {
        if bytes.isEmpty { return .empty }
        let size = LengthPrefix.size(of: bytes.count) + bytes.count
        if byteCount + size > table.byteCapacity {
            replaceTable(
                recordCapacity: table.recordCapacity, byteCapacity: max(table.byteCapacity * 2, byteCount + size))
        }
        let reference = ByteReference(rawValue: UInt32(byteCount))
        let text = LengthPrefix.write(bytes.count, to: table.bytes + byteCount)
        text.update(from: bytes.baseAddress.unsafelyUnwrapped, count: bytes.count)
        byteCount += size
        return reference
    }

    private mutating func growRecords() {
        replaceTable(recordCapacity: table.recordCapacity * 2, byteCapacity: table.byteCapacity)
    }

    private mutating func replaceTable(recordCapacity: Int, byteCapacity: Int) {
        let larger = NameTable(recordCapacity: recordCapacity, byteCapacity: byteCapacity)
        larger.records.update(from: table.records, count: count)
        larger.bytes.update(from: table.bytes, count: byteCount)
        table = larger
    }

    private mutating func rehash() {
        slots = Array(repeating: Self.vacant, count: slots.count * 2)
        for index in 0..<count {
            var slot = NameKeys.slot(of: table.records[index]) & (slots.count - 1)
            while slots[slot] != Self.vacant { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(index)
        }
    }
}

/// The keys of a name, computed before it is known whether the table holds it.
private struct NameKeys {
    let kind: NameKind
    let local: NameKey
    let namespace: NameKey
    let expanded: NameKey
    let qualified: NameKey

    init(
        _ kind: NameKind, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>,
        namespace: UnsafeBufferPointer<UInt8>
    ) {
        self.kind = kind
        self.local = NameKey(.local, local)
        self.namespace = NameKey(.namespace, namespace)
        switch kind {
        case .element, .attribute:
            expanded = self.namespace + self.local
            qualified = NameKey(qualifiedName: local, prefix: prefix)
        case .declaration:
            // A role of its own: no query for an attribute ever finds a declaration.
            expanded = self.namespace + NameKey(.declaration, local)
            qualified = NameKey(.declaration, local)
        }
    }

    init(of record: NameRecord) {
        kind = record.kind
        local = record.local
        namespace = record.namespace
        expanded = record.expanded
        qualified = record.qualified
    }

    func match(_ record: NameRecord) -> Bool {
        record.kind == kind && record.qualified == qualified && record.expanded == expanded
    }

    var slot: Int { Self.slot(expanded: expanded, qualified: qualified) }

    static func slot(of record: NameRecord) -> Int {
        slot(expanded: record.expanded, qualified: record.qualified)
    }

    private static func slot(expanded: NameKey, qualified: NameKey) -> Int {
        Int(truncatingIfNeeded: expanded.rawValue ^ (qualified.rawValue >> 1))
    }
}

extension NameKey {
    /// The key of `prefix:local`, or of `local` when the prefix is empty.
    package init(qualifiedName local: UnsafeBufferPointer<UInt8>, prefix: UnsafeBufferPointer<UInt8>) {
        if prefix.isEmpty {
            self.init(.qualified, local)
        } else {
            self = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: prefix.count + 1 + local.count) { name in
                _ = name.initialize(fromContentsOf: prefix)
                name[prefix.count] = UInt8(ascii: ":")
                _ = UnsafeMutableBufferPointer(rebasing: name[(prefix.count + 1)...])
                    .initialize(fromContentsOf: local)
                return NameKey(.qualified, UnsafeBufferPointer(name))
            }
        }
    }
}

extension Int {
    /// The least power of two that is not below this number.
    fileprivate var nextPowerOfTwo: Int {
        self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
    }
}
