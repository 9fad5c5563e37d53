// Read access to a trie: pointers into its tables, which are valid until it is changed. The walk counts no references
// and checks no bounds.

import XMLTree

/// A borrowed look into a trie's tables.
struct TrieView: BitwiseCopyable {
    let states: UnsafePointer<TrieState>
    let edges: EdgeSlots
    let attributeTests: UnsafePointer<AttributeTest>
    let values: UnsafePointer<ValueEdge>
    let attempts: UnsafePointer<Attempt>
    let entries: UnsafePointer<EntryLink>
    /// Indexes of entries are below.
    let entryCount: UInt32
    /// Whether the order of the entries' indexes is that of the set.
    let isOrdered: Bool
    /// Whether the prefixes around a tree have to be known.
    let needsPrefixes: Bool
}

extension TrieView {
    /// The state that the edge of a test to that value leads to, or none.
    @inline(__always)
    func target(of value: UnsafeBufferPointer<UInt8>, _ index: AttributeTestIndex) -> StateIndex {
        let test = attributeTests + index.offset
        if test.pointee.isHashed { return edges.target(EdgeTag(hash(ofValue: value), from: EdgeOrigin(index))) }
        let fingerprint = ValueFingerprint(value)
        var edge = test.pointee.firstValue
        while edge != .none {
            if values[edge].fingerprint == fingerprint,
                fingerprint.isExact || values[edge].hash == hash(ofValue: value)
            {
                return values[edge].target
            }
            edge = values[edge].next
        }
        return .none
    }

    /// Whether a query comes before another one in the order of the set.
    @inline(__always)
    func isInOrder(_ left: EntryIndex, _ right: EntryIndex) -> Bool {
        isOrdered ? left.rawValue < right.rawValue : entries[left].rank < entries[right].rank
    }
}

extension QuerySet {
    /// The numbers of the states on a query's path, from the root on. The query is one of the set's.
    package func path(of id: ID) -> [Int] { storage.trie.path(of: id.entry).reversed().map(\.offset) }

    /// Whether a machine runs the rest of a query after its path. The query is one of the set's.
    package func needsMachine(_ id: ID) -> Bool { storage.view.pointee.entries[id.entry].hasTail }
}
