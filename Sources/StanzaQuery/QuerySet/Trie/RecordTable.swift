// Records by typed indexes, in memory of their own: the storage of the trie.

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

/// A growing table; the places of removed records are used again. Adding and removing take constant time, amortized.
struct RecordTable<Record: BitwiseCopyable>: ~Copyable {
    /// Changes when the table grows.
    private(set) var base: UnsafeMutablePointer<Record>
    private var capacity: Int
    /// Every index is below.
    private(set) var end = 0
    private var vacant: [RecordIndex<Record>] = []

    init(capacity: Int = 4) {
        self.capacity = capacity
        base = .allocate(capacity: capacity)
    }

    deinit {
        base.deallocate()
    }

    func copy() -> RecordTable {
        var copy = RecordTable(capacity: capacity)
        copy.base.update(from: base, count: end)
        copy.end = end
        copy.vacant = vacant
        return copy
    }

    /// A vacant place, which is in use from now on. It holds the record that was there last.
    mutating func reuse() -> RecordIndex<Record>? { vacant.popLast() }

    /// Puts a record into a vacant place, or appends it.
    mutating func insert(_ record: Record) -> RecordIndex<Record> {
        let index = reuse() ?? append()
        base[index.offset] = record
        return index
    }

    /// Frees a place. The record stays there until another one takes the place.
    mutating func vacate(_ index: RecordIndex<Record>) { vacant.append(index) }

    subscript(_ index: RecordIndex<Record>) -> Record {
        unsafeAddress {
            assert(index.offset < end, "no such record")
            return UnsafePointer(base + index.offset)
        }
        unsafeMutableAddress {
            assert(index.offset < end, "no such record")
            return base + index.offset
        }
    }

    /// How many records are in use, for tests.
    var count: Int { end - vacant.count }

    private mutating func append() -> RecordIndex<Record> {
        if end == capacity {
            let larger = UnsafeMutablePointer<Record>.allocate(capacity: capacity * 2)
            larger.update(from: base, count: end)
            base.deallocate()
            base = larger
            capacity *= 2
        }
        end += 1
        return RecordIndex(end - 1)
    }
}

extension UnsafePointer where Pointee: BitwiseCopyable {
    /// The record at an index of the table that begins here.
    subscript(_ index: RecordIndex<Pointee>) -> Pointee {
        @inline(__always) unsafeAddress { self + index.offset }
    }
}
