// Memory that grows in place if the allocator supports it: it then remaps large blocks instead of copying them.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A block for records of a trivial type. Its owner knows their number.
struct GrowingBuffer<Record: BitwiseCopyable>: ~Copyable {
    private(set) var base: UnsafeMutablePointer<Record>
    private(set) var capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        base = Self.reallocated(nil, capacity: capacity)
    }

    deinit { Self.free(base) }

    var capacityInBytes: Int { capacity * MemoryLayout<Record>.stride }

    /// Makes room for at least `count` records. The amortized cost is linear in their number.
    @inline(never)
    mutating func grow(toAtLeast count: Int) {
        capacity = max(capacity * 2, count)
        base = Self.reallocated(base, capacity: capacity)
    }

    /// Gives away the block, cut down to `count` records, and begins a small one. The receiver frees the block.
    mutating func take(_ count: Int, beginningWith capacity: Int) -> UnsafeBufferPointer<Record> {
        let taken = Self.reallocated(base, capacity: max(count, 1))
        base = Self.reallocated(nil, capacity: capacity)
        self.capacity = capacity
        return UnsafeBufferPointer(start: taken, count: count)
    }

    /// Frees a block that `take` returned.
    static func free(_ block: UnsafePointer<Record>) {
        libcFree(UnsafeMutableRawPointer(mutating: block))
    }

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
