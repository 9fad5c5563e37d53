// Memory that grows in place where the allocator supports it: large blocks are remapped then, not copied.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A block for records of a trivial type. How many there are its owner knows.
struct GrowingBuffer<Record: BitwiseCopyable>: ~Copyable {
    private(set) var base: UnsafeMutablePointer<Record>
    private(set) var capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        base = Self.reallocated(nil, capacity: capacity)
    }

    deinit { Self.free(base) }

    var capacityInBytes: Int { capacity * MemoryLayout<Record>.stride }

    /// Makes room for at least that many records, with an amortised cost that is linear in them.
    @inline(never)
    mutating func grow(toAtLeast count: Int) {
        capacity = max(capacity * 2, count)
        base = Self.reallocated(base, capacity: capacity)
    }

    /// Gives the block away, cut down to that many records, and begins a small one. The receiver frees it.
    mutating func take(_ count: Int, beginningWith capacity: Int) -> UnsafeBufferPointer<Record> {
        let taken = Self.reallocated(base, capacity: max(count, 1))
        base = Self.reallocated(nil, capacity: capacity)
        self.capacity = capacity
        return UnsafeBufferPointer(start: taken, count: count)
    }

    /// Frees a block that was taken.
    static func free(_ block: UnsafePointer<Record>) {
        libcFree(UnsafeMutableRawPointer(mutating: block))
    }

    private static func reallocated(
        _ base: UnsafeMutablePointer<Record>?, capacity: Int
    ) -> UnsafeMutablePointer<Record> {
        guard let block = realloc(base, capacity * MemoryLayout<Record>.stride) else {
            preconditionFailure("there is no memory for \(capacity) records: lower the limits of the parser")
        }
        return block.assumingMemoryBound(to: Record.self)
    }
}

/// The C library's: a member of the same name hides it.
private func libcFree(_ block: UnsafeMutableRawPointer) { free(block) }
