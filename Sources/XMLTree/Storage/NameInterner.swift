// Gives equal names the same index, for trees that are edited or copied. The parser has its own table
// (Parser/Names.swift).

/// Interns names into a `NameTable`. Expected cost of a lookup: two or three keyed hashes and one probe.
struct NameInterner: ~Copyable {
    private var writer: NameWriter
    /// The record index in each used slot: open addressing.
    private var slots: UnsafeMutablePointer<UInt32>
    /// A power of two, at least twice the number of names.
    private var slotCount: Int

    private static let vacant = UInt32.max

    init(expectedNames: Int = NameWriter.leastNames) {
        writer = NameWriter(expectedNames: expectedNames)
        (slots, slotCount) = Self.vacantSlots(writer.table.recordCapacity)
    }

    deinit { slots.deallocate() }

    var table: NameTable { writer.table }

    var count: Int { writer.count }

    /// The bytes of all names, for tests.
    var byteCount: Int { writer.byteCount }

    /// The memory of the table and its index.
    var capacityInBytes: Int { writer.capacityInBytes + slotCount * MemoryLayout<UInt32>.stride }

    /// Returns the index of a name. The caller guarantees valid strings: well-formed UTF-8, legal in XML.
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
        intern(
            NameKeys(of: record), prefix: bytes.string(at: record.prefixReference),
            local: bytes.string(at: record.localReference), namespace: bytes.string(at: record.namespaceReference))
    }

    private mutating func intern(
        _ keys: NameKeys, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>,
        namespace: UnsafeBufferPointer<UInt8>
    ) -> NameIndex {
        let records = writer.table.records
        var slot = Self.slot(keys.expanded, keys.qualified, slotCount)
        while slots[slot] != Self.vacant {
            let index = slots[slot]
            if keys.match(records[Int(index)]) { return NameIndex(rawValue: index) }
            slot = (slot + 1) & (slotCount - 1)
        }
        let index = writer.append(
            keys, prefix: prefix, local: local, namespace: writer.storeNamespace(namespace, key: keys.namespace))
        slots[slot] = index.rawValue
        if count * 2 > slotCount { rehash() }
        return index
    }

    private mutating func rehash() {
        slots.deallocate()
        (slots, slotCount) = Self.vacantSlots(slotCount)
        for index in 0..<count {
            let record = writer.table.records[index]
            var slot = Self.slot(record.expanded, record.qualified, slotCount)
            while slots[slot] != Self.vacant { slot = (slot + 1) & (slotCount - 1) }
            slots[slot] = UInt32(truncatingIfNeeded: index)
        }
    }

    /// Returns slots for this many names. Their number is a power of two.
    private static func vacantSlots(_ names: Int) -> (UnsafeMutablePointer<UInt32>, count: Int) {
        var count = 1
        while count < 2 * names { count *= 2 }
        let slots = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
        slots.initialize(repeating: vacant, count: count)
        return (slots, count)
    }

    /// Returns the slot where the search for a name begins.
    private static func slot(_ expanded: NameKey, _ qualified: NameKey, _ count: Int) -> Int {
        Int(truncatingIfNeeded: expanded.rawValue ^ (qualified.rawValue >> 1)) & (count - 1)
    }
}
