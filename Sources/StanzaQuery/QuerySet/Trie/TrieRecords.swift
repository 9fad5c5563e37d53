// The parts of a query set's trie: states, and the edges between them.
//
// A state represents the tests that its queries have passed so far. The walk reaches it with an element of a tree; its
// edges test that element, or lead to its children. QueryTrie.swift builds states, TrieWalk.swift follows their edges.

import XMLTree

typealias StateIndex = RecordIndex<TrieState>
typealias AttributeTestIndex = RecordIndex<AttributeTest>
typealias EntryIndex = RecordIndex<EntryLink>

extension StateIndex {
    /// The state that an evaluation begins in, with the context.
    static var root: StateIndex { StateIndex(rawValue: 0) }
}

/// A state: the data that an evaluation needs, and then the data for editing.
struct TrieState: BitwiseCopyable {
    /// The first of the queries that have a result here.
    var firstEntry = EntryIndex.none
    /// The first of the queries whose rest a machine runs here.
    var firstTail = EntryIndex.none
    /// Edges of all kinds, and the list of tails.
    var edgeCount: UInt32 = 0
    /// The edges that lead to children.
    var childEdgeCount: UInt32 = 0
    /// The tests of attributes, which are found by the attribute's name.
    var attributeTestCount: UInt32 = 0
    /// The kinds of edges to children, and of those that test the element itself. Kinds may stay here after the removal
    /// of their last edge.
    var kinds: EdgeKinds = []
    /// The names of attributes that may have tests.
    var attributeNames = NameFilter<UInt32>()
    /// The names of children that may have edges.
    var childNames = NameFilter<UInt64>()
    let parent: StateIndex
    /// The queries whose paths lead through the state or end there.
    var entryCount: UInt32 = 0
    /// The edge to it: the step of the first query that had it. Its operand means nothing without that query's program.
    let step: Step
    /// The hash of the value that the edge requires.
    var value: UInt64 = 0

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

struct EdgeKinds: OptionSet, BitwiseCopyable {
    let rawValue: UInt16

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The kind of a step that leads to children, tests the element itself, or demands a text.
    @inline(__always)
    init(_ op: Step.Op, _ test: Step.Test = .name) {
        rawValue = op == .yield ? 1 << 12 : (op == .child ? 1 : 1 << 6) << UInt16(test.rawValue)
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
    /// Edges that test the element itself.
    static var ofElement: EdgeKinds {
        [
            EdgeKinds(.own, .name), EdgeKinds(.own, .inherited), EdgeKinds(.own, .anywhere),
            EdgeKinds(.own, .namespace), EdgeKinds(.own, .inheritedNamespace), EdgeKinds(.yield),
        ]
    }
}

/// The tests that a state's queries make on one attribute.
struct AttributeTest: BitwiseCopyable {
    let name: NameKey
    /// The lengths of all values, 63 and above as one; lengths of removed values may stay.
    var lengths: UInt64 = 0
    /// The edge for any value.
    var exists = StateIndex.none
    var valueCount: UInt32 = 0

    var edgeCount: UInt32 { valueCount + (exists == .none ? 0 : 1) }

    @inline(__always)
    func mayEqual(_ value: UnsafeBufferPointer<UInt8>) -> Bool { lengths & Self.lengthBit(value.count) != 0 }

    @inline(__always)
    static func lengthBit(_ length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }
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

    init(_ program: Program) { self.program = .passUnretained(program) }

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

/// A state, or one of its tests of an attribute, with a kind of edge.
struct EdgeOrigin: BitwiseCopyable {
    private let rawValue: UInt64

    /// - Parameter step: A step that is found by its key.
    init(_ state: StateIndex, _ step: Step) { self.init(state.rawValue, step.op.rawValue << 4 | step.kindNumber) }

    @inline(__always)
    init(_ state: StateIndex, _ op: Step.Op, _ test: Step.Test) {
        self.init(state.rawValue, op.rawValue << 4 | test.rawValue)
    }

