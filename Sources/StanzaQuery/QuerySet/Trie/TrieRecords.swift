// The parts of a query set's trie: states, and the edges between them.
//
// A state represents the tests that its queries have passed so far. The walk reaches it with an element of a tree; its
// edges test that element, or lead to its children. QueryTrie.swift builds states, TrieWalk.swift follows their edges,
// EdgeTable.swift holds the hashed ones.

import XMLTree

typealias StateIndex = RecordIndex<TrieState>
typealias AttributeTestIndex = RecordIndex<AttributeTest>
typealias ValueEdgeIndex = RecordIndex<ValueEdge>
typealias CheckIndex = RecordIndex<Check>
typealias PartIndex = RecordIndex<ProgramPart>
typealias EntryIndex = RecordIndex<EntryLink>

extension StateIndex {
    /// The state that an evaluation begins in, with the context.
    static var root: StateIndex { StateIndex(rawValue: 0) }
}

/// A state, with the data that an evaluation needs.
struct TrieState: BitwiseCopyable {
    /// The first of the queries that have a result here.
    var firstEntry = EntryIndex.none
    /// The first of the queries whose rest is a program to run here.
    var firstTail = EntryIndex.none
    var firstCheck = CheckIndex.none
    /// The edge to all children.
    var anyChild = StateIndex.none
    /// The edge to all children in the element's own namespace.
    var anyChildInNamespace = StateIndex.none
    /// Edges of all kinds, and tails.
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

/// An edge of each kind is found by hash.
extension NamedTest {
    /// The number of kinds.
    static let count: UInt16 = 8

    /// The kinds that lead to children.
    static let ofChildren: [NamedTest] = [.child, .childInherited, .childAnywhere, .childInNamespace]
}

/// A set of kinds of edges.
struct EdgeKinds: OptionSet, BitwiseCopyable {
    let rawValue: UInt16

    init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init(_ kind: NamedTest) {
        rawValue = 1 << kind.rawValue
    }

    static let child = EdgeKinds(.child)
    static let childInherited = EdgeKinds(.childInherited)
    static let childAnywhere = EdgeKinds(.childAnywhere)
    static let childInNamespace = EdgeKinds(.childInNamespace)
    static let own = EdgeKinds(.own)
    static let ownInherited = EdgeKinds(.ownInherited)
    static let ownAnywhere = EdgeKinds(.ownAnywhere)
    static let ownNamespace = EdgeKinds(.ownNamespace)
    static let anyChild = EdgeKinds(rawValue: 1 << 8)
    static let anyChildInNamespace = EdgeKinds(rawValue: 1 << 9)

    static let byOwnName: EdgeKinds = [.own, .ownInherited, .ownAnywhere, .ownNamespace]
    /// Edges to children beside the usual ones.
    static let unusualChildren: EdgeKinds = [.childAnywhere, .childInNamespace, .anyChild, .anyChildInNamespace]
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
struct Check: BitwiseCopyable {
    enum Test: BitwiseCopyable {
        case hasText
        case isInInherited
        case isNotNamed(NameKey)
        /// A filter, as a program that yields if it holds.
        case part(PartIndex)
    }

    let test: Test
    let target: StateIndex
    /// Its neighbors in the list of its state.
    var previous = CheckIndex.none
    var next = CheckIndex.none
}

/// A part of a query that an ordinary machine runs. The trie holds the program.
struct ProgramPart: BitwiseCopyable {
    let program: UnsafeRawPointer
}

/// A query's place in the trie.
struct EntryLink: BitwiseCopyable {
    /// Where its path ends.
    var state = StateIndex.none
    /// The rest of the query; none when it has a result as soon as its state is reached.
    var tail = PartIndex.none
    /// Its neighbors in the list of its state.
    var previous = EntryIndex.none
    var next = EntryIndex.none
    /// Distinguishes the query from earlier queries with the same index.
    var generation: UInt32 = 0
    var rank = Rank(priority: 0, serial: 0)
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
    enum Edge: BitwiseCopyable {
        /// The root has none.
        case none
        case named(NamedTest, NameKey)
        case anyChild
        case anyChildInNamespace
        case hasAttribute(AttributeTestIndex)
        case attributeEquals(AttributeTestIndex, hash: UInt64)
        case check(CheckIndex)
    }

    let parent: StateIndex
    let edge: Edge
    /// The queries whose paths lead through the state or end there.
    var entryCount: UInt32 = 0
    /// The first of the states that its edges lead to, and its neighbors among its parent's.
    var firstChild = StateIndex.none
    var previousSibling = StateIndex.none
    var nextSibling = StateIndex.none
}
