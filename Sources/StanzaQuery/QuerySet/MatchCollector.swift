// Collects the queries that an evaluation of a set decides: those that match, and those that end at a limit.
//
// Nearly all stanzas match a few queries. These are a list on the stack, and cost nothing of what many need.

import XMLTree

/// Room for some IDs without an allocation.
struct FewIDs: BitwiseCopyable {
    static let capacity = 16

    typealias Four = (QuerySet.ID, QuerySet.ID, QuerySet.ID, QuerySet.ID)

    private let ids: (Four, Four, Four, Four)

    @inline(__always)
    init() {
        let none = QuerySet.ID(.none, generation: 0)
        let four = (none, none, none, none)
        ids = (four, four, four, four)
    }

    /// Copies the memory of a list. No code reads it after the last ID.
    @inline(__always)
    init(_ list: UnsafePointer<QuerySet.ID>) {
        ids = UnsafeRawPointer(list).loadUnaligned(as: (Four, Four, Four, Four).self)
    }

    /// The ID at an index, which is below the capacity.
    subscript(_ index: Int) -> QuerySet.ID {
        withUnsafeBytes(of: ids) {
            $0.load(fromByteOffset: index * MemoryLayout<QuerySet.ID>.stride, as: QuerySet.ID.self)
        }
    }
}

/// The queries that are decided, each once: a few in the order of the walk, many as bits in the order of the entries.
///
/// A plain value without reference counts. The code that finds `many` must `dispose` of them.
struct MatchCollector: BitwiseCopyable {
    /// A query whose regular expression has exceeded its limit.
    struct Fault {
        let entry: EntryIndex
        let fault: RegexFault
    }

    /// The bytes on the stack. The list and the bits of 3,500 queries fit.
    static let usualByteCount = 1024

    private let list: UnsafeMutablePointer<QuerySet.ID>
    /// The number of queries in the list; with bits, no less than that of the decided queries and than the capacity.
    private(set) var count = 0
    /// In place of the list for more queries, and as soon as one has failed.
    private(set) var many: UnsafeMutablePointer<DecisionBits>?

    /// - Parameter memory: `usualByteCount` bytes.
    @inline(__always)
    init(_ memory: UnsafeMutableRawBufferPointer) {
        list = memory.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: QuerySet.ID.self)
    }

    /// Adds a query that is not decided yet: it has a result. `entryCount` is above all indexes of entries.
    @inline(__always)
    mutating func add(_ id: QuerySet.ID, entryCount: UInt32) {
        if isFull {
            if many == nil { makeBits(entryCount) }
            many.unsafelyUnwrapped.pointee.insert(id.entry)
        } else {
            list[count] = id
        }
        count &+= 1
    }

    /// Whether the next query makes bits, or is one of them.
    @inline(__always)
    var isFull: Bool { count >= FewIDs.capacity }

    /// Adds a query unless it is decided, if there are bits. Returns whether there are.
    @inline(__always)
    mutating func addToMany(_ entry: EntryIndex) -> Bool {
        guard let many else { return false }
        if !many.pointee.contains(entry) {
            many.pointee.insert(entry)
            count &+= 1
        }
        return true
    }

    /// Adds a query that is not decided yet: its regular expression has exceeded its limit.
    @inline(never)
    mutating func fail(_ id: QuerySet.ID, _ fault: RegexFault, entryCount: UInt32) {
        if many == nil { makeBits(entryCount) }
        add(id, entryCount: entryCount)
        many?.pointee.fail(Fault(entry: id.entry, fault: fault))
    }

    /// Whether a query is decided.
    @inline(__always)
    func contains(_ entry: EntryIndex) -> Bool {
        if let many { return many.pointee.contains(entry) }
        var index = 0
        while index < count {
            if list[index].entry == entry { return true }
            index &+= 1
        }
        return false
    }

    /// Records that all queries of a list are decided. The walk may look at a short list again.
    func close(listFrom first: EntryIndex) { many?.pointee.close(listFrom: first) }

    func isClosed(listFrom first: EntryIndex) -> Bool { many?.pointee.isClosed(listFrom: first) ?? false }

    @inline(never)
    private mutating func makeBits(_ entryCount: UInt32) {
        let place = UnsafeMutableRawPointer(list + FewIDs.capacity).bindMemory(to: DecisionBits.self, capacity: 1)
        let rest = UnsafeMutableRawBufferPointer(
            start: place + 1, count: Self.usualByteCount - (UnsafeRawPointer(place + 1) - UnsafeRawPointer(list)))
        place.initialize(to: DecisionBits(rest, entryCount: Int(entryCount)))
        for index in 0..<count { place.pointee.insert(list[index].entry) }
        many = place
        count = FewIDs.capacity
    }

    /// The few queries in the order of the set.
    @inline(__always)
    func sorted(for trie: UnsafePointer<TrieView>) -> UnsafeBufferPointer<QuerySet.ID> {
        var end = 1
        while end < count {
            let id = list[end]
            var place = end
            while place > 0, trie.pointee.isInOrder(id.entry, list[place - 1].entry) {
                list[place] = list[place - 1]
                place -= 1
            }
            list[place] = id
            end += 1
        }
        return UnsafeBufferPointer(start: list, count: count)
    }
}

