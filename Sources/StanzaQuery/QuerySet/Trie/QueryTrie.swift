// The queries of a set as a trie: queries that begin with the same tests share them.
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
    var checks = RecordTable<Check>()
    /// The test of each check and its state, by its index.
    var checkKeys: [CheckKey] = []
    var checkIndexes: [CheckKey: CheckIndex] = [:]
    private var parts = RecordTable<ProgramPart>()
    /// Holds the programs of the parts, by their indexes.
    private var programs: [Program?] = []
    private(set) var entries = RecordTable<EntryLink>()
    /// The number of queries that need the prefixes around a tree.
    private var prefixedCount = 0

    init() {
        _ = states.insert(TrieState())
        _ = origins.insert(StateOrigin(parent: .none, edge: .none))
    }

    func copy() -> QueryTrie {
        var copy = QueryTrie()
        copy.states = states.copy()
        copy.origins = origins.copy()
        copy.edges = edges.copy()
        copy.attributeTests = attributeTests.copy()
        copy.values = values.copy()
        copy.checks = checks.copy()
        copy.checkKeys = checkKeys
        copy.checkIndexes = checkIndexes
        copy.parts = parts.copy()
        copy.programs = programs
        copy.entries = entries.copy()
        copy.prefixedCount = prefixedCount
        return copy
    }

    /// The tables, valid until the trie is changed.
    var view: TrieView {
        TrieView(
            states: UnsafePointer(states.base), origins: UnsafePointer(origins.base), edges: edges.slots,
            attributeTests: UnsafePointer(attributeTests.base), values: UnsafePointer(values.base),
            checks: UnsafePointer(checks.base), entries: UnsafePointer(entries.base),
            parts: UnsafePointer(parts.base), entryCount: entries.end, needsPrefixes: prefixedCount > 0)
    }

    // MARK: Adding

    /// Adds a program without arguments, or with bound ones. Linear in its length.
    mutating func insert(_ program: Program, rank: Rank) -> EntryIndex {
        let entry = entries.reuse() ?? entries.insert(EntryLink())
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
        entries[entry].rank.priority = priority
    }

    private mutating func insert(_ program: Program, at entry: EntryIndex) {
        var step = 0
        var state = StateIndex.root
        origins[state.origin].entryCount += 1
        while let edge = program.edge(at: step) {
            state = target(of: edge, from: state, program, at: step)
            origins[state.origin].entryCount += 1
            step += 1
        }
        entries[entry].state = state
        if program.isResult(at: step) {
            link(entry, into: \.firstEntry)
        } else {
            entries[entry].tail = insert(program.tail(from: step))
            states[state].edgeCount += 1
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

    /// Keeps a program for a machine to run.
    mutating func insert(_ part: Program) -> PartIndex {
        let record = ProgramPart(program: UnsafeRawPointer(Unmanaged.passUnretained(part).toOpaque()))
        let index = parts.insert(record)
        if index.offset < programs.count { programs[index.offset] = part } else { programs.append(part) }
        return index
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
        let tail = entries[entry].tail
        var state = entries[entry].state
        unlink(entry, from: tail == .none ? \.firstEntry : \.firstTail)
        if tail != .none {
            if programs[tail.offset]?.usesPrefixes == true { prefixedCount -= 1 }
            remove(tail)
            states[state].edgeCount -= 1
        }
        entries[entry].state = .none
        entries[entry].tail = .none
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

    mutating func remove(_ part: PartIndex) {
        programs[part.offset] = nil
        parts.vacate(part)
    }
}

/// A check's state and test: the same test is made once in a state.
struct CheckKey: Hashable {
    let state: StateIndex
    let content: CheckContent
}

extension StateIndex {
    /// The index of the state's origin.
    var origin: RecordIndex<StateOrigin> { RecordIndex<StateOrigin>(rawValue: rawValue) }
}
