// From the pointers that libxml2 hands out for names to records of the name table.
//
// libxml2 interns names, prefixes and namespaces: in one context equal strings have equal addresses. So the hot path
// compares three pointers and never looks at a string. Valid for one context. Who asks: ParserState+Names.swift.

/// A name as libxml2 passes it: interned, NUL-terminated strings.
struct InternedName: BitwiseCopyable {
    let kind: NameKind
    let local: UnsafePointer<UInt8>?
    let prefix: UnsafePointer<UInt8>?
    let namespace: UnsafePointer<UInt8>?
}

/// The names of a table, found by libxml2's pointers.
struct NameCache: ~Copyable {
    /// What a name is compared with. Entries stand in the order in which names came, so that those of one stanza lie
    /// together, and one that comes often lies among others that do.
    struct Entry: BitwiseCopyable {
        fileprivate let local: UInt64
        /// The prefix and the kind, which is in the highest bits, where no address has any.
        fileprivate let prefixAndKind: UInt64
        fileprivate let namespace: UInt64
        /// Namespace and local name.
        let key: NameKey
    }

    private var writer: NameWriter
    private var entries: UnsafeMutablePointer<Entry>
    /// Open addressing: in each slot the number of an entry, or `vacant`.
    private var slots: UnsafeMutablePointer<UInt32>
    /// A power of two.
    private var slotCount: Int
    private var namespaces = NamespaceCache()

    private static let vacant = UInt32.max
    /// Slots for each name. Most of them are vacant, so that the first one that is looked at is the right one.
    private static let slotsPerName = 4

    init(expectedNames: Int = NameWriter.leastNames) {
        writer = NameWriter(expectedNames: expectedNames)
        entries = .allocate(capacity: writer.table.recordCapacity)
        slotCount = Self.slotsPerName * writer.table.recordCapacity
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: Self.vacant, count: slotCount)
    }

    deinit {
        entries.deallocate()
        slots.deallocate()
    }

    var table: NameTable { writer.table }

    /// The number of distinct names.
    var count: Int { writer.count }

    /// The key of a name that was found.
    @inline(__always)
    func key(of index: NameIndex) -> NameKey { entries[Int(index.rawValue)].key }

    /// The index of a name, if the table has it.
    @inline(__always)
    func find(_ name: InternedName) -> NameIndex? {
        let local = name.localAddress
        let namespace = name.namespaceAddress
        let prefixAndKind = name.prefixAndKind
        var slot = Self.slot(local, namespace, prefixAndKind, slotCount)
        while true {
            let index = slots[slot]
            if index == Self.vacant { return nil }
            let entry = entries + Int(index)
            if entry.pointee.local == local && entry.pointee.namespace == namespace
                && entry.pointee.prefixAndKind == prefixAndKind
            {
                return NameIndex(rawValue: index)
            }
            slot = (slot &+ 1) & (slotCount &- 1)
        }
    }

    /// Adds a name that `find` did not find; `nil` when one of its parts is longer than allowed.
    mutating func insert(_ name: InternedName, maximumLength: Int) -> NameIndex? {
        let local = UnsafeBufferPointer.terminated(name.local)
        let prefix = UnsafeBufferPointer.terminated(name.prefix)
        let length = local.count + (prefix.isEmpty ? 0 : prefix.count + 1)
        guard length <= maximumLength, let namespace = namespaces.find(name.namespace, maximumLength, &writer) else {
            return nil
        }
        let keys = NameKeys(name.kind, prefix: prefix, local: local, namespace: namespace.key)
        if writer.count == writer.table.recordCapacity { reserve(2 * writer.count) }
        let index = writer.append(keys, prefix: prefix, local: local, namespace: namespace.reference)
        let entry = Entry(
            local: name.localAddress, prefixAndKind: name.prefixAndKind, namespace: name.namespaceAddress,
            key: keys.expanded)
        (entries + Int(index.rawValue)).initialize(to: entry)
        place(index)
        return index
    }

    /// Whether the table has little room left.
    @inline(__always)
    var isNearlyFull: Bool { writer.isNearlyFull }

    /// Makes room for the names of further trees, between two trees. A tree keeps its table alive, and so all names of
    /// it: a table grows up to a measure, and then an empty one takes its place.
    @inline(never)
    mutating func renewTable() {
        let room = writer.table.recordCapacity
        if room < Renewal.tableNames && writer.table.byteCapacity <= Renewal.tableBytes {
            reserve(min(room * 4, Renewal.tableNames))
        } else {
            self = NameCache(expectedNames: Renewal.tableNames)
        }
    }

    /// Forgets all names: their context has ended. Trees keep the table.
    mutating func removeAll() {
        if count > 0 { self = NameCache() }
    }

    private mutating func reserve(_ names: Int) {
        writer.reserve(names)
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: writer.table.recordCapacity)
        larger.moveInitialize(from: entries, count: count)
        entries.deallocate()
        entries = larger
        slots.deallocate()
        while slotCount < Self.slotsPerName * writer.table.recordCapacity { slotCount *= 2 }
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: Self.vacant, count: slotCount)
        for index in 0..<count { place(NameIndex(rawValue: UInt32(truncatingIfNeeded: index))) }
    }

    private func place(_ index: NameIndex) {
        let entry = entries[Int(index.rawValue)]
        var slot = Self.slot(entry.local, entry.namespace, entry.prefixAndKind, slotCount)
        while slots[slot] != Self.vacant { slot = (slot &+ 1) & (slotCount &- 1) }
        slots[slot] = index.rawValue
    }

    /// Addresses differ in their low bits; the multiplications bring all of them to the bits that count.
    @inline(__always)
    private static func slot(_ local: UInt64, _ namespace: UInt64, _ prefixAndKind: UInt64, _ count: Int) -> Int {
        let mixed = (local ^ prefixAndKind >> 8) &* 0x9E37_79B9_7F4A_7C15 ^ namespace &* 0xC2B2_AE3D_27D4_EB4F
        return Int(truncatingIfNeeded: mixed >> 32) & (count &- 1)
    }
}

/// The namespaces of the last names, by libxml2's pointers: new names mostly have one of them.
private struct NamespaceCache {
    struct Entry {
        var address: UnsafePointer<UInt8>?
        var key: NameKey
        var reference: ByteReference
    }

    private var first = Entry(address: nil, key: NameKey(rawValue: 0), reference: .empty)
    private var second = Entry(address: nil, key: NameKey(rawValue: 0), reference: .empty)

    /// Where a namespace stands, and its key; `nil` when it is longer than allowed.
    mutating func find(
        _ address: UnsafePointer<UInt8>?, _ maximumLength: Int, _ writer: inout NameWriter
    ) -> (key: NameKey, reference: ByteReference)? {
        guard let address else { return (.noNamespace, .empty) }
        if address != first.address {
            swap(&first, &second)
            if address != first.address {
                let namespace = address.terminated
                guard namespace.count <= maximumLength else { return nil }
                let key = namespace.isEmpty ? .noNamespace : NameKey(.namespace, namespace)
                first = Entry(address: address, key: key, reference: writer.storeNamespace(namespace, key: key))
            }
        }
        return (first.key, first.reference)
    }
}

extension InternedName {
    @inline(__always)
    fileprivate var localAddress: UInt64 { UInt64(UInt(bitPattern: local)) }

    @inline(__always)
    fileprivate var namespaceAddress: UInt64 { UInt64(UInt(bitPattern: namespace)) }

    @inline(__always)
    fileprivate var prefixAndKind: UInt64 { UInt64(UInt(bitPattern: prefix)) ^ UInt64(kind.rawValue) << 62 }
}
