// The edges of all states that are found by hash, in one table with open addressing.
//
// Edges are looked up by a tag of 64 bits alone: the keyed hash of a name or value, plus a number for the state and the
// kind of edge. As with name keys, two edges share a tag with a probability of 2⁻⁶⁴, and nobody outside can search for
// such a pair.

/// What an edge that is found by hash is looked up by.
struct EdgeTag: Hashable, BitwiseCopyable {
    fileprivate let rawValue: UInt64

    /// - Parameters:
    ///   - hash: A keyed hash of what the edge demands.
    ///   - origin: Where the edge starts.
    @inline(__always)
    init(_ hash: UInt64, from origin: EdgeOrigin) {
        rawValue = hash &+ origin.rawValue
    }

    @inline(__always)
    fileprivate func slot(_ mask: Int) -> Int { Int(truncatingIfNeeded: rawValue) & mask }
}

/// A state, or one of its tests of an attribute, with a kind of edge.
struct EdgeOrigin: BitwiseCopyable {
    fileprivate let rawValue: UInt64

    @inline(__always)
    init(_ state: StateIndex, _ kind: NamedEdge) {
        self.init(state.rawValue, kind.rawValue)
    }

    @inline(__always)
    init(_ test: AttributeTestIndex) {
        self.init(test.rawValue, NamedEdge.count)
    }

    @inline(__always)
    private init(_ place: UInt32, _ kind: UInt16) {
        // An odd factor: different numbers stay different.
        rawValue = (UInt64(place) << 8 | UInt64(kind)) &* 0x9E37_79B9_7F4A_7C15
    }
}

/// A hash table from tags to the states that edges lead to.
struct EdgeTable: Sendable {
    struct Slot: BitwiseCopyable {
        fileprivate var tag: EdgeTag
        /// None: the slot is vacant.
        fileprivate var target: StateIndex

        fileprivate static let vacant = Slot(tag: EdgeTag(rawValue: 0), target: .none)
    }

    /// At most half of them, a power of two, are in use.
    private(set) var slots = [Slot](repeating: .vacant, count: 16)
    private var count = 0

    private var mask: Int { slots.count - 1 }

    mutating func insert(_ target: StateIndex, for tag: EdgeTag) {
        if count * 2 >= slots.count { grow() }
        slots[slots.place(of: tag)] = Slot(tag: tag, target: target)
        count += 1
    }

    mutating func remove(_ tag: EdgeTag) {
        var hole = slots.place(of: tag)
        if slots[hole].target == .none { return }
        count -= 1
        // What lies behind moves up if it was to lie before, so that no search ends at the hole.
        var slot = (hole + 1) & mask
        while slots[slot].target != .none {
            let wanted = slots[slot].tag.slot(mask)
            if (slot - wanted) & mask >= (slot - hole) & mask {
                slots[hole] = slots[slot]
                hole = slot
            }
            slot = (slot + 1) & mask
        }
        slots[hole] = .vacant
    }

    func target(_ tag: EdgeTag) -> StateIndex? {
        let target = slots[slots.place(of: tag)].target
        return target == .none ? nil : target
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: .vacant, count: old.count * 2)
        for slot in old where slot.target != .none { slots[slots.place(of: slot.tag)] = slot }
    }
}

extension EdgeTag {
    fileprivate init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

extension [EdgeTable.Slot] {
    /// Where a tag lies, or would.
    fileprivate func place(of tag: EdgeTag) -> Int {
        var slot = tag.slot(count - 1)
        while self[slot].target != .none, self[slot].tag != tag { slot = (slot + 1) & (count - 1) }
        return slot
    }
}

extension UnsafeBufferPointer<EdgeTable.Slot> {
    /// The state that the edge with that tag leads to, or none.
    @inline(__always)
    func target(_ tag: EdgeTag) -> StateIndex {
        var slot = tag.slot(count - 1)
        while true {
            let record = self[slot]
            if record.tag == tag || record.target == .none { return record.target }
            slot = (slot + 1) & (count - 1)
        }
    }
}
