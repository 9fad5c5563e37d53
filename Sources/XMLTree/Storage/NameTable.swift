// The names that trees refer to by number: local name, prefix, namespace and their keys.
//
// A table is append-only and shared by many trees of one parser. A tree keeps its table alive. NameWriter.swift
// appends; this file only stores and reads.

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

/// The kind of a name in the table.
@usableFromInline package enum NameKind: UInt8, BitwiseCopyable {
    case element, attribute
    /// `xmlns:local='namespace'`: stored beside the attributes, but not one of them (rule 1.3). Without a local name it
    /// is `xmlns='namespace'`, in the tag of an element whose own name has a prefix.
    case declaration
}

extension NameRecord {
    /// Whether it declares the default namespace of an element's content.
    var isDefaultDeclaration: Bool { kind == .declaration && localReference.isEmpty }
}

/// The index of a record in a `NameTable`.
@usableFromInline package struct NameIndex: Hashable, Sendable, BitwiseCopyable {
    @usableFromInline package let rawValue: UInt32

    @inlinable package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

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
