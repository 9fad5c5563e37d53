// Finds numbers by 64-bit keys: names of the parser and of editable trees, and namespaces. The table's user keeps the
// meaning of the numbers.

/// An open-addressing table from keys to numbers. The keys are hashes under a secret, so the input cannot choose the
/// slots.
package struct NumberTable: ~Copyable {
    /// The result of `find` for a key without a number.
    @inlinable package static var none: UInt32 { .max }

    /// The low half of a key and its number, in each slot. There are at least two slots for each number, and their
    /// count is a power of two.
    @usableFromInline private(set) var slots: Records<SIMD2<UInt32>>
    private var count = 0

    /// Without memory, until the first number: `find` may not be called before.
    package init() {
        slots = Records()
    }

    /// - Parameter capacity: The number of slots, a power of two.
    package init(capacity: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "the number of slots is a power of two")
        slots = Records(repeating: SIMD2(repeating: Self.none), count: capacity)
    }

    package var isEmpty: Bool { count == 0 }

    /// The memory of the slots.
    var capacityInBytes: Int { slots.capacityInBytes }

    /// Returns the number with this key that `isSame` confirms.
    @inlinable @inline(__always)
    package func find(_ key: UInt64, where isSame: (UInt32) -> Bool) -> UInt32 {
        let mask = slots.count &- 1
        var slot = Int(truncatingIfNeeded: key) & mask
        while true {
            let number = slots[slot].y
            if number == Self.none || isSame(number) { return number }
            slot = (slot &+ 1) & mask
        }
    }

    /// Adds a number that `find` did not find.
    package mutating func insert(_ number: UInt32, _ key: UInt64) {
        count += 1
        if count * 2 > slots.count {
            var old = Records(repeating: SIMD2(repeating: Self.none), count: max(slots.count * 2, Self.fewestSlots))
            swap(&slots, &old)
            for slot in 0..<old.count where old[slot].y != Self.none { place(old[slot]) }
        }
        place(SIMD2(UInt32(truncatingIfNeeded: key), number))
    }

    private static var fewestSlots: Int { 32 }

    private mutating func place(_ entry: SIMD2<UInt32>) {
        let mask = slots.count - 1
        var slot = Int(entry.x) & mask
        while slots[slot].y != Self.none { slot = (slot + 1) & mask }
        slots[slot] = entry
    }
}
