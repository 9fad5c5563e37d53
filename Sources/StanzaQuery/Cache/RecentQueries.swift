// Queries made at run time, by their text: a bounded number of them, found without a lock.
//
// The table consists of sets of a few slots. The hash of a text selects the set that its query can be in. A thread
// takes a slot for the few instructions of a read or a write. Another thread that finds the slot taken waits for a
// moment and then does without the cache. Used queries stay: a new query replaces one that was not used since it
// arrived, or since all others in its set were.

import Synchronization

/// A bounded map from texts to queries. The value is the map's address. QueryCache.swift owns it.
///
/// Sendable without being checked: the memory holds atomics only.
struct RecentQueries: BitwiseCopyable, @unchecked Sendable {
    /// The table stores no longer texts: they are rare, and only the number of queries is bounded.
    static var longestText: Int { 4096 }

    private let slots: UnsafeMutablePointer<Slot>
    private let setCount: Int
    private let setSize: Int

    /// - Parameter capacity: The maximum number of queries.
    init(capacity: Int) {
        precondition(capacity > 0, "a table without room")
        setSize = min(capacity, 8)
        setCount = 1 << (Int.bitWidth - 1 - (capacity / setSize).leadingZeroBitCount)
        slots = .allocate(capacity: setCount * setSize)
        for index in 0..<setCount * setSize { (slots + index).initialize(to: Slot()) }
    }

    /// Frees the table with its queries. The caller ensures that no code uses it any more.
    func deallocate() {
        for index in 0..<setCount * setSize {
            if let address = slots[index].take(), let pointer = UnsafeRawPointer(bitPattern: address) {
                Unmanaged<CompiledQuery>.fromOpaque(pointer).release()
            }
        }
        slots.deinitialize(count: setCount * setSize)
        slots.deallocate()
    }

    /// The stored query that has this text.
    @inline(__always)
    func query(_ source: String) -> CompiledQuery? {
        let known: CompiledQuery?? = source.utf8.withContiguousStorageIfAvailable { text in
            text.count > Self.longestText ? nil : query(text, TextHash(text))
        }
        return known ?? nil
    }

    @inline(__always)
    private func query(_ text: UnsafeBufferPointer<UInt8>, _ hash: TextHash) -> CompiledQuery? {
        let first = firstSlot(of: hash)
        for index in first..<first + setSize where slots[index].tag.load(ordering: .relaxed) | Slot.used == hash.tag {
            guard let address = slots[index].take() else { continue }
            guard let pointer = UnsafeRawPointer(bitPattern: address) else {
                slots[index].giveBack(address)
                continue
            }
            let storage = Unmanaged<CompiledQuery>.fromOpaque(pointer)
            let isFound = storage._withUnsafeGuaranteedRef { $0.hasSource(text) }
            let query = isFound ? storage.takeUnretainedValue() : nil
            slots[index].tag.store(hash.tag, ordering: .relaxed)
            slots[index].giveBack(address)
            if let query { return query }
        }
        return nil
    }

    /// Stores a query by its text, unless the text is too long, or the slot is taken at the moment.
    @inline(never)
    func insert(_ query: CompiledQuery, for source: String) {
        let hash: TextHash?? = source.utf8.withContiguousStorageIfAvailable { text in
            text.count > Self.longestText ? nil : TextHash(text)
        }
        guard let hash = hash ?? nil else { return }
        let index = slotForNew(hash)
        guard let address = slots[index].take() else { return }
        slots[index].tag.store(hash.tag & ~Slot.used, ordering: .relaxed)
        slots[index].giveBack(UInt(bitPattern: Unmanaged.passRetained(query).toOpaque()))
        if let old = UnsafeRawPointer(bitPattern: address) {
            Unmanaged<CompiledQuery>.fromOpaque(old).release()
        }
    }

    /// The number of stored queries, for tests.
    var count: Int {
        (0..<setCount * setSize).count { slots[$0].tag.load(ordering: .relaxed) != 0 }
    }

    private func firstSlot(of hash: TextHash) -> Int { (Int(hash.rawValue >> 32) & (setCount - 1)) * setSize }

