// The queries of a set as a trie: queries that begin with the same steps share them.
//
// This file adds and removes queries; QueryTrie+Edges.swift makes and removes edges, TrieWalk.swift evaluates. The trie
// knows programs, but no arguments: QuerySet.swift binds them.

import XMLTree

/// States and edges, in flat tables.
struct QueryTrie: ~Copyable {
    var states = RecordTable<TrieState>()
    /// The record of each state, by its index.
    var origins = RecordTable<StateOrigin>()
    var edges = EdgeTable()
    var attributeTests = RecordTable<AttributeTest>()
    var values = RecordTable<ValueEdge>()
    var attempts = RecordTable<Attempt>()
    private(set) var entries = RecordTable<EntryLink>()
    /// Whether the order of the entries' indexes is that of the set: until a place is used again, or a query comes
    /// before an earlier one.
    private var isOrdered = true
    /// The number of queries that need the prefixes around a tree.
    private var prefixedCount = 0

    init() {
        _ = states.insert(TrieState())
        _ = origins.insert(StateOrigin(parent: .none, step: .ascend))
    }

    func copy() -> QueryTrie {
        var copy = QueryTrie()
        copy.states = states.copy()
        copy.origins = origins.copy()
        copy.edges = edges.copy()
        copy.attributeTests = attributeTests.copy()
        copy.values = values.copy()
        copy.attempts = attempts.copy()
        copy.entries = entries.copy()
        copy.isOrdered = isOrdered
        copy.prefixedCount = prefixedCount
        return copy
    }

    /// The tables, valid until the trie is changed.
    var view: TrieView {
        TrieView(
            states: UnsafePointer(states.base), edges: edges.slots,
            attributeTests: UnsafePointer(attributeTests.base), values: UnsafePointer(values.base),
            attempts: UnsafePointer(attempts.base), entries: UnsafePointer(entries.base),
            entryCount: UInt32(entries.end), isOrdered: isOrdered, needsPrefixes: prefixedCount > 0)
    }

    /// The states that a query's path leads through, the last one first.
    func path(of entry: EntryIndex) -> [StateIndex] {
        var path: [StateIndex] = []
        var state = entries[entry].state
        while state != .none {
            path.append(state)
            state = origins[state.origin].parent
        }
        return path
    }

    // MARK: Adding

    /// Adds a program without arguments, or with bound ones. Linear in its length. The caller keeps the program until
    /// it is removed.
    mutating func insert(_ program: Program, rank: Rank) -> EntryIndex {
        let end = entries.end
        let entry = entries.reuse() ?? entries.insert(EntryLink(program))
        if entry.offset < end || (end > 0 && rank < entries[EntryIndex(end - 1)].rank) { isOrdered = false }
        entries[entry].rank = rank
        insert(program, at: entry)
        return entry
    }

    /// Replaces a query by another one, in the same place.
    mutating func replace(_ entry: EntryIndex, with program: Program) {
        removePath(of: entry)
        insert(program, at: entry)
    }

    mutating func setPriority(_ priority: Int, of entry: EntryIndex) {
        if entries[entry].rank.priority != priority { isOrdered = false }
        entries[entry].rank.priority = priority
    }

    private mutating func insert(_ program: Program, at entry: EntryIndex) {
        var step = 0
        var state = StateIndex.root
        origins[state.origin].entryCount += 1
        while let edge = program.edge(at: step) {
            state = target(of: edge, from: state, in: program)
            origins[state.origin].entryCount += 1
            step += 1
        }
        entries[entry].program = .passUnretained(program)
        entries[entry].state = state
        if program.isResult(at: step) {
            entries[entry].tail = EntryLink.noTail
            link(entry, into: \.firstEntry)
        } else {
            entries[entry].tail = UInt32(step)
            // The list is one edge.
            if states[state].firstTail == .none { states[state].edgeCount += 1 }
            link(entry, into: \.firstTail)
        }
        if program.usesPrefixes { prefixedCount += 1 }
    }

    @inline(never)
    private mutating func link(_ entry: EntryIndex, into list: WritableKeyPath<TrieState, EntryIndex>) {
        let state = entries[entry].state
        let next = states[state][keyPath: list]
        entries[entry].next = next
        entries[entry].previous = .none
        if next != .none { entries[next].previous = entry }
        states[state][keyPath: list] = entry
    }

    // MARK: Removing

    /// Removes a query, and the states and edges that no other query needs. Linear in the length of the query.
    mutating func remove(_ entry: EntryIndex) {
        removePath(of: entry)
        entries[entry].generation += 1
        // A place whose generations are used up is not used again.
        if entries[entry].generation < .max { entries.vacate(entry) }
    }

    private mutating func removePath(of entry: EntryIndex) {
        let hasTail = entries[entry].hasTail
        var state = entries[entry].state
        unlink(entry, from: hasTail ? \.firstTail : \.firstEntry)
        if hasTail, states[state].firstTail == .none { states[state].edgeCount -= 1 }
        if entries[entry].program._withUnsafeGuaranteedRef({ $0.usesPrefixes }) { prefixedCount -= 1 }
        entries[entry].state = .none
        while state != .none {
            let parent = origins[state.origin].parent
            origins[state.origin].entryCount -= 1
            if origins[state.origin].entryCount == 0, state != .root { detach(state) }
            state = parent
        }
    }

    private mutating func unlink(_ entry: EntryIndex, from list: WritableKeyPath<TrieState, EntryIndex>) {
        let link = entries[entry]
        if link.next != .none { entries[link.next].previous = link.previous }
        if link.previous != .none {
            entries[link.previous].next = link.next
        } else {
            states[link.state][keyPath: list] = link.next
        }
    }
}

extension StateIndex {
    /// The index of the state's origin.
    var origin: RecordIndex<StateOrigin> { RecordIndex<StateOrigin>(rawValue: rawValue) }
}
