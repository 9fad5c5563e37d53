// The parts of a query set's trie: states, and the edges between them.
//
// A state represents the tests that its queries have passed so far. The walk reaches it with an element of a tree; its
// edges test that element, or lead to its children. QueryTrie.swift builds states, TrieWalk.swift follows their edges,
// EdgeTable.swift holds the hashed ones.

import XMLTree

typealias StateIndex = RecordIndex<TrieState>
typealias AttributeTestIndex = RecordIndex<AttributeTest>
typealias ValueEdgeIndex = RecordIndex<ValueEdge>
typealias AttemptIndex = RecordIndex<Attempt>
typealias EntryIndex = RecordIndex<EntryLink>

extension StateIndex {
    /// The state that an evaluation begins in, with the context.
    static var root: StateIndex { StateIndex(rawValue: 0) }
}

/// A state, with the data that an evaluation needs.
struct TrieState: BitwiseCopyable {
    /// The first of the queries that have a result here.
    var firstEntry = EntryIndex.none
    /// The first of the queries whose rest a machine runs here.
    var firstTail = EntryIndex.none
    var firstAttempt = AttemptIndex.none
    /// The edge to all children.
    var anyChild = StateIndex.none
    /// The edge to all children in the element's own namespace.
    var anyChildInNamespace = StateIndex.none
    /// Edges of all kinds, and the list of tails.
    var edgeCount: UInt32 = 0
    /// The edges that lead to children.
    var childEdgeCount: UInt32 = 0
    /// The tests of attributes, which are found by the attribute's name.
    var attributeTestCount: UInt32 = 0
    /// The kinds of edges that depend on names. Kinds may stay here after the removal of their last edge.
    var kinds: EdgeKinds = []
    /// The names of attributes that may have tests.
    var attributeNames = NameFilter<UInt32>()
    /// The names of children that may have edges.
    var childNames = NameFilter<UInt64>()

    /// Whether all edges lead to children, by their names.
    @inline(__always)
    var leadsToNamedChildren: Bool { edgeCount == childEdgeCount && kinds.isDisjoint(with: .unusualChildren) }
}

/// A filter that proves for most keys that they are not in the table, so that few names of a tree cost a lookup for
/// nothing. Removed keys stay in it.
struct NameFilter<Bits: FixedWidthInteger & BitwiseCopyable>: BitwiseCopyable {
    private var bits: Bits = 0

    mutating func insert(_ key: UInt64) { bits |= Self.bit(of: key) }

    @inline(__always)
    func mayContain(_ key: UInt64) -> Bool { bits & Self.bit(of: key) != 0 }

    /// Keys are hashes, so any bits do; the table uses those of the other end.
    @inline(__always)
    private static func bit(of key: UInt64) -> Bits { 1 &<< Bits(truncatingIfNeeded: key &>> 58) }
}

/// A set of kinds of edges.
struct EdgeKinds: OptionSet, BitwiseCopyable {
    let rawValue: UInt16

    init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    @inline(__always)
    init(_ op: Step.Op, _ test: Step.Test) {
        rawValue = (op == .child ? 1 : 1 << 6) << UInt16(test.rawValue)
    }

    static var childNamed: EdgeKinds { EdgeKinds(.child, .name) }
    static var childInherited: EdgeKinds { EdgeKinds(.child, .inherited) }
    /// Edges to children beside the usual ones.
    static var unusualChildren: EdgeKinds {
        [
            EdgeKinds(.child, .anywhere), EdgeKinds(.child, .namespace), EdgeKinds(.child, .any),
            EdgeKinds(.child, .inheritedNamespace),
        ]
    }
    static var byOwnName: EdgeKinds {
        [
            EdgeKinds(.own, .name), EdgeKinds(.own, .inherited), EdgeKinds(.own, .anywhere),
            EdgeKinds(.own, .namespace),
        ]
    }
}

/// The tests that a state's queries make on one attribute.
struct AttributeTest: BitwiseCopyable {
    /// The state compares few values one after another: that is faster than to hash the attribute's value.
    static let fewValues: UInt32 = 4

    let name: NameKey
    /// The lengths of all values, 63 and above as one; lengths of removed values may stay.
    var lengths: UInt64 = 0
    /// The edge for any value.
    var exists = StateIndex.none
    /// The first of few values.
    var firstValue = ValueEdgeIndex.none
    var valueCount: UInt32 = 0
    /// Whether values are found by hash.
    var isHashed = false

    init(name: NameKey) {
        self.name = name
    }

    var edgeCount: UInt32 { valueCount + (exists == .none ? 0 : 1) }

    @inline(__always)
    func mayEqual(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        lengths & Self.lengthBit(value.count) != 0
    }

    @inline(__always)
    static func lengthBit(_ length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }
}

/// One of few values.
struct ValueEdge: BitwiseCopyable {
    let fingerprint: ValueFingerprint
    let hash: UInt64
    let target: StateIndex
    var next: ValueEdgeIndex
}

/// A test of the element itself that no hash decides.
struct Attempt: BitwiseCopyable {
    let step: Step
    let target: StateIndex
    /// Its neighbors in the list of its state.
    var previous = AttemptIndex.none
    var next = AttemptIndex.none
}

/// A query's place in the trie.
struct EntryLink: BitwiseCopyable {
    static let noTail = UInt32.max

    /// The set holds it, and does not change during a walk: a copy of the set is edited apart.
    var program: Unmanaged<Program>
    /// The step from which on a machine runs the query; none when it has a result as soon as its state is reached.
    var tail = noTail
    /// Where its path ends.
    var state = StateIndex.none
    /// Its neighbors in the list of its state.
    var previous = EntryIndex.none
    var next = EntryIndex.none
    /// Distinguishes the query from earlier queries with the same index.
    var generation: UInt32 = 0
    var rank = Rank(priority: 0, serial: 0)

    init(_ program: Program) {
        self.program = .passUnretained(program)
    }

    var hasTail: Bool { tail != Self.noTail }
}

/// A query's place in the order of its set.
struct Rank: Comparable, BitwiseCopyable {
    var priority: Int
    /// Counts registrations.
    var serial: UInt64

    static func < (left: Rank, right: Rank) -> Bool {
        left.priority == right.priority ? left.serial < right.serial : left.priority > right.priority
    }
}

/// The path to a state, and its number of queries: the data for editing.
struct StateOrigin: BitwiseCopyable {
    let parent: StateIndex
    /// The edge: the step of the first query that had it. Its operand means nothing without that query's program.
    let step: Step
    /// The hash of the value that the edge requires, or the index of its attempt.
    var value: UInt64 = 0
    /// The queries whose paths lead through the state or end there.
    var entryCount: UInt32 = 0
}
