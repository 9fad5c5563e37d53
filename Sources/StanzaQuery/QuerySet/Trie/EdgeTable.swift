// All hashed edges of all states, in one table with open addressing.
//
// The key of an edge is a tag of 64 bits: the keyed hash of a name or value, plus a number for the state and the kind
// of edge. As with name keys, two edges share a tag with a probability of 2⁻⁶⁴, and an attacker cannot search for such
// a pair.

import XMLTree

/// The key of an edge that is found by hash.
struct EdgeTag: Hashable, BitwiseCopyable {
    fileprivate let rawValue: UInt64

    /// - Parameters:
    ///   - hash: A keyed hash of the name or value that the edge requires.
    ///   - origin: The start of the edge.
    @inline(__always)
    init(_ hash: UInt64, from origin: EdgeOrigin) {
        rawValue = hash &+ origin.rawValue
    }
}

/// A state, or one of its tests of an attribute, with a kind of edge.
struct EdgeOrigin: BitwiseCopyable {
    fileprivate let rawValue: UInt64

    /// - Parameter step: A step that is found by its key, or one that is tried; see `Step.edge`.
    @inline(__always)
    init(_ state: StateIndex, _ step: Step) {
        self.init(state.rawValue, step.op.rawValue << 4 | step.kindNumber)
    }

    @inline(__always)
    init(_ state: StateIndex, _ op: Step.Op, _ test: Step.Test) {
        self.init(state.rawValue, op.rawValue << 4 | test.rawValue)
    }

    /// The values of a test of an attribute.
    @inline(__always)
    init(_ test: AttributeTestIndex) {
        self.init(test.rawValue, 0xFE)
    }

    /// The tests of attributes that a state makes: the target of such an edge is a test's index.
    @inline(__always)
    init(attributesOf state: StateIndex) {
        self.init(state.rawValue, 0xFF)
    }

    @inline(__always)
    private init(_ place: UInt32, _ kind: UInt8) {
        // An odd factor: different numbers stay different.
        rawValue = (UInt64(place) << 8 | UInt64(kind)) &* 0x9E37_79B9_7F4A_7C15
    }
}

/// A place in the table; vacant if it has no target.
struct EdgeSlot: BitwiseCopyable {
    fileprivate var tag: EdgeTag
    fileprivate var target: StateIndex
}

/// The slots of a table, a power of two of them, not all in use.
struct EdgeSlots: BitwiseCopyable {
    fileprivate let start: UnsafeMutablePointer<EdgeSlot>
    /// Their number less one.
    fileprivate let mask: UInt64

    /// The state that the edge with that tag leads to, or none.
    @inline(__always)
    func target(_ tag: EdgeTag) -> StateIndex {
        var place = tag.rawValue & mask
        while true {
            let slot = start + Int(truncatingIfNeeded: place)
            let target = slot.pointee.target
            if slot.pointee.tag == tag || target == .none { return target }
            place = (place &+ 1) & mask
        }
    }

    /// The slot that holds a tag, or would.
    fileprivate func slot(of tag: EdgeTag) -> UnsafeMutablePointer<EdgeSlot> {
        var place = tag.rawValue & mask
        while self[place].pointee.target != .none, self[place].pointee.tag != tag { place = (place + 1) & mask }
        return self[place]
    }

    fileprivate subscript(_ place: UInt64) -> UnsafeMutablePointer<EdgeSlot> { start + Int(place) }
}

/// A hash table from tags to the states that edges lead to.
struct EdgeTable: ~Copyable {
    /// At most half of them are in use.
    private(set) var slots: EdgeSlots
    private(set) var count = 0

    init() {
        self.init(capacity: 16)
    }

    private init(capacity: Int) {
        slots = EdgeSlots(start: .allocate(capacity: capacity), mask: UInt64(capacity - 1))
        let vacant = EdgeSlot(tag: EdgeTag(rawValue: 0), target: .none)
        slots.start.initialize(repeating: vacant, count: capacity)
    }

    deinit {
        slots.start.deallocate()
    }

    private var capacity: Int { Int(slots.mask) + 1 }

    func copy() -> EdgeTable {
        var copy = EdgeTable(capacity: capacity)
        copy.slots.start.update(from: slots.start, count: capacity)
        copy.count = count
        return copy
    }

    /// Adds an edge whose tag the table does not have.
    mutating func insert(_ target: StateIndex, for tag: EdgeTag) {
        if count * 2 >= capacity { grow() }
        slots.slot(of: tag).pointee = EdgeSlot(tag: tag, target: target)
        count += 1
    }

    mutating func remove(_ tag: EdgeTag) {
        let found = slots.slot(of: tag)
        if found.pointee.target == .none { return }
        count -= 1
        // Later entries of the same run move up into the hole, so that no search ends at it.
        var hole = UInt64(found - slots.start)
        var place = (hole + 1) & slots.mask
        while slots[place].pointee.target != .none {
            let wanted = slots[place].pointee.tag.rawValue
            if (place &- wanted) & slots.mask >= (place &- hole) & slots.mask {
                slots[hole].pointee = slots[place].pointee
                hole = place
            }
            place = (place + 1) & slots.mask
        }
        slots[hole].pointee.target = .none
    }

    func target(_ tag: EdgeTag) -> StateIndex? {
        let target = slots.target(tag)
        return target == .none ? nil : target
    }

    private mutating func grow() {
        var larger = EdgeTable(capacity: capacity * 2)
        for place in 0...slots.mask where slots[place].pointee.target != .none {
            larger.slots.slot(of: slots[place].pointee.tag).pointee = slots[place].pointee
        }
        larger.count = count
        self = larger
    }
}

extension EdgeTag {
    fileprivate init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
