// The names that trees refer to by number: local name, prefix, namespace and their keys.
//
// A table is append-only and shared by many trees of one parser. A tree keeps its table alive. The users of a writer
// know which names it has: NameInterner.swift by keys, Parser/Names.swift by numbers.

/// One distinct name as written: an element's, an attribute's, or a declared namespace prefix.
@usableFromInline package struct NameRecord: BitwiseCopyable {
    /// The key of the namespace and the local name together, for comparing elements.
    @usableFromInline package var expanded: NameKey
    @usableFromInline package var local: NameKey
    @usableFromInline package var namespace: NameKey
    /// The key of the qualified name as written, `prefix:local`, for comparing attributes.
    @usableFromInline package var qualified: NameKey
    @usableFromInline package var localReference: ByteReference
    @usableFromInline package var prefixReference: ByteReference
    @usableFromInline package var namespaceReference: ByteReference
    @usableFromInline package var kind: NameKind
}

@usableFromInline package enum NameKind: UInt8, BitwiseCopyable {
    case element, attribute
    /// `xmlns:local='namespace'`: stored beside the attributes, but not one of them (rule 1.3). Without a local name it
    /// is `xmlns='namespace'`, in the tag of an element whose own name has a prefix.
    case declaration
}

extension NameRecord {
    /// A name before its strings are stored, for finding it by its keys.
    ///
    /// - Parameter localKey: The key of the local name, if it is known.
    init(
        _ kind: NameKind, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>,
        localKey: NameKey? = nil, namespace: NameKey
    ) {
        self.kind = kind
        self.namespace = namespace
        // A declaration has a role of its own: no query for an attribute ever finds one.
        let localKey = localKey ?? NameKey(kind == .declaration ? .declaration : .local, local)
        self.local = localKey
        qualified = kind == .declaration || prefix.isEmpty ? localKey : NameKey(qualifiedName: local, prefix: prefix)
        expanded = namespace + localKey
        (localReference, prefixReference, namespaceReference) = (.empty, .empty, .empty)
    }

    func isSameName(as other: NameRecord) -> Bool {
        kind == other.kind && qualified == other.qualified && expanded == other.expanded
    }

    /// Whether it declares the default namespace of an element's content.
    var isDefaultDeclaration: Bool { kind == .declaration && localReference.isEmpty }
}

@usableFromInline package typealias NameIndex = RecordIndex<NameRecord>

/// The places in a table of names.
package struct NameTableHeader {
    let records: UnsafeMutablePointer<NameRecord>
    let bytes: UnsafeMutablePointer<UInt8>
    let recordCapacity: Int
    let byteCapacity: Int
    /// Memory for the first user of the table, as long as the table is alive.
    let spare: UnsafeMutableRawPointer
}

/// Storage of fixed capacity for names, in one allocation. A full table is replaced: by a larger copy, in which every
/// index keeps its meaning, or, between two trees, by an empty one.
///
/// Isolation domains can share a table: records and bytes below the counts of a built tree are never written again. A
/// table has one writer at a time, a `NameWriter` of its parser or editable tree. The writer writes only above these
/// counts.
package final class NameTable: ManagedBuffer<NameTableHeader, UInt64> {
    /// - Parameter spareBytes: The size of `spare`, a multiple of 8.
    static func make(recordCapacity: Int, byteCapacity: Int, spareBytes: Int = 0) -> NameTable {
        let recordBytes = recordCapacity * MemoryLayout<NameRecord>.stride
        let words = (recordBytes + spareBytes + byteCapacity + 7) / 8
        let table = NameTable.create(minimumCapacity: words) { buffer in
            buffer.withUnsafeMutablePointerToElements { block in
                let start = UnsafeMutableRawPointer(block)
                return NameTableHeader(
                    records: start.bindMemory(to: NameRecord.self, capacity: recordCapacity),
                    bytes: (start + recordBytes + spareBytes).bindMemory(to: UInt8.self, capacity: byteCapacity),
                    recordCapacity: recordCapacity, byteCapacity: byteCapacity, spare: start + recordBytes)
            }
        }
        return unsafeDowncast(table, to: NameTable.self)
    }

    /// Reads through a pointer: Swift would check each access to the class's property for exclusivity.
    private var places: NameTableHeader { withUnsafeMutablePointerToHeader { $0.pointee } }

    package var records: UnsafeMutablePointer<NameRecord> { places.records }
    package var bytes: UnsafeMutablePointer<UInt8> { places.bytes }
    var recordCapacity: Int { places.recordCapacity }
    var byteCapacity: Int { places.byteCapacity }
    var spare: UnsafeMutableRawPointer { places.spare }
    var spareBytes: Int { UnsafeMutableRawPointer(bytes) - spare }

    /// The memory of the names, used or not.
    var capacityInBytes: Int { recordCapacity * MemoryLayout<NameRecord>.stride + byteCapacity }
}

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
        _ name: NameRecord, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>,
        namespace: ByteReference
    ) -> NameIndex {
        if count == table.recordCapacity { reserve(2 * count) }
        var record = name
        record.localReference = store(local)
        record.prefixReference = store(prefix)
        record.namespaceReference = namespace
        (table.records + count).initialize(to: record)
        count += 1
        return NameIndex(count - 1)
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

extension NameKey {
    /// The key of `prefix:local`.
    init(qualifiedName local: UnsafeBufferPointer<UInt8>, prefix: UnsafeBufferPointer<UInt8>) {
        self = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: prefix.count + 1 + local.count) { name in
            _ = name.initialize(fromContentsOf: prefix)
            name[prefix.count] = UInt8(ascii: ":")
            _ = UnsafeMutableBufferPointer(rebasing: name[(prefix.count + 1)...]).initialize(fromContentsOf: local)
            return NameKey(.qualified, UnsafeBufferPointer(name))
        }
    }
}
