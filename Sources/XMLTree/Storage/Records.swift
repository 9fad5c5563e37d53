// Memory for plain records: the parser's lists, the trees that it collects, the slots of tables. It grows in place if
// the allocator supports it, which then remaps large blocks instead of copying them.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A growing array of plain records. Reads and writes by index are checked. Unlike an `Array`, it costs no reference
/// counting and no uniqueness test.
@usableFromInline package struct Records<Record: BitwiseCopyable>: ~Copyable {
    /// The first record. It moves when the array grows. Each user of it proves its accesses.
    @usableFromInline package private(set) var base: UnsafeMutablePointer<Record>
    @usableFromInline private(set) var capacity: Int
    @usableFromInline package internal(set) var count = 0
    /// Whether the memory is another's.
    private var isBorrowed = false

    /// Without memory, until the first record.
    package init() {
        capacity = 0
        base = UnsafeMutablePointer(bitPattern: MemoryLayout<Record>.alignment).unsafelyUnwrapped
    }

    /// - Parameter capacity: At least 1.
    init(capacity: Int) {
        self.capacity = capacity
        base = Self.reallocated(nil, capacity: capacity)
    }

    /// Begins in memory that the caller keeps alive, and moves `start` to its end. Without such memory, it allocates.
    init(capacity: Int, in start: inout UnsafeMutableRawPointer?) {
        self.capacity = capacity
        isBorrowed = start != nil
        base = start?.bindMemory(to: Record.self, capacity: capacity) ?? Self.reallocated(nil, capacity: capacity)
        start = start.map { $0 + capacity * MemoryLayout<Record>.stride }
    }

    @usableFromInline init(repeating record: Record, count: Int) {
        self.init(capacity: count)
        base.initialize(repeating: record, count: count)
        self.count = count
    }

    deinit { if capacity > 0, !isBorrowed { Self.free(base) } }

    /// The size of its own memory.
    var capacityInBytes: Int { isBorrowed ? 0 : capacity * MemoryLayout<Record>.stride }

    package func copy() -> Records {
        var copy = Records()
        copy.reserve(count)
        copy.base.update(from: base, count: count)
        copy.count = count
        return copy
    }

    @inlinable @inline(__always)
    package subscript(index: Int) -> Record {
        get {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
            return base[index]
        }
        _modify {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
            yield &base[index]
        }
    }

    @inlinable @inline(__always)
    package mutating func append(_ record: Record) {
        reserve(1)
        (base + count).initialize(to: record)
        count &+= 1
    }

    @inline(__always)
    mutating func removeLast(downTo newCount: Int) {
        precondition(UInt(bitPattern: newCount) <= UInt(bitPattern: count))
        count = newCount
    }

    /// Makes room for this many more records. The amortized cost is linear in their number.
    @inlinable @inline(__always)
    mutating func reserve(_ additional: Int) {
        if count &+ additional > capacity { grow(toAtLeast: count + additional) }
    }

    @inline(never) @usableFromInline
    mutating func grow(toAtLeast count: Int) {
        let old = base
        let isOwner = capacity > 0 && !isBorrowed
        capacity = max(capacity * 2, count)
        base = Self.reallocated(isOwner ? old : nil, capacity: capacity)
        if isBorrowed { base.update(from: old, count: self.count) }
        isBorrowed = false
    }

    /// Counts records that were written into the reserved room.
    @inline(__always)
    mutating func extend(to newCount: Int) {
        precondition(UInt(bitPattern: newCount) <= UInt(bitPattern: capacity))
        count = newCount
    }

    /// Gives away the block, cut down to its records, and begins a small one. The receiver frees the block.
    mutating func take(beginningWith newCapacity: Int) -> UnsafeMutablePointer<Record> {
        let taken = Self.reallocated(base, capacity: max(count, 1))
        base = Self.reallocated(nil, capacity: newCapacity)
        (capacity, count) = (newCapacity, 0)
        return taken
    }

    /// Frees a block that `take` returned.
    static func free(_ block: UnsafePointer<Record>) { libcFree(UnsafeMutableRawPointer(mutating: block)) }

    private static func reallocated(
        _ base: UnsafeMutablePointer<Record>?, capacity: Int
    ) -> UnsafeMutablePointer<Record> {
        guard let block = realloc(base, capacity * MemoryLayout<Record>.stride) else {
            preconditionFailure("no memory for \(capacity) records: lower the limits of the parser")
        }
        return block.bindMemory(to: Record.self, capacity: capacity)
    }
}

/// The function of the C library, which a member of the same name hides.
private func libcFree(_ block: UnsafeMutableRawPointer) { free(block) }
