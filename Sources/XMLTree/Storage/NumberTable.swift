// Finds numbers by 64-bit keys: names of the parser and of editable trees, namespaces, and the edges of a set of
// queries. The table's user keeps the meaning of the numbers.

/// The slots of a table, for reading until it changes.
@usableFromInline package struct NumberSlots<Key: FixedWidthInteger & BitwiseCopyable>: BitwiseCopyable {
    /// The low bits of a key, and its number; `none` in a vacant slot.
    @usableFromInline struct Slot: BitwiseCopyable {
        @usableFromInline var key: Key
        @usableFromInline var number: UInt32

        @inlinable init(key: Key, number: UInt32) {
            self.key = key
            self.number = number
        }
    }

    /// The result of a search for a key without a number.
    @inlinable package static var none: UInt32 { .max }

    @usableFromInline let start: UnsafeMutablePointer<Slot>
    /// The count of slots, a power of two, less one: no place under the mask is beyond them.
    @usableFromInline let mask: UInt

    @inlinable @inline(__always)
    init(start: UnsafeMutablePointer<Slot>, count: Int) {
        self.start = start
        mask = UInt(bitPattern: count &- 1)
    }

    /// Returns the number that `isSame` confirms for a slot with this key, or for another one.
    @inlinable @inline(__always)
    func find(_ key: UInt64, where isSame: (Slot) -> Bool) -> UInt32 {
        var place = UInt(truncatingIfNeeded: key) & mask
        while true {
            let slot = start[Int(bitPattern: place)]
            if slot.number == Self.none || isSame(slot) { return slot.number }
            place = (place &+ 1) & mask
        }
    }

    /// Returns the number with this key, where keys decide alone: two of 64 bits are equal with a probability of 2⁻⁶⁴.
    @inlinable @inline(__always)
    package subscript(_ key: UInt64) -> UInt32 { find(key) { $0.key == Key(truncatingIfNeeded: key) } }
}

/// An open-addressing table from keys to numbers. It stores 32 bits of a key where its user compares records, too. The
/// keys are hashes under a secret, so the input cannot choose the slots.
package struct NumberTable<Key: FixedWidthInteger & BitwiseCopyable>: ~Copyable {
    package typealias Slots = NumberSlots<Key>

    /// At least two for each number.
    @usableFromInline var records: Records<Slots.Slot>
    @usableFromInline package internal(set) var count = 0

    /// Without memory, until the first number: no search is allowed before.
    package init() { records = Records() }

    /// - Parameter capacity: The number of slots, a power of two.
    package init(capacity: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "the number of slots is a power of two")
        records = Records(repeating: Slots.Slot(key: 0, number: Slots.none), count: capacity)
    }

    package var isEmpty: Bool { count == 0 }

    /// The memory of the slots.
    var capacityInBytes: Int { records.capacityInBytes }

    @inlinable package var slots: Slots {
        @inline(__always) get { Slots(start: records.base, count: records.count) }
    }

    package func copy() -> NumberTable {
        var copy = NumberTable()
        copy.records = records.copy()
        copy.count = count
        return copy
    }

    /// Returns the number with this key that `isSame` confirms.
    @inline(__always)
    func find(_ key: UInt64, where isSame: (UInt32) -> Bool) -> UInt32 { slots.find(key) { isSame($0.number) } }

    /// Adds a number that the table does not have.
    @inlinable package mutating func insert(_ number: UInt32, _ key: UInt64) {
        count += 1
        if count * 2 > records.count {
            var old = Records(
                repeating: Slots.Slot(key: 0, number: Slots.none), count: max(records.count * 2, Self.fewestSlots))
            swap(&records, &old)
            for place in 0..<old.count where old[place].number != Slots.none {
                records[vacancy(old[place].key)] = old[place]
            }
        }
        let key = Key(truncatingIfNeeded: key)
        records[vacancy(key)] = Slots.Slot(key: key, number: number)
    }

    /// Removes the number with this key, if there is one, where keys decide alone.
    @inlinable package mutating func remove(_ key: UInt64) {
        let mask = records.count - 1
        var hole = Int(truncatingIfNeeded: key) & mask
        while records[hole].number != Slots.none, records[hole].key != Key(truncatingIfNeeded: key) {
            hole = (hole + 1) & mask
        }
        if records[hole].number == Slots.none { return }
        count -= 1
        // Later entries of the same run move up into the hole, so that no search ends at it.
        var place = (hole + 1) & mask
        while records[place].number != Slots.none {
            if (place &- Int(truncatingIfNeeded: records[place].key)) & mask >= (place - hole) & mask {
                records[hole] = records[place]
                hole = place
            }
            place = (place + 1) & mask
        }
        records[hole].number = Slots.none
    }

    @usableFromInline static var fewestSlots: Int { 32 }

    @inlinable func vacancy(_ key: Key) -> Int {
        let mask = records.count - 1
        var place = Int(truncatingIfNeeded: key) & mask
        while records[place].number != Slots.none { place = (place + 1) & mask }
        return place
    }
}
