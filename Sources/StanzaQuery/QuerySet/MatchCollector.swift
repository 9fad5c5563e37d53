// Collects the matches of a set's evaluation: few matches in place, many on the heap.

import XMLTree

/// Room for some IDs without an allocation.
struct FewIDs: BitwiseCopyable {
    static let capacity = 8

    private var ids:
        (
            QuerySet.ID, QuerySet.ID, QuerySet.ID, QuerySet.ID, QuerySet.ID, QuerySet.ID, QuerySet.ID, QuerySet.ID
        )

    @inline(__always)
    init() {
        let none = QuerySet.ID(.none, generation: 0)
        ids = (none, none, none, none, none, none, none, none)
    }

    /// The ID at an index, which is below the capacity.
    subscript(_ index: Int) -> QuerySet.ID {
        withUnsafeBytes(of: ids) {
            $0.load(fromByteOffset: index * MemoryLayout<QuerySet.ID>.stride, as: QuerySet.ID.self)
        }
    }

    /// Lends the places.
    @inline(__always)
    mutating func withPlaces<Result>(_ body: (UnsafeMutablePointer<QuerySet.ID>) -> Result) -> Result {
        // A tuple of one type is memory of that type.
        withUnsafeMutableBytes(of: &ids) { bytes in
            body(bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: QuerySet.ID.self))
        }
    }
}

/// Matches in the order in which the walk finds them, each once; and faults of regular expressions.
///
/// A plain value without reference counts: the owner of a collector whose `isUnusual` is set must `dispose` of it.
struct MatchCollector: BitwiseCopyable {
    /// A regular expression at its limit.
    enum Fault {
        /// In the check that leads to a state: all queries that pass there end.
        case state(StateIndex)
        /// In the program that is the rest of a query.
        case tail(EntryIndex, PatternIndex)
    }

    /// A list of more queries than the room has places.
    private struct LongList {
        /// Whether its queries were added, if the caller requests only the first match.
        var isAdded = false
        /// The number of queries at its beginning that are not open any more.
        var decidedCount: UInt32 = 0
        /// The query after them, which is possibly open; none if no query is.
        var next = EntryIndex.none
    }

    /// The rarely needed part.
    private final class Heap {
        /// All matches, once they are too many.
        var ids: [QuerySet.ID] = []
        /// A bit for each entry of the set.
        var seen: [UInt64] = []
        /// Long lists of queries, by their first queries.
        var lists: [EntryIndex: LongList] = [:]
        /// Faults, with numbers in the order in which they happened.
        var faultyStates: [StateIndex: Int] = [:]
        var faultyTails: [EntryIndex: (number: Int, pattern: PatternIndex)] = [:]
    }

    /// The matches, until their number exceeds the room.
    let few: UnsafeMutablePointer<QuerySet.ID>
    private(set) var count = 0
    private(set) var hasFaults = false
    /// Whether the caller requests only the first match.
    private let wantsFirst: Bool
    /// Retained until `dispose`, which is the last call; `nil` until it is needed. Only this walk knows the object.
    private var unmanagedHeap: Unmanaged<Heap>?

    /// - Parameter few: Room for `FewIDs.capacity` IDs.
    @inline(__always)
    init(_ few: UnsafeMutablePointer<QuerySet.ID>, wantsFirst: Bool) {
        self.few = few
        self.wantsFirst = wantsFirst
    }

    /// Whether the matches exceed the room, or faults or long lists exist.
    @inline(__always)
    var isUnusual: Bool { unmanagedHeap != nil }

    func dispose() {
        unmanagedHeap?.release()
    }

    private var heap: Heap? { unmanagedHeap?.takeUnretainedValue() }

    private mutating func makeHeap() -> Heap {
        if let heap { return heap }
        let heap = Heap()
        unmanagedHeap = .passRetained(heap)
        return heap
    }

    // MARK: Matches

    /// All matches, if they exceed the given room.
    var many: [QuerySet.ID]? { count > FewIDs.capacity ? heap?.ids : nil }

    /// Adds a match, unless it was found before.
    @inline(__always)
    mutating func add(_ entry: EntryIndex, _ trie: TrieView) {
        if contains(entry) { return }
        let id = QuerySet.ID(entry, generation: trie.entries[entry].generation)
        if wantsFirst {
            if count == 0 || trie.entries[entry].rank < trie.entries[few[0].entry].rank { few[0] = id }
            count = 1
        } else if count < FewIDs.capacity {
            few[count] = id
            count &+= 1
        } else {
            addToHeap(id, entryCount: trie.entryCount)
        }
    }

    /// Adds a match if that takes no more than a store. Returns whether the match is in the collector now.
    @inline(__always)
    mutating func addQuickly(_ entry: EntryIndex, generation: UInt32) -> Bool {
        if wantsFirst || hasFaults || count >= FewIDs.capacity { return false }
        if !contains(entry) {
            few[count] = QuerySet.ID(entry, generation: generation)
            count &+= 1
        }
        return true
    }

    @inline(__always)
    func contains(_ entry: EntryIndex) -> Bool {
        if count > FewIDs.capacity { return isOnHeap(entry) }
        var index = 0
        while index < count {
            if few[index].entry == entry { return true }
            index &+= 1
        }
        return false
    }

    /// Whether a result of the query makes no difference any more: it has had one, or comes too late.
    @inline(__always)
    func isDecided(_ entry: EntryIndex, _ trie: TrieView) -> Bool {
        if contains(entry) { return true }
        return wantsFirst && count > 0 && trie.entries[few[0].entry].rank < trie.entries[entry].rank
    }

    /// Whether the queries of a list were added before.
    @inline(__always)
    func hasAll(from first: EntryIndex) -> Bool {
        contains(first) || wantsFirst && isUnusual && isOnListOfLists(first)
    }

