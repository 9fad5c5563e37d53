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
    /// `xmlns:local='namespace'`: stored beside the attributes, but not one of them (rule 1.3).
    case declaration
}

/// The index of a record in a `NameTable`.
@usableFromInline package struct NameIndex: Hashable, Sendable, BitwiseCopyable {
    @usableFromInline package let rawValue: UInt32

    @inlinable package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

/// Storage of fixed capacity for names, in one allocation. A full table is replaced: by a larger copy, in which every
/// index keeps its meaning, or, between two trees, by an empty one.
///
/// Sendable although it holds raw memory: records and bytes below the counts of a built tree are never written again. A
/// table has one writer at a time, a `NameWriter` of its parser or editable tree. The writer writes only above these
/// counts.
@usableFromInline package final class NameTable: @unchecked Sendable {
    @usableFromInline package let records: UnsafeMutablePointer<NameRecord>
    @usableFromInline package let bytes: UnsafeMutablePointer<UInt8>
    let recordCapacity: Int
    let byteCapacity: Int

    init(recordCapacity: Int, byteCapacity: Int) {
        self.recordCapacity = recordCapacity
        self.byteCapacity = byteCapacity
        let recordBytes = recordCapacity * MemoryLayout<NameRecord>.stride
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: recordBytes + byteCapacity, alignment: MemoryLayout<NameRecord>.alignment)
        records = block.bindMemory(to: NameRecord.self, capacity: recordCapacity)
        bytes = (block + recordBytes).bindMemory(to: UInt8.self, capacity: byteCapacity)
    }

    deinit { UnsafeMutableRawPointer(records).deallocate() }

    /// The memory of the names, used or not.
    var capacityInBytes: Int { recordCapacity * MemoryLayout<NameRecord>.stride + byteCapacity }
}
