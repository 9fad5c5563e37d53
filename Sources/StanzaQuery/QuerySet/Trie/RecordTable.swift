// Records by typed indexes, with the places of removed ones used again: what the trie is stored in.

/// The place of a record in its table.
struct RecordIndex<Record>: Hashable, Sendable, BitwiseCopyable {
    let rawValue: UInt32

    @inline(__always)
    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    @inline(__always)
    init(_ offset: Int) {
        rawValue = UInt32(offset)
    }

    /// No record.
    @inline(__always)
    static var none: Self { Self(rawValue: .max) }

    @inline(__always)
    var offset: Int { Int(rawValue) }
}

/// A growing table. Adding and removing take constant time, amortised.
struct RecordTable<Record: Sendable>: Sendable {
    private(set) var records: [Record] = []
    private var vacant: [RecordIndex<Record>] = []

    /// A vacant place, which is in use from now on. It holds the record that was there last.
    mutating func reuse() -> RecordIndex<Record>? { vacant.popLast() }

    /// Puts a record into a vacant place, or behind all others.
    mutating func insert(_ record: Record) -> RecordIndex<Record> {
        if let index = reuse() {
            records[index.offset] = record
            return index
        }
        records.append(record)
        return RecordIndex(records.count - 1)
    }

    /// Gives a place free. The record stays there until the place is used again.
    mutating func vacate(_ index: RecordIndex<Record>) {
        vacant.append(index)
    }

    subscript(_ index: RecordIndex<Record>) -> Record {
        get { records[index.offset] }
        _modify { yield &records[index.offset] }
    }

    /// How many records are in use.
    var count: Int { records.count - vacant.count }
}

extension UnsafeBufferPointer {
    /// The record at an index of the table whose records these are.
    subscript(_ index: RecordIndex<Element>) -> Element {
        @inline(__always) unsafeAddress { baseAddress.unsafelyUnwrapped + index.offset }
    }
}