    /// The values of a test of an attribute.
    @inline(__always)
    init(_ test: AttributeTestIndex) { self.init(test.rawValue, 0xFE) }

    /// The tests of attributes that a state makes: the target of such an edge is a test's index.
    @inline(__always)
    init(attributesOf state: StateIndex) { self.init(state.rawValue, 0xFF) }

    /// The key of an edge from here, in the table of all hashed edges.
    ///
    /// - Parameter hash: A keyed hash of the name or value that the edge requires.
    @inline(__always)
    func edge(_ hash: UInt64) -> UInt64 { hash &+ rawValue }

    @inline(__always)
    private init(_ place: UInt32, _ kind: UInt8) {
        // An odd factor: different numbers stay different.
        rawValue = (UInt64(place) << 8 | UInt64(kind)) &* 0x9E37_79B9_7F4A_7C15
    }
}

/// A borrowed look into a trie's tables, valid until the trie changes. The walk counts no references and checks no
/// bounds.
struct TrieView: BitwiseCopyable {
    let states: UnsafePointer<TrieState>
    let edges: NumberSlots<UInt64>
    let attributeTests: UnsafePointer<AttributeTest>
    let entries: UnsafePointer<EntryLink>
    /// Indexes of entries are below.
    let entryCount: UInt32
    /// Whether the order of the entries' indexes is that of the set.
    let isOrdered: Bool
    /// Whether the prefixes around a tree have to be known.
    let needsPrefixes: Bool

    /// The state that an edge leads to, or none.
    @inline(__always)
    func target(_ hash: UInt64, from origin: EdgeOrigin) -> StateIndex {
        StateIndex(rawValue: edges[origin.edge(hash)])
    }

    func id(of entry: EntryIndex) -> QuerySet.ID { QuerySet.ID(entry, generation: entries[entry].generation) }

    /// Sorts IDs into the order of their queries.
    func sort(_ ids: inout [QuerySet.ID]) {
        // A comparison of two ranks that have to be found first takes several times as long.
        var ranked = ids.map { (rank: entries[$0.entry].rank, id: $0) }
        ranked.sort { $0.rank < $1.rank }
        for index in ids.indices { ids[index] = ranked[index].id }
    }

    /// Whether a query comes before another one in the order of the set.
    @inline(__always)
    func isInOrder(_ left: EntryIndex, _ right: EntryIndex) -> Bool {
        isOrdered ? left.rawValue < right.rawValue : entries[left].rank < entries[right].rank
    }
}

// MARK: Tables

/// A growing table; the places of removed records are used again. Adding and removing take constant time, amortized.
struct RecordTable<Record: BitwiseCopyable>: ~Copyable {
    private var records = Records<Record>()
    private var vacant: [RecordIndex<Record>] = []

    /// The first record. Changes when the table grows.
    var base: UnsafePointer<Record> { UnsafePointer(records.base) }
    /// Every index is below.
    var end: Int { records.count }
    /// How many records are in use, for tests.
    var count: Int { end - vacant.count }

    func copy() -> RecordTable {
        var copy = RecordTable()
        copy.records = records.copy()
        copy.vacant = vacant
        return copy
    }

    /// A vacant place, which is in use from now on. It holds the record that was there last.
    mutating func reuse() -> RecordIndex<Record>? { vacant.popLast() }

    /// Puts a record into a vacant place, or appends it.
    mutating func insert(_ record: Record) -> RecordIndex<Record> {
        if let index = reuse() {
            self[index] = record
            return index
        }
        records.append(record)
        return RecordIndex(end - 1)
    }

    /// Frees a place. The record stays there until another one takes the place.
    mutating func vacate(_ index: RecordIndex<Record>) { vacant.append(index) }

    subscript(_ index: RecordIndex<Record>) -> Record {
        get { records[index.offset] }
        _modify { yield &records[index.offset] }
    }
}

extension UnsafePointer where Pointee: BitwiseCopyable {
    /// The record at an index of the table that begins here.
    subscript(_ index: RecordIndex<Pointee>) -> Pointee {
        @inline(__always) unsafeAddress { self + index.offset }
    }
}
