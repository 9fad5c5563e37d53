// The queries of a set as a trie: queries that begin with the same tests share them.
//
// Here queries are added and removed; QueryTrie+Edges.swift makes and removes edges, TrieWalk.swift evaluates. The trie
// knows programs, but neither priorities nor what a query is called: that is QuerySet.swift's.

import XMLTree

/// States and edges, in flat tables.
struct QueryTrie: Sendable {
    var states = RecordTable<TrieState>()
    /// Of each state, by its index.
    var origins: [StateOrigin] = []
    var edges = EdgeTable()
    var attributeTests = RecordTable<AttributeTest>()
    var values = RecordTable<ValueEdge>()
    var checks = RecordTable<Check>()
    /// What each check tests and where, by its index.
    var checkKeys: [CheckKey] = []
    var checkIndexes: [CheckKey: CheckIndex] = [:]
    var parts = RecordTable<ProgramPart>()
    private(set) var entries = RecordTable<EntryLink>()
    /// How many queries need to know the prefixes around a tree.
    private(set) var prefixedCount = 0

    init() {
        _ = states.insert(TrieState())
        origins.append(StateOrigin(parent: .none, edge: .none))
    }

    /// How many edges lead to a state.
    func depth(of state: StateIndex) -> Int {
        sequence(first: state) { origins[$0.offset].parent }.prefix { $0 != .root }.reduce(0) { depth, _ in depth + 1 }
    }

    // MARK: Adding

    /// Adds a query without arguments, or with bound ones. Linear in the length of the query.
    mutating func insert(_ query: Query) -> EntryIndex {
        let entry = entries.reuse() ?? entries.insert(EntryLink())
        insert(query, at: entry)
        return entry
    }

    /// Puts another query in a query's place.
    mutating func replace(_ entry: EntryIndex, with query: Query) {
        removePath(of: entry)
        insert(query, at: entry)
    }

    private mutating func insert(_ query: Query, at entry: EntryIndex) {
        var path = QueryPath(query)
        var state = StateIndex.root
        origins[state.offset].entryCount += 1
        while let edge = path.next() {
            state = target(of: edge, from: state, path)
            origins[state.offset].entryCount += 1
        }
        entries[entry].state = state
        switch path.ending {
        case .result, nil:
            link(entry, into: \.firstEntry)
        case .tail(let address):
            entries[entry].tail = parts.insert(ProgramPart(program: query.program.tail(from: address)))
            states[state].edgeCount += 1
            link(entry, into: \.firstTail)
        }
        if query.program.needsPrefixes { prefixedCount += 1 }
    }

    private mutating func link(_ entry: EntryIndex, into list: WritableKeyPath<TrieState, EntryIndex>) {
        let state = entries[entry].state
        let next = states[state][keyPath: list]
        entries[entry].next = next
        entries[entry].previous = .none
        if next != .none { entries[next].previous = entry }
        states[state][keyPath: list] = entry
    }

    // MARK: Removing

    /// Removes a query, and what no other query needs. Linear in the length of the query.
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
            if parts[tail].program?.needsPrefixes == true { prefixedCount -= 1 }
            parts[tail].program = nil
            parts.vacate(tail)
            states[state].edgeCount -= 1
        }
        entries[entry].state = .none
        entries[entry].tail = .none
        while state != .none {
            let parent = origins[state.offset].parent
            origins[state.offset].entryCount -= 1
            if origins[state.offset].entryCount == 0, state != .root { detach(state) }
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

/// A check's state and test: the same test is made once in a state.
struct CheckKey: Hashable {
    let state: StateIndex
    let content: CheckContent
}

extension Program {
    /// Whether the prefixes in scope have to be known to run it.
    var needsPrefixes: Bool { attributes.contains(where: \.needsPrefixes) }
}
