// The queries of a set as a trie: queries that begin with the same steps share them.
//
// The key of a hashed edge has 64 bits: the keyed hash of a name or value, plus a number for the state and the kind of
// edge. As with name keys, an attacker cannot search for two edges with one key. TrieWalk.swift evaluates. The trie
// reads programs without arguments: QuerySet.swift binds them.

import XMLTree

/// The queries, with states and edges in flat tables.
struct QueryTrie: ~Copyable {
    private(set) var states = RecordTable<TrieState>()
    private(set) var edges = NumberTable<UInt64>(capacity: 16)
    private(set) var attributeTests = RecordTable<AttributeTest>()
    private(set) var entries = RecordTable<EntryLink>()
    /// The queries by the indexes of their entries.
    private var queries: [QuerySet.Entry?] = []
    private(set) var count = 0
    private var nextSerial: UInt64 = 0
    /// Whether the order of the entries' indexes is that of the set: until a place is used again, or a query comes
    /// before an earlier one.
    private var isOrdered = true
    /// The number of queries that need the prefixes around a tree.
    private var prefixedCount = 0

    init() { _ = states.insert(TrieState(parent: .none, step: .ascend)) }

    func copy() -> QueryTrie {
        var copy = QueryTrie()
        copy.states = states.copy()
        copy.edges = edges.copy()
        copy.attributeTests = attributeTests.copy()
        copy.entries = entries.copy()
        (copy.queries, copy.count, copy.nextSerial) = (queries, count, nextSerial)
        copy.isOrdered = isOrdered
        copy.prefixedCount = prefixedCount
        return copy
    }

    /// The tables, valid until the trie is changed.
    var view: TrieView {
        TrieView(
            states: states.base, edges: edges.slots, attributeTests: attributeTests.base, entries: entries.base,
            entryCount: UInt32(entries.end), isOrdered: isOrdered, needsPrefixes: prefixedCount > 0)
    }

    /// A registered query; `nil` if the set does not have it any more.
    subscript(id: QuerySet.ID) -> QuerySet.Entry? {
        id.index < queries.count && entries[id.entry].generation == id.generation ? queries[id.index] : nil
    }

    /// The IDs of all queries, in their order.
    var ids: [QuerySet.ID] {
        var ids = queries.indices.filter { queries[$0] != nil }.map { view.id(of: EntryIndex($0)) }
        view.sort(&ids)
        return ids
    }

    /// The states that a query's path leads through, the last one first.
    func path(of entry: EntryIndex) -> [StateIndex] {
        var path: [StateIndex] = []
        var state = entries[entry].state
        while state != .none {
            path.append(state)
            state = states[state].parent
        }
        return path
    }

    // MARK: Adding

    /// Adds a query. Linear in its length.
    mutating func insert(_ query: QuerySet.Entry) -> QuerySet.ID {
        let (end, rank) = (entries.end, Rank(priority: query.priority, serial: nextSerial))
        let entry = entries.reuse() ?? entries.insert(EntryLink(query.compiled))
        if entry.offset < end || (end > 0 && rank < entries[EntryIndex(end - 1)].rank) { isOrdered = false }
        entries[entry].rank = rank
        insert(query.compiled, at: entry)
        if entry.offset < queries.count { queries[entry.offset] = query } else { queries.append(query) }
        nextSerial += 1
        count += 1
        return view.id(of: entry)
    }

    /// Replaces a query that the set has by another one, in the same place.
    mutating func replace(_ id: QuerySet.ID, with query: QuerySet.Entry) {
        removePath(of: id.entry)
        insert(query.compiled, at: id.entry)
        queries[id.index] = query
    }

    /// The set has the query.
    mutating func setPriority(_ priority: Int, of id: QuerySet.ID) {
        if entries[id.entry].rank.priority != priority { isOrdered = false }
        entries[id.entry].rank.priority = priority
        queries[id.index]?.priority = priority
    }

    private mutating func insert(_ program: Program, at entry: EntryIndex) {
        var step = 0
        var state = StateIndex.root
        states[state].entryCount += 1
        while let edge = program.edge(at: step) {
            state = target(of: edge, from: state, in: program)
            states[state].entryCount += 1
            step += 1
        }
        entries[entry].program = .passUnretained(program)
        entries[entry].state = state
        if program.isResult(at: step) {
            entries[entry].tail = EntryLink.noTail
            Self.link(entry, to: &states[state].firstEntry, in: &entries)
        } else {
            entries[entry].tail = UInt32(step)
            // The list is one edge.
            if states[state].firstTail == .none { states[state].edgeCount += 1 }
            Self.link(entry, to: &states[state].firstTail, in: &entries)
        }
        if program.usesPrefixes { prefixedCount += 1 }
    }

    /// Puts a query at the beginning of a state's list.
    private static func link(_ entry: EntryIndex, to first: inout EntryIndex, in entries: inout RecordTable<EntryLink>)
    {
        entries[entry].next = first
        entries[entry].previous = .none
        if first != .none { entries[first].previous = entry }
        first = entry
    }

    // MARK: Removing

    /// Removes a query, and the states and edges that no other query needs. Linear in the length of the query.
    mutating func remove(_ id: QuerySet.ID) -> QuerySet.Entry? {
        guard let query = self[id] else { return nil }
        removePath(of: id.entry)
        entries[id.entry].generation += 1
        // A place whose generations are used up is not used again.
        if entries[id.entry].generation < .max { entries.vacate(id.entry) }
        queries[id.index] = nil
        count -= 1
        return query
    }

