// Records of several trees, one tree after the other, in one growing block.

/// The range of a tree's records.
struct RecordRange: BitwiseCopyable {
    let start: Int
    let count: Int
}

/// Collects the records of one tree after another. The records of the open tree, which is the last, are numbered from
/// 0.
struct RecordRun<Record: BitwiseCopyable>: ~Copyable {
    private var buffer: GrowingBuffer<Record>
    /// Where the open tree begins in the buffer.
    private(set) var start = 0
    /// The first record of the open tree. It moves when the buffer grows.
    private(set) var base: UnsafeMutablePointer<Record>
    /// The number of records of the open tree. Code that writes records after `base + count` counts them here.
    var count = 0
    /// The number of records that the open tree can have before it needs more room.
    private(set) var room: Int

    init(capacity: Int) {
        buffer = GrowingBuffer(capacity: capacity)
        base = buffer.base
        room = capacity
    }

    var capacityInBytes: Int { buffer.capacityInBytes }

    var capacity: Int { buffer.capacity }

    /// Makes room for this many more records of the open tree.
    @inline(__always)
    mutating func reserve(_ additional: Int) {
        if count &+ additional > room { grow(additional) }
    }

    @inline(never)
    private mutating func grow(_ additional: Int) {
        buffer.grow(toAtLeast: start + count + additional)
        base = buffer.base + start
        room = buffer.capacity - start
    }

    /// Ends the open tree and begins the next one after it. Returns the range of its records.
    @inline(__always)
    mutating func endTree() -> RecordRange {
        let records = RecordRange(start: start, count: count)
        base += count
        room &-= count
        start &+= count
        count = 0
        return records
    }

    /// Returns the records of a tree that has ended and was not dropped.
    func records(_ range: RecordRange) -> UnsafeBufferPointer<Record> {
        UnsafeBufferPointer(start: buffer.base + range.start, count: range.count)
    }

    /// Drops the trees that have ended. The open tree moves to the front.
    mutating func dropEnded() {
        if start == 0 { return }
        buffer.base.update(from: base, count: count)
        start = 0
        base = buffer.base
        room = buffer.capacity
    }

    /// Gives away the block with the only tree, and begins a small one.
    mutating func take(beginningWith capacity: Int) -> UnsafeBufferPointer<Record> {
        precondition(start == 0, "the block holds other trees, too")
        let taken = buffer.take(count, beginningWith: capacity)
        base = buffer.base
        room = capacity
        count = 0
        return taken
    }
}