    @inline(never)
    private func isOnListOfLists(_ first: EntryIndex) -> Bool { heap?.lists[first]?.isAdded ?? false }

    /// Records that a list was added. If the caller requests all matches, the list's first match shows that; a short
    /// list may be added again.
    @inline(__always)
    mutating func addedAll(from first: EntryIndex, length: Int) {
        if wantsFirst && length > FewIDs.capacity { remember(first) }
    }

    @inline(never)
    private mutating func remember(_ first: EntryIndex) { makeHeap().lists[first, default: LongList()].isAdded = true }

    /// The length of a list without open queries, if the collector has recorded it.
    @inline(__always)
    func lengthOfDecidedList(from first: EntryIndex) -> UInt32? { isUnusual ? decidedLength(from: first) : nil }

    @inline(never)
    private func decidedLength(from first: EntryIndex) -> UInt32? {
        guard let list = heap?.lists[first], list.decidedCount > 0, list.next == .none else { return nil }
        return list.decidedCount
    }

    /// Records that all queries of a list have results or faults, or come too late. The walk may look at a short list
    /// again.
    @inline(__always)
    mutating func decidedAll(from first: EntryIndex, length: UInt32) {
        decided(length, from: first, upTo: .none)
    }

    /// The remembered position, in a list, of the first query that the walk may still have to evaluate.
    @inline(__always)
    func undecidedPlace(inListFrom first: EntryIndex) -> (entry: EntryIndex, length: UInt32)? {
        isUnusual ? rememberedPlace(inListFrom: first) : nil
    }

    @inline(never)
    private func rememberedPlace(inListFrom first: EntryIndex) -> (entry: EntryIndex, length: UInt32)? {
        guard let list = heap?.lists[first], list.next != .none else { return nil }
        return (list.next, list.decidedCount)
    }

    /// Records how many queries of a list are not open any more. The walk may look at a few of them again.
    @inline(__always)
    mutating func decided(_ length: UInt32, from first: EntryIndex, upTo entry: EntryIndex) {
        if length > FewIDs.capacity { remember(length, from: first, upTo: entry) }
    }

    @inline(never)
    private mutating func remember(_ length: UInt32, from first: EntryIndex, upTo entry: EntryIndex) {
        func record(in list: inout LongList) { (list.decidedCount, list.next) = (length, entry) }
        record(in: &makeHeap().lists[first, default: LongList()])
    }

    /// Sorts the matches into the order of the set, if the room holds all of them.
    @inline(__always)
    func sortFew(_ entries: UnsafePointer<EntryLink>) {
        var end = 1
        while end < count {
            let id = few[end]
            var place = end
            while place > 0, entries[id.entry].rank < entries[few[place - 1].entry].rank {
                few[place] = few[place - 1]
                place -= 1
            }
            few[place] = id
            end += 1
        }
    }

    @inline(never)
    private mutating func addToHeap(_ id: QuerySet.ID, entryCount: Int) {
        let heap = makeHeap()
        if heap.seen.isEmpty {
            heap.seen = [UInt64](repeating: 0, count: (entryCount + 63) / 64)
            for index in 0..<count { insert(few[index], into: heap) }
        }
        insert(id, into: heap)
        count += 1
    }

    private func insert(_ id: QuerySet.ID, into heap: Heap) {
        heap.ids.append(id)
        heap.seen[id.index / 64] |= 1 << UInt64(id.index % 64)
    }

    @inline(never)
    private func isOnHeap(_ entry: EntryIndex) -> Bool {
        guard let heap else { return false }
        return heap.seen[entry.offset / 64] & 1 << UInt64(entry.offset % 64) != 0
    }

    // MARK: Faults

    @inline(never)
    mutating func add(_ fault: Fault) {
        let heap = makeHeap()
        hasFaults = true
        let number = heap.faultyStates.count + heap.faultyTails.count
        switch fault {
        case .state(let state): heap.faultyStates[state] = heap.faultyStates[state] ?? number
        case .tail(let entry, let pattern): heap.faultyTails[entry] = heap.faultyTails[entry] ?? (number, pattern)
        }
    }

    /// Whether the check before a state has ended the state's queries.
    @inline(__always)
    func isFaulty(_ state: StateIndex) -> Bool { hasFaults && isOnFaultList(state) }

    @inline(never)
    private func isOnFaultList(_ state: StateIndex) -> Bool { heap?.faultyStates[state] != nil }

    /// The queries that faults may have ended, each once. `QuerySet.failures` looks at no others, because hostile
    /// stanzas can cause faults in a large set: for each other query, this costs a byte.
    func entriesBehindFaults(in trie: TrieView) -> [EntryIndex] {
        guard let heap else { return [] }
        var isListed = [Bool](repeating: false, count: trie.entryCount)
        var entries: [EntryIndex] = []
        func list(_ entry: EntryIndex) {
            if isListed[entry.offset] { return }
            isListed[entry.offset] = true
            entries.append(entry)
        }
        heap.faultyTails.keys.forEach(list)
        for state in heap.faultyStates.keys { trie.entries(behind: state).forEach(list) }
        return entries
    }

    /// The fault that ended the evaluation of a query; the first one if its path has several.
    @inline(never)
    func fault(of entry: EntryIndex, in trie: TrieView) -> Fault? {
        guard hasFaults, let heap else { return nil }
        var first = heap.faultyTails[entry].map { (number: $0.number, fault: Fault.tail(entry, $0.pattern)) }
        for state in trie.path(of: entry) {
            guard let number = heap.faultyStates[state] else { continue }
            if number < first?.number ?? .max { first = (number, .state(state)) }
        }
        return first?.fault
    }
}
