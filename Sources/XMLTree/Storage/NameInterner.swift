// Gives equal names the same index, for trees that are edited or copied. The parser has its own table
// (Parser/Names.swift).

/// Interns names into a `NameTable`. Expected cost of a lookup: two or three keyed hashes and one probe, or a
/// comparison with each of few names.
struct NameInterner: ~Copyable {
    private var writer: NameWriter
    /// The record index in each used slot: open addressing. `nil` for few names.
    private var slots: UnsafeMutablePointer<UInt32>?
    /// A power of two, at least twice the number of names.
    private var slotCount = 0
    /// Whether another writer may append to the table. Then this interner only reads it.
    let isReadOnly: Bool

    private static let vacant = UInt32.max

    /// - Parameter spareBytes: The memory in the table that its first user gets, a multiple of 8.
    init(expectedNames: Int = NameWriter.fewNames, spareBytes: Int = 0) {
        writer = NameWriter(expectedNames: expectedNames, spareBytes: spareBytes)
        isReadOnly = false
    }

    /// Reads another interner's table. Interning a name is a mistake.
    init(reading table: NameTable) {
        writer = NameWriter(reading: table)
        isReadOnly = true
    }

    deinit { slots?.deallocate() }

    var table: NameTable { writer.table }

    var count: Int { writer.count }

    /// The bytes of all names, for tests.
    var byteCount: Int { writer.byteCount }

    /// The memory of the table and its index.
    var capacityInBytes: Int { writer.capacityInBytes + slotCount * MemoryLayout<UInt32>.stride }

    /// Returns the index of a name. The caller guarantees valid strings: well-formed UTF-8, legal in XML.
    @inline(never)
    mutating func intern(
        _ kind: NameKind, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>,
        namespace: UnsafeBufferPointer<UInt8>
    ) -> NameIndex {
        let namespaceKey = namespace.isEmpty ? .noNamespace : NameKey(.namespace, namespace)
        return intern(
            NameKeys(kind, prefix: prefix, local: local, namespace: namespaceKey),
            prefix: prefix, local: local, namespace: namespace)
    }

    /// Returns the index of a name of another table, whose keys need not be computed again.
    mutating func intern(_ record: NameRecord, from bytes: UnsafePointer<UInt8>) -> NameIndex {
        let keys = NameKeys(of: record)
        if let known = find(keys) { return known }
        return append(
            keys, prefix: bytes.string(at: record.prefixReference),
            local: bytes.string(at: record.localReference), namespace: bytes.string(at: record.namespaceReference))
    }

    /// Returns the index of an element's name without a prefix, in the namespace of another name of this table.
    mutating func intern(_ name: NameIndex, inNamespaceOf other: NameIndex) -> NameIndex {
        // The strings are in the table that grows, so it must live as long as they are used.
        let table = table
        defer { withExtendedLifetime(table) {} }
        let records = table.records
        let (own, other) = (records[Int(name.rawValue)], records[Int(other.rawValue)])
        let bytes = UnsafePointer(table.bytes)
        let local = bytes.string(at: own.localReference)
        return intern(
            NameKeys(.element, prefix: .empty, local: local, localKey: own.local, namespace: other.namespace),
            prefix: .empty, local: local, namespace: bytes.string(at: other.namespaceReference))
    }

    /// Returns the index of an element's name without a prefix, in the namespace of a name of this table. The caller
    /// guarantees a valid local name.
    mutating func intern(_ local: UnsafeBufferPointer<UInt8>, inNamespaceOf other: NameIndex) -> NameIndex {
        // As above.
        let table = table
        defer { withExtendedLifetime(table) {} }
        let other = table.records[Int(other.rawValue)]
        let namespace = UnsafePointer(table.bytes).string(at: other.namespaceReference)
        return intern(
            NameKeys(.element, prefix: .empty, local: local, namespace: other.namespace),
            prefix: .empty, local: local, namespace: namespace)
    }

    private mutating func intern(
        _ keys: NameKeys, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>,
        namespace: UnsafeBufferPointer<UInt8>
    ) -> NameIndex {
        find(keys) ?? append(keys, prefix: prefix, local: local, namespace: namespace)
    }

    private mutating func append(
        _ keys: NameKeys, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>,
        namespace: UnsafeBufferPointer<UInt8>
    ) -> NameIndex {
        let index = writer.append(
            keys, prefix: prefix, local: local, namespace: writer.storeNamespace(namespace, key: keys.namespace))
        if count > NameWriter.fewNames { insert(index) }
        return index
    }

    /// Returns the index of a name that the table has. The caller appends the name if the table has not.
    private func find(_ keys: NameKeys) -> NameIndex? {
        precondition(!isReadOnly, "a table has one writer")
        let records = writer.table.records
        guard let slots else {
            for index in 0..<count where keys.match(records[index]) { return Self.index(index) }
            return nil
        }
        var slot = Self.slot(keys.expanded, keys.qualified, slotCount)
        while slots[slot] != Self.vacant {
            if keys.match(records[Int(slots[slot])]) { return NameIndex(rawValue: slots[slot]) }
            slot = (slot + 1) & (slotCount - 1)
        }
        return nil
    }

    private mutating func insert(_ index: NameIndex) {
        if count * 2 > slotCount { return rehash() }
        place(index)
    }

    private mutating func rehash() {
        slots?.deallocate()
        slotCount = 1
        while slotCount < 4 * count { slotCount *= 2 }
        slots = .allocate(capacity: slotCount)
        slots?.initialize(repeating: Self.vacant, count: slotCount)
        for index in 0..<count { place(Self.index(index)) }
    }

    private func place(_ index: NameIndex) {
        guard let slots else { return }
        let record = writer.table.records[Int(index.rawValue)]
        var slot = Self.slot(record.expanded, record.qualified, slotCount)
        while slots[slot] != Self.vacant { slot = (slot + 1) & (slotCount - 1) }
        slots[slot] = index.rawValue
    }

    private static func index(_ index: Int) -> NameIndex { NameIndex(rawValue: UInt32(truncatingIfNeeded: index)) }

    /// Returns the slot where the search for a name begins.
    private static func slot(_ expanded: NameKey, _ qualified: NameKey, _ count: Int) -> Int {
        Int(truncatingIfNeeded: expanded.rawValue ^ (qualified.rawValue >> 1)) & (count - 1)
    }
}
