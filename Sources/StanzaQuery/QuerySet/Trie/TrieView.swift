// Read access to a trie: pointers that are valid for one evaluation, so that the walk neither counts references nor
// checks bounds.

import XMLTree

/// A borrowed look into a trie's tables.
struct TrieView {
    let states: UnsafeBufferPointer<TrieState>
    let origins: UnsafeBufferPointer<StateOrigin>
    let edges: UnsafeBufferPointer<EdgeTable.Slot>
    let attributeTests: UnsafeBufferPointer<AttributeTest>
    let values: UnsafeBufferPointer<ValueEdge>
    let checks: UnsafeBufferPointer<Check>
    let entries: UnsafeBufferPointer<EntryLink>
    let parts: UnsafeBufferPointer<ProgramPart>
}

extension QueryTrie {
    /// Lends the tables for a call.
    @inline(__always)
    func withView<Result>(_ body: (TrieView) -> Result) -> Result {
        states.records.withUnsafeBufferPointer { states in
            origins.withUnsafeBufferPointer { origins in
                edges.slots.withUnsafeBufferPointer { edges in
                    attributeTests.records.withUnsafeBufferPointer { attributeTests in
                        values.records.withUnsafeBufferPointer { values in
                            checks.records.withUnsafeBufferPointer { checks in
                                entries.records.withUnsafeBufferPointer { entries in
                                    parts.records.withUnsafeBufferPointer { parts in
                                        body(
                                            TrieView(
                                                states: states, origins: origins, edges: edges,
                                                attributeTests: attributeTests, values: values, checks: checks,
                                                entries: entries, parts: parts))
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

extension TrieView {
    /// The state that the edge of a test to that value leads to, or none.
    @inline(__always)
    func target(of value: UnsafeBufferPointer<UInt8>, _ index: AttributeTestIndex) -> StateIndex {
        let test = attributeTests[index]
        guard test.mayEqual(value) else { return .none }
        if test.isHashed { return edges.target(EdgeTag(hash(ofValue: value), from: EdgeOrigin(index))) }
        let fingerprint = ValueFingerprint(value)
        var edge = test.firstValue
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

    /// The states that a query's path leads through, the last one first.
    func path(of entry: EntryIndex) -> some Sequence<StateIndex> {
        sequence(first: entries[entry].state) { state in
            let parent = origins[state.offset].parent
            return parent == .none ? nil : parent
        }
    }
}