    private mutating func removePath(of entry: EntryIndex) {
        var state = entries[entry].state
        if entries[entry].hasTail {
            Self.unlink(entry, from: &states[state].firstTail, in: &entries)
            if states[state].firstTail == .none { states[state].edgeCount -= 1 }
        } else {
            Self.unlink(entry, from: &states[state].firstEntry, in: &entries)
        }
        if entries[entry].program._withUnsafeGuaranteedRef({ $0.usesPrefixes }) { prefixedCount -= 1 }
        entries[entry].state = .none
        while state != .none {
            let parent = states[state].parent
            states[state].entryCount -= 1
            if states[state].entryCount == 0, state != .root { detach(state) }
            state = parent
        }
    }

    private static func unlink(
        _ entry: EntryIndex, from first: inout EntryIndex, in entries: inout RecordTable<EntryLink>
    ) {
        let link = entries[entry]
        if link.next != .none { entries[link.next].previous = link.previous }
        if link.previous != .none { entries[link.previous].next = link.next } else { first = link.next }
    }

    // MARK: Edges

    /// The state that an edge leads to. The trie makes both if they do not exist.
    ///
    /// - Parameter program: The program that has the step.
    private mutating func target(of step: Step, from state: StateIndex, in program: Program) -> StateIndex {
        switch step.edge {
        case .key, .attempt: return keyedTarget(of: step, from: state)
        case .attribute:
            let test = attributeTest(of: step.key, in: state)
            if attributeTests[test].exists == .none { attributeTests[test].exists = make(step, from: state) }
            return attributeTests[test].exists
        case .value: return target(of: program.string(of: step), step, from: state)
        case nil: preconditionFailure("a path has edges only")
        }
    }

    // Four callers: copies of this in each cost the compiler much time.
    @inline(never)
    private mutating func make(_ step: Step, value: UInt64 = 0, from parent: StateIndex) -> StateIndex {
        let state = states.insert(TrieState(parent: parent, step: step, value: value))
        states[parent].edgeCount += 1
        if step.op == .child { states[parent].childEdgeCount += 1 }
        if step.edge != .attribute, step.edge != .value { states[parent].kinds.insert(EdgeKinds(step.op, step.test)) }
        return state
    }

    private mutating func keyedTarget(of step: Step, from state: StateIndex) -> StateIndex {
        let edge = EdgeOrigin(state, step).edge(step.key.rawValue)
        let known = StateIndex(rawValue: edges.slots[edge])
        if known != .none { return known }
        let target = make(step, from: state)
        edges.insert(target.rawValue, edge)
        if step.op == .child { states[state].childNames.insert(step.key.rawValue) }
        return target
    }

    private mutating func attributeTest(of name: NameKey, in state: StateIndex) -> AttributeTestIndex {
        let edge = EdgeOrigin(attributesOf: state).edge(name.rawValue)
        let known = AttributeTestIndex(rawValue: edges.slots[edge])
        if known != .none { return known }
        let index = attributeTests.insert(AttributeTest(name: name))
        states[state].attributeTestCount += 1
        states[state].attributeNames.insert(name.rawValue)
        edges.insert(index.rawValue, edge)
        return index
    }

    private mutating func target(
        of value: UnsafeBufferPointer<UInt8>, _ step: Step, from state: StateIndex
    ) -> StateIndex {
        let test = attributeTest(of: step.key, in: state)
        let hash = hash(ofValue: value)
        let edge = EdgeOrigin(test).edge(hash)
        let known = StateIndex(rawValue: edges.slots[edge])
        if known != .none { return known }
        let target = make(step, value: hash, from: state)
        attributeTests[test].valueCount += 1
        attributeTests[test].lengths |= AttributeTest.lengthBit(value.count)
        edges.insert(target.rawValue, edge)
        return target
    }

    /// Removes a state that no query needs any more, with the edge to it.
    private mutating func detach(_ state: StateIndex) {
        let (parent, step) = (states[state].parent, states[state].step)
        states[parent].edgeCount -= 1
        if step.op == .child {
            states[parent].childEdgeCount -= 1
            if states[parent].childEdgeCount == 0 { states[parent].childNames = NameFilter() }
        }
        switch step.edge {
        case .key, .attempt: edges.remove(EdgeOrigin(parent, step).edge(step.key.rawValue))
        case .attribute:
            let test = attributeTest(of: step.key, in: parent)
            attributeTests[test].exists = .none
            removeIfUnused(test, from: parent)
        case .value:
            let test = attributeTest(of: step.key, in: parent)
            attributeTests[test].valueCount -= 1
            edges.remove(EdgeOrigin(test).edge(states[state].value))
            removeIfUnused(test, from: parent)
        case nil: preconditionFailure("the root is never removed")
        }
        states.vacate(state)
    }

    private mutating func removeIfUnused(_ test: AttributeTestIndex, from state: StateIndex) {
        guard attributeTests[test].edgeCount == 0 else { return }
        states[state].attributeTestCount -= 1
        if states[state].attributeTestCount == 0 { states[state].attributeNames = NameFilter() }
        edges.remove(EdgeOrigin(attributesOf: state).edge(attributeTests[test].name.rawValue))
        attributeTests.vacate(test)
    }
}

extension QuerySet {
    /// The numbers of the states on a query's path, from the root on. The query is one of the set's.
    package func path(of id: ID) -> [Int] { storage.trie.path(of: id.entry).reversed().map(\.offset) }

    /// Whether a machine runs the rest of a query after its path. The query is one of the set's.
    package func needsMachine(_ id: ID) -> Bool { storage.view.pointee.entries[id.entry].hasTail }
}
