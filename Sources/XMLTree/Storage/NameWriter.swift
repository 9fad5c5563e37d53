// Appends names to a table. Its users know which names it has: NameInterner.swift by keys, Parser/Names.swift by
// numbers.

/// Appends names to a `NameTable`, and continues with a larger copy when it is full.
struct NameWriter: ~Copyable {
    private(set) var table: NameTable
    private(set) var count = 0
    private(set) var byteCount = 1
    /// Bytes of strings from around the trees, which every table needs.
    private let sharedBytes: Int
    /// The number of bytes of strings above which the table counts as nearly full.
    private var nearlyFullByteCount: Int
    /// The first record of each namespace, by its key; empty for few names.
    private var namespaces = NumberTable<UInt32>()

    private static let leastNames = 16
    /// Among so many names, comparing all keys is faster than a table of hashes.
    static let fewNames = 12
    /// The average size of a name's strings, shared ones included.
    private static let bytesPerName = 16

    /// Begins an empty table.
    init(expectedNames: Int = leastNames, sharedBytes: Int = 0, spareBytes: Int = 0) {
        let capacity = max(1, expectedNames)
        self.sharedBytes = sharedBytes
        table = .make(
            recordCapacity: capacity, byteCapacity: capacity * Self.bytesPerName, spareBytes: spareBytes)
        table.bytes[0] = 0
        nearlyFullByteCount = Self.nearlyFull(table.byteCapacity, sharedBytes)
    }

    /// Takes another writer's table for full: this writer never writes there.
    init(reading table: NameTable) {
        self.table = table
        sharedBytes = 0
        count = table.recordCapacity
        byteCount = table.byteCapacity
        nearlyFullByteCount = 0
    }

    /// The number of bytes above which a table counts as nearly full. It is 0 for a table with more room than the names
    /// of small trees need, because a tree keeps the whole table alive. A table smaller than twice the shared bytes
    /// grows first: otherwise each small tree would fill one.
    private static func nearlyFull(_ byteCapacity: Int, _ sharedBytes: Int) -> Int {
        if byteCapacity < 2 * sharedBytes { return .max }
        return byteCapacity > Renewal.tableBytes + 4 * sharedBytes ? 0 : byteCapacity / 8 * 7
    }

    /// The memory of the table and its index.
    var capacityInBytes: Int { table.capacityInBytes + namespaces.capacityInBytes }

    /// Whether less than an eighth of the table is free, or its strings take more than `Renewal.tableBytes`.
    var isNearlyFull: Bool { count * 8 > table.recordCapacity * 7 || byteCount > nearlyFullByteCount }

    /// Continues with a copy that has room for this many names.
    mutating func reserve(_ names: Int) {
        if names <= table.recordCapacity { return }
        replaceTable(recordCapacity: names, byteCapacity: max(names * Self.bytesPerName, table.byteCapacity))
    }

    /// Appends a name whose namespace is already stored.
    mutating func append(
        _ keys: NameKeys, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>,
        namespace: ByteReference
    ) -> NameIndex {
        if count == table.recordCapacity { reserve(2 * count) }
        let localReference = store(local)
        let prefixReference = store(prefix)
        (table.records + count).initialize(
            to: NameRecord(
                expanded: keys.expanded, local: keys.local, namespace: keys.namespace, qualified: keys.qualified,
                localReference: localReference, prefixReference: prefixReference, namespaceReference: namespace,
                kind: keys.kind))
        count += 1
        return NameIndex(rawValue: UInt32(truncatingIfNeeded: count - 1))
    }

    /// Returns the place of a namespace, for the name that is appended next. Stores each namespace once.
    mutating func storeNamespace(_ namespace: UnsafeBufferPointer<UInt8>, key: NameKey) -> ByteReference {
        if namespace.isEmpty { return .empty }
        if count <= Self.fewNames {
            for index in 0..<count where table.records[index].namespace == key {
                return table.records[index].namespaceReference
            }
            return store(namespace)
        }
        if namespaces.isEmpty {
            for number in 0..<count where number == 0 || record(of: table.records[number].namespace) == nil {
                namespaces.insert(UInt32(truncatingIfNeeded: number), table.records[number].namespace.rawValue)
            }
        }
        if let known = record(of: key) { return table.records[known].namespaceReference }
        namespaces.insert(UInt32(truncatingIfNeeded: count), key.rawValue)
        return store(namespace)
    }

    /// The first record with this namespace.
    private func record(of namespace: NameKey) -> Int? {
        let records = table.records
        let number = namespaces.find(namespace.rawValue) { records[Int($0)].namespace == namespace }
        return number == NumberSlots<UInt32>.none ? nil : Int(number)
    }

    private mutating func store(_ string: UnsafeBufferPointer<UInt8>) -> ByteReference {
        guard let start = string.baseAddress, string.count > 0 else { return .empty }
        let size = LengthPrefix.size(of: string.count) + string.count
        if byteCount + size > table.byteCapacity {
            replaceTable(
                recordCapacity: table.recordCapacity, byteCapacity: max(table.byteCapacity * 2, byteCount + size))
        }
        let reference = ByteReference(rawValue: UInt32(truncatingIfNeeded: byteCount))
        LengthPrefix.write(string.count, to: table.bytes + byteCount).update(from: start, count: string.count)
        byteCount += size
        return reference
    }

    private mutating func replaceTable(recordCapacity: Int, byteCapacity: Int) {
        let larger = NameTable.make(recordCapacity: recordCapacity, byteCapacity: byteCapacity)
        larger.records.update(from: table.records, count: count)
        larger.bytes.update(from: table.bytes, count: byteCount)
        table = larger
        nearlyFullByteCount = Self.nearlyFull(byteCapacity, sharedBytes)
    }
}

/// The keys of a name, computed before the lookup in a table.
struct NameKeys {
    let kind: NameKind
    let local: NameKey
    let namespace: NameKey
    let expanded: NameKey
    let qualified: NameKey

    init(
        _ kind: NameKind, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>, namespace: NameKey
    ) {
        // A declaration has a role of its own: no query for an attribute ever finds one.
        let localKey = NameKey(kind == .declaration ? .declaration : .local, local)
        self.init(kind, prefix: prefix, local: local, localKey: localKey, namespace: namespace)
    }

    /// The same where the key of the local name is known.
    init(
        _ kind: NameKind, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>, localKey: NameKey,
        namespace: NameKey
    ) {
        self.kind = kind
        self.namespace = namespace
        self.local = localKey
        qualified = kind == .declaration || prefix.isEmpty ? localKey : NameKey(qualifiedName: local, prefix: prefix)
        expanded = namespace + localKey
    }

    init(of record: NameRecord) {
        kind = record.kind
        local = record.local
        namespace = record.namespace
        expanded = record.expanded
        qualified = record.qualified
    }

    /// Whether a record has these keys.
    func match(_ record: NameRecord) -> Bool {
        record.kind == kind && record.qualified == qualified && record.expanded == expanded
    }
}

extension NameKey {
    /// The key of `prefix:local`, or of `local` if the prefix is empty.
    init(qualifiedName local: UnsafeBufferPointer<UInt8>, prefix: UnsafeBufferPointer<UInt8>) {
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
