// Gives equal names the same index, for trees that are edited or copied. The parser has its own table
// (Parser/Names.swift).

/// Interns names into a `NameTable`. Expected cost of a lookup: two or three keyed hashes and one probe, or a
/// comparison with each of few names.
struct NameInterner: ~Copyable {
    private var writer: NameWriter
    /// The indexes of records by their keys; empty for few names.
    private var numbers = NumberTable<UInt32>()
    /// Whether another writer may append to the table. Then this interner only reads it.
    let isReadOnly: Bool

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

    var table: NameTable { writer.table }

    var count: Int { writer.count }

    /// The bytes of all names.
    var byteCount: Int { writer.byteCount }

    /// The memory of the table and its index.
    var capacityInBytes: Int { writer.capacityInBytes + numbers.capacityInBytes }

    /// Returns the index of a name. The caller guarantees valid strings: well-formed UTF-8, legal in XML.
    @inline(never)
    mutating func intern(
        _ kind: NameKind, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>,
        namespace: UnsafeBufferPointer<UInt8>
    ) -> NameIndex {
        let key = namespace.isEmpty ? .noNamespace : NameKey(.namespace, namespace)
        let name = NameRecord(kind, prefix: prefix, local: local, namespace: key)
        return find(name) ?? append(name, prefix: prefix, local: local, namespace: namespace)
    }

    /// Returns the index of a name of another table, whose keys need not be computed again.
    mutating func intern(_ name: NameRecord, from bytes: UnsafePointer<UInt8>) -> NameIndex {
        find(name)
            ?? append(
                name, prefix: bytes.string(at: name.prefixReference), local: bytes.string(at: name.localReference),
                namespace: bytes.string(at: name.namespaceReference))
    }

    /// Returns the index of an element's name without a prefix, with the local name of a name of this table, in the
    /// namespace of another one.
    mutating func intern(_ name: NameIndex, inNamespaceOf other: NameIndex) -> NameIndex {
        // The string is in the table that grows, so it must live as long as it is used.
        let table = table
        defer { withExtendedLifetime(table) {} }
        let local = table.records[name.offset].localReference
        return intern(UnsafePointer(table.bytes).string(at: local), inNamespaceOf: other)
    }

    /// Returns the index of an element's name without a prefix, in the namespace of a name of this table. The caller
    /// guarantees a valid local name.
    mutating func intern(_ local: UnsafeBufferPointer<UInt8>, inNamespaceOf other: NameIndex) -> NameIndex {
        // As above.
        let table = table
        defer { withExtendedLifetime(table) {} }
        let other = table.records[other.offset]
        let name = NameRecord(.element, prefix: .empty, local: local, namespace: other.namespace)
        let namespace = UnsafePointer(table.bytes).string(at: other.namespaceReference)
        return find(name) ?? append(name, prefix: .empty, local: local, namespace: namespace)
    }

    private mutating func append(
        _ name: NameRecord, prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>,
        namespace: UnsafeBufferPointer<UInt8>
    ) -> NameIndex {
        let index = writer.append(
            name, prefix: prefix, local: local, namespace: writer.storeNamespace(namespace, key: name.namespace))
        if count > NameWriter.fewNames {
            for number in numbers.isEmpty ? 0..<count : count - 1..<count {
                numbers.insert(UInt32(truncatingIfNeeded: number), Self.key(writer.table.records[number]))
            }
        }
        return index
    }

    /// Returns the index of a name that the table has. The caller appends the name if the table has not.
    private func find(_ name: NameRecord) -> NameIndex? {
        precondition(!isReadOnly, "a table has one writer")
        let records = writer.table.records
        if numbers.isEmpty {
            for index in 0..<count where name.isSameName(as: records[index]) { return NameIndex(index) }
            return nil
        }
        let known = numbers.find(Self.key(name)) { name.isSameName(as: records[Int($0)]) }
        return known == NumberSlots<UInt32>.none ? nil : NameIndex(rawValue: known)
    }

    private static func key(_ name: NameRecord) -> UInt64 { name.expanded.rawValue ^ (name.qualified.rawValue >> 1) }
}