    /// A slot that is free, or was not used for the longest time.
    private func slotForNew(_ hash: TextHash) -> Int {
        let set = firstSlot(of: hash)..<firstSlot(of: hash) + setSize
        let tags = set.map { slots[$0].tag.load(ordering: .relaxed) }
        if let free = tags.firstIndex(of: 0) { return set.lowerBound + free }
        let start = Int(hash.rawValue & 0xFF) % setSize
        for step in 0..<setSize {
            let way = (start + step) % setSize
            if tags[way] & Slot.used == 0 { return set.lowerBound + way }
        }
        for index in set { slots[index].tag.bitwiseAnd(~Slot.used, ordering: .relaxed) }
        return set.lowerBound + start
    }
}

/// A hash of a text. Two texts with one hash only cost each other their slot, so the hash need not be keyed.
struct TextHash {
    let rawValue: UInt64

    @inline(__always)
    init(_ text: UnsafeBufferPointer<UInt8>) {
        let bytes = UnsafeRawBufferPointer(text)
        var hash = Self.mixed(UInt64(bytes.count) ^ 0x9E37_79B9_7F4A_7C15, 0xA076_1D64_78BD_642F)
        var position = 0
        // The last words overlap, so that every byte counts.
        while position &+ 16 < bytes.count {
            hash = Self.mixed(bytes.word(at: position) ^ 0xE703_7ED1_A0B4_28DB, bytes.word(at: position &+ 8) ^ hash)
            position &+= 16
        }
        if bytes.count >= 16 {
            hash = Self.mixed(
                bytes.word(at: bytes.count &- 16) ^ 0x8EBC_6AF0_9C88_C6E3, bytes.word(at: bytes.count &- 8) ^ hash)
        } else {
            for byte in bytes { hash = Self.mixed(hash ^ UInt64(byte), 0x5899_65CC_7537_4CC3) }
        }
        rawValue = hash
    }

    /// The key of a slot; never 0.
    fileprivate var tag: UInt { UInt(truncatingIfNeeded: rawValue) | Slot.used }

    @inline(__always)
    private static func mixed(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (high, low) = left.multipliedFullWidth(by: right)
        return high ^ low
    }
}

extension CompiledQuery {
    @inline(__always)
    fileprivate func hasSource(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        source.utf8.withContiguousStorageIfAvailable { $0.hasSameWords(text) } ?? false
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    fileprivate func word(at position: Int) -> UInt64 { loadUnaligned(fromByteOffset: position, as: UInt64.self) }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether both hold the same bytes; eight at a time.
    @inline(__always)
    fileprivate func hasSameWords(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        if count != other.count { return false }
        if count < 8 { return equals(other) }
        let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var position = 0
        while position &+ 8 < count {
            if left.word(at: position) != right.word(at: position) { return false }
            position &+= 8
        }
        return left.word(at: count &- 8) == right.word(at: count &- 8)
    }
}

/// A place for one query.
private struct Slot: ~Copyable {
    /// Marks a query that was used.
    static var used: UInt { 1 }
    /// Replaces the query's address while the slot is taken.
    private static var taken: UInt { 1 }
    /// The number of looks at a taken slot before the caller does without it: some microseconds, as long as compiling
    /// takes.
    private static var patience: Int { 1000 }

    /// The text's hash; 0 when the slot was never filled.
    let tag = Atomic<UInt>(0)
    /// The address of the query's storage, which the slot retains; 0 for no query.
    private let query = Atomic<UInt>(0)

    /// Takes the slot and returns its query's address; `nil` if other threads keep it too long.
    @inline(__always)
    borrowing func take() -> UInt? {
        for _ in 0..<Self.patience {
            let address = query.load(ordering: .relaxed)
            if address == Self.taken { continue }
            let (isTaken, _) = query.compareExchange(expected: address, desired: Self.taken, ordering: .acquiring)
            if isTaken { return address }
        }
        return nil
    }

    @inline(__always)
    borrowing func giveBack(_ address: UInt) {
        query.store(address, ordering: .releasing)
    }
}
