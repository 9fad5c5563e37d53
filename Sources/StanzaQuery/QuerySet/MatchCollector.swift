// Collects the outcomes of a set's evaluation: which queries match, and which end at a limit.

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
        get {
            withUnsafeBytes(of: ids) {
                $0.load(fromByteOffset: index * MemoryLayout<QuerySet.ID>.stride, as: QuerySet.ID.self)
            }
        }
        set {
            withUnsafeMutableBytes(of: &ids) {
                $0.storeBytes(
                    of: newValue, toByteOffset: index * MemoryLayout<QuerySet.ID>.stride, as: QuerySet.ID.self)
            }
        }
    }
}

/// The queries that are decided, each once, in the order in which the walk decides them.
///
/// A plain value without reference counts: its owner must `dispose` of it.
struct MatchCollector: BitwiseCopyable {
    /// A query that has a result, or whose regular expression has exceeded its limit.
    struct Outcome: BitwiseCopyable {
        let entry: EntryIndex
        /// The place after the step that failed; 0 for a match.
        private let faultEnd: UInt32

        @inline(__always)
        init(_ entry: EntryIndex, fault: RegexFault? = nil) {
            self.entry = entry
            faultEnd = fault.map { UInt32($0.step + 1) } ?? 0
        }

        var fault: RegexFault? { faultEnd == 0 ? nil : RegexFault(step: Int(faultEnd) - 1) }
    }

    /// Outcomes that need no allocation. With them, the memory on the stack has a kilobyte, which fits 64.
    private static let usualCapacity = 64
    static let usualByteCount = usualCapacity * bytesPerOutcome
    /// An outcome, and two places of the table, so that it has vacant ones.
    private static let bytesPerOutcome = MemoryLayout<Outcome>.stride + 2 * MemoryLayout<UInt32>.stride

    /// The outcomes; the table follows in the same memory.
    private var outcomes: UnsafeMutablePointer<Outcome>
    private var capacity = usualCapacity
    private(set) var count = 0
    private(set) var hasFaults = false

    /// - Parameter memory: `usualByteCount` bytes.
    @inline(__always)
    init(_ memory: UnsafeMutableRawBufferPointer) {
        outcomes = memory.baseAddress.unsafelyUnwrapped.bindMemory(to: Outcome.self, capacity: capacity)
    }

    @inline(__always)
    func dispose() {
        if capacity > Self.usualCapacity { outcomes.deallocate() }
    }

    /// Adds an outcome of a query that has none.
    @inline(__always)
    mutating func add(_ outcome: Outcome) {
        if count >= FewIDs.capacity { return addToTable(outcome) }
        outcomes[count] = outcome
        count &+= 1
    }

    mutating func fail(_ entry: EntryIndex, _ fault: RegexFault) {
        hasFaults = true
        add(Outcome(entry, fault: fault))
    }

    /// Whether a query has its outcome.
    @inline(__always)
    func contains(_ entry: EntryIndex) -> Bool {
        if count > FewIDs.capacity { return isInTable(entry.rawValue) }
        var index = 0
        while index < count {
            if outcomes[index].entry == entry { return true }
            index &+= 1
        }
        return false
    }

    // MARK: Lists of queries that are all decided

    /// Records that all queries of a list are decided. The walk may look at a short list again.
    mutating func close(listFrom first: EntryIndex, length: Int) {
        if length > FewIDs.capacity { insert(first.rawValue | Self.listBit) }
    }

    func isClosed(listFrom first: EntryIndex) -> Bool {
        count > FewIDs.capacity && isInTable(first.rawValue | Self.listBit)
    }

    /// No set has so many queries.
    private static let listBit: UInt32 = 1 << 31

    // MARK: The table of more than a few queries

    private static let vacant = UInt32.max

    /// A power of two of them. At most half of them are queries. A list in the table has more than eight queries there.
    private var places: UnsafeMutableBufferPointer<UInt32> {
        let start = UnsafeMutableRawPointer(outcomes + capacity)
        return UnsafeMutableBufferPointer(
            start: start.assumingMemoryBound(to: UInt32.self), count: 2 * capacity)
    }

    @inline(never)
    private mutating func addToTable(_ outcome: Outcome) {
        if count == FewIDs.capacity {
            places.initialize(repeating: Self.vacant)
            for index in 0..<count { insert(outcomes[index].entry.rawValue) }
        } else if count == capacity {
            grow()
        }
        outcomes[count] = outcome
        count &+= 1
        insert(outcome.entry.rawValue)
    }

    private mutating func grow() {
        let old = self
        capacity *= 2
        outcomes = UnsafeMutableRawPointer.allocate(byteCount: capacity * Self.bytesPerOutcome, alignment: 8)
            .bindMemory(to: Outcome.self, capacity: capacity)
        outcomes.initialize(from: old.outcomes, count: count)
        places.initialize(repeating: Self.vacant)
        for key in old.places where key != Self.vacant { insert(key) }
        old.dispose()
    }

    private func insert(_ key: UInt32) { places[place(of: key)] = key }

    @inline(never)
    private func isInTable(_ key: UInt32) -> Bool { places[place(of: key)] == key }

    /// Where a key is, or would be.
    @inline(__always)
    private func place(of key: UInt32) -> Int {
        let places = places
        let mask = places.count &- 1
        var place = Int(truncatingIfNeeded: UInt64(key) &* 0x9E37_79B9_7F4A_7C15 >> 32) & mask
        while places[place] != Self.vacant, places[place] != key { place = (place &+ 1) & mask }
        return place
    }

    // MARK: The order of the set

    /// Sorts the outcomes into the order of the set, and lends them.
    @inline(__always)
    func sorted(by entries: UnsafePointer<EntryLink>) -> UnsafeBufferPointer<Outcome> {
        if count > FewIDs.capacity { sortMany(entries) } else { sortFew(entries) }
        return UnsafeBufferPointer(start: outcomes, count: count)
    }

    @inline(__always)
    private func sortFew(_ entries: UnsafePointer<EntryLink>) {
        var end = 1
        while end < count {
            let outcome = outcomes[end]
            var place = end
            while place > 0, entries[outcome.entry].rank < entries[outcomes[place - 1].entry].rank {
                outcomes[place] = outcomes[place - 1]
                place -= 1
            }
            outcomes[place] = outcome
            end += 1
        }
    }

    @inline(never)
    private func sortMany(_ entries: UnsafePointer<EntryLink>) {
        var outcomes = UnsafeMutableBufferPointer(start: outcomes, count: count)
        outcomes.sort { entries[$0.entry].rank < entries[$1.entry].rank }
    }

    /// The outcome that comes first in the order of the set.
    func first(by entries: UnsafePointer<EntryLink>) -> Outcome? {
        UnsafeBufferPointer(start: outcomes, count: count).min { entries[$0.entry].rank < entries[$1.entry].rank }
    }
}
