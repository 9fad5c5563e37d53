// Read access to a trie: pointers into its tables, which are valid until it is changed. The walk counts no references
// and checks no bounds.

import XMLTree

/// A borrowed look into a trie's tables.
struct TrieView: BitwiseCopyable {
    let states: UnsafePointer<TrieState>
    let origins: UnsafePointer<StateOrigin>
    let edges: EdgeSlots
    let attributeTests: UnsafePointer<AttributeTest>
    let values: UnsafePointer<ValueEdge>
    let checks: UnsafePointer<Check>
    let entries: UnsafePointer<EntryLink>
    let parts: UnsafePointer<ProgramPart>
    /// Indexes of entries are below.
    let entryCount: Int
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

    /// The program of a part. The trie holds it, and does not change during a walk: a copy of the set is edited apart.
    @inline(__always)
    func program(_ part: PartIndex) -> Unmanaged<Program> { Unmanaged.fromOpaque(parts[part].program) }

    /// The states from one to the root.
    func path(from state: StateIndex) -> some Sequence<StateIndex> {
        sequence(first: state) { state in
            let parent = origins[state.origin].parent
            return parent == .none ? nil : parent
        }
    }

    /// The queries whose paths lead through a state or end there, in no order.
    func entries(behind state: StateIndex) -> [EntryIndex] {
        var found: [EntryIndex] = []
        var open = [state]
        while let state = open.popLast() {
            for first in [states[state].firstEntry, states[state].firstTail] {
                var entry = first
                while entry != .none {
                    found.append(entry)
                    entry = entries[entry].next
                }
            }
            var child = origins[state.origin].firstChild
            while child != .none {
                open.append(child)
                child = origins[child.origin].nextSibling
            }
        }
        return found
    }

    /// The states that a query's path leads through, the last one first.
    func path(of entry: EntryIndex) -> some Sequence<StateIndex> { path(from: entries[entry].state) }
}

extension QuerySet {
    /// The numbers of the states on a query's path, from the root on. The query is one of the set's.
    package func path(of id: ID) -> [Int] { storage.view.pointee.path(of: id.entry).reversed().map(\.offset) }

    /// Whether a query needs a program of its own after its path. The query is one of the set's.
    package func needsProgram(_ id: ID) -> Bool { storage.view.pointee.entries[id.entry].tail != .none }
}