/// Decided queries as bits, two for each: whether it is decided, and whether the list that it begins is.
struct DecisionBits: BitwiseCopyable {
    private final class Faults {
        var all: [MatchCollector.Fault] = []
    }

    private let words: UnsafeMutablePointer<UInt64>
    private let wordCount: Int
    private let isOnHeap: Bool
    /// Retained until `dispose`.
    private var failed: Unmanaged<Faults>?

    init(_ memory: UnsafeMutableRawBufferPointer, entryCount: Int) {
        wordCount = (2 * entryCount + 63) / 64
        let size = wordCount * MemoryLayout<UInt64>.stride
        isOnHeap = size > memory.count
        let start = isOnHeap ? .allocate(byteCount: size, alignment: 8) : memory.baseAddress.unsafelyUnwrapped
        words = start.assumingMemoryBound(to: UInt64.self)
        words.initialize(repeating: 0, count: wordCount)
    }

    func dispose() {
        if isOnHeap { words.deallocate() }
        failed?.release()
    }

    @inline(__always)
    func insert(_ entry: EntryIndex) { set(2 &* entry.offset) }

    @inline(__always)
    func contains(_ entry: EntryIndex) -> Bool { isSet(2 &* entry.offset) }

    func close(listFrom first: EntryIndex) { set(2 &* first.offset &+ 1) }
    func isClosed(listFrom first: EntryIndex) -> Bool { isSet(2 &* first.offset &+ 1) }

    mutating func fail(_ fault: MatchCollector.Fault) {
        let failed = failed ?? .passRetained(Faults())
        failed.takeUnretainedValue().all.append(fault)
        self.failed = failed
    }

    /// In the order in which they happened.
    var faults: [MatchCollector.Fault] { failed?.takeUnretainedValue().all ?? [] }

    /// Passes the queries that have a result, in the order of their indexes.
    @inline(__always)
    func forEachMatch(_ body: (EntryIndex) -> Void) {
        if let failed {
            for fault in failed.takeUnretainedValue().all {
                words[fault.entry.offset / 32] &= ~bit(2 &* fault.entry.offset)
            }
        }
        for word in 0..<wordCount {
            var decided = words[word] & 0x5555_5555_5555_5555
            while decided != 0 {
                body(EntryIndex(32 &* word &+ decided.trailingZeroBitCount &>> 1))
                decided &= decided &- 1
            }
        }
    }

    @inline(__always)
    private func bit(_ index: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: index) }

    @inline(__always)
    private func isSet(_ index: Int) -> Bool { words[index &>> 6] & bit(index) != 0 }

    @inline(__always)
    private func set(_ index: Int) { words[index &>> 6] |= bit(index) }
}
