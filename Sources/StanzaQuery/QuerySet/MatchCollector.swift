// Collects what an evaluation of a set finds: few matches in place, many on the heap.

import XMLTree

/// Room for some IDs without an allocation.
struct FewIDs: BitwiseCopyable {
    static let capacity = 8

    private var ids: (QuerySet.ID, QuerySet.ID, QuerySet.ID, QuerySet.ID, QuerySet.ID, QuerySet.ID, QuerySet.ID, QuerySet.ID)

    init() {
        let none = QuerySet.ID(.none, generation: 0)
        ids = (none, none, none, none, none, none, none, none)
    }

    subscript(_ index: Int) -> QuerySet.ID {
        @inline(__always) get {
            withUnsafeBytes(of: ids) { $0.load(fromByteOffset: index * Self.stride, as: QuerySet.ID.self) }
        }
        @inline(__always) set {
            withUnsafeMutableBytes(of: &ids) {
                $0.storeBytes(of: newValue, toByteOffset: index * Self.stride, as: QuerySet.ID.self)
            }
        }
    }

    private static var stride: Int { MemoryLayout<QuerySet.ID>.stride }
}

/// Matches in the order in which they are found, each once; and faults of regular expressions.
struct MatchCollector {
    /// A regular expression at its limit.
    enum Fault {
        /// In the check that leads to a state: all queries that pass there end.
        case state(StateIndex)
        /// In the program that is the rest of a query.
        case tail(EntryIndex, PatternIndex)
    }

    /// What is needed rarely.
    private final class Heap {
        /// All matches, once they are too many.
        var ids: [QuerySet.ID] = []
        /// A bit for each entry of the set.
        var seen: [UInt64] = []
        /// Faults, with numbers in the order in which they happened.
        var faultyStates: [StateIndex: Int] = [:]
        var faultyTails: [EntryIndex: (number: Int, pattern: PatternIndex)] = [:]
    }

    private(set) var few = FewIDs()
    private(set) var count = 0
    private(set) var hasFaults = false
    private var heap: Heap?
    private let entryCount: Int
    /// Given if only the first match is wanted.
    private let order: UnsafeBufferPointer<Rank>?

    /// - Parameters:
    ///   - entryCount: How many entries the set has room for.
    ///   - order: If only the first match in this order is wanted, the ranks of all entries.
    @inline(__always)
    init(entryCount: Int, first order: UnsafeBufferPointer<Rank>? = nil) {
        self.entryCount = entryCount
        self.order = order
    }

    /// All matches, if they are too many for `few`.
    var many: [QuerySet.ID]? { count > FewIDs.capacity ? heap?.ids : nil }

    @inline(__always)
    mutating func add(_ id: QuerySet.ID) {
        if contains(id.entry) { return }
        if let order {
            if count == 0 || order[id.entry.offset] < order[few[0].entry.offset] { few[0] = id }
            count = 1
        } else if count < FewIDs.capacity {
            few[count] = id
            count += 1
        } else {
            addToHeap(id)
        }
    }

    @inline(__always)
    func contains(_ entry: EntryIndex) -> Bool {
        if count > FewIDs.capacity { return isOnHeap(entry) }
        for index in 0..<count where few[index].entry == entry { return true }
        return false
    }

    @inline(never)
    private mutating func addToHeap(_ id: QuerySet.ID) {
        let heap = heap ?? Heap()
        self.heap = heap
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
        let heap = heap ?? Heap()
        self.heap = heap
        hasFaults = true
        let number = heap.faultyStates.count + heap.faultyTails.count
        switch fault {
        case .state(let state): heap.faultyStates[state] = heap.faultyStates[state] ?? number
        case .tail(let entry, let pattern): heap.faultyTails[entry] = heap.faultyTails[entry] ?? (number, pattern)
        }
    }

    /// The fault that has ended the evaluation of a query; the first one if there are several on its path.
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
