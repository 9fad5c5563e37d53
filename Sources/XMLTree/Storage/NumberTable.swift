// Finds numbers by the hash of a key. The user of the table keeps the keys in an array; a number is an index in it.

/// An open-addressing table of numbers. The hashes are keyed with a secret, so the input cannot choose the slots.
struct NumberTable: ~Copyable {
    /// The result of `find` for a key without a number.
    static let none = UInt32.max

    /// The low half of a hash and its number, in each slot. There are at least four slots for each number, and their
    /// count is a power of two.
    private var slots: Records<SIMD2<UInt32>>
    private var count = 0

    /// - Parameter capacity: The number of slots, a power of two.
    init(capacity: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "the number of slots is a power of two")
        slots = Records(repeating: SIMD2(repeating: Self.none), count: capacity)
    }

    /// Returns the number with this hash that `isSame` confirms.
    @inline(__always)
    func find(_ hash: UInt64, where isSame: (UInt32) -> Bool) -> UInt32 {
        let mask = slots.count &- 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while true {
            let number = slots[slot].y
            if number == Self.none || isSame(number) { return number }
            slot = (slot &+ 1) & mask
        }
    }

    /// Adds a number that `find` did not find.
    mutating func insert(_ number: UInt32, _ hash: UInt64) {
        count += 1
        if count * 4 > slots.count {
            var old = Records(repeating: SIMD2(repeating: Self.none), count: slots.count * 4)
            swap(&slots, &old)
            for slot in 0..<old.count where old[slot].y != Self.none { place(old[slot]) }
        }
        place(SIMD2(UInt32(truncatingIfNeeded: hash), number))
    }

    private mutating func place(_ entry: SIMD2<UInt32>) {
        let mask = slots.count - 1
        var slot = Int(entry.x) & mask
        while slots[slot].y != Self.none { slot = (slot + 1) & mask }
        slots[slot] = entry
    }
}
