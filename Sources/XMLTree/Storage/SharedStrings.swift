// Strings that many names share: namespaces. A table of names stores each of them once.

/// An open-addressing map from the key of a string to its place. The keys are keyed hashes, so they are not hashed
/// again.
struct SharedStrings: ~Copyable {
    private struct Entry: BitwiseCopyable {
        var key: NameKey
        /// Empty in a vacant entry: the map never stores the empty string.
        var reference: ByteReference
    }

    /// `nil` before the first insertion.
    private var entries: UnsafeMutablePointer<Entry>?
    /// A power of two.
    private var capacity = 0
    private var count = 0

    deinit { entries?.deallocate() }

    var isEmpty: Bool { count == 0 }

    var capacityInBytes: Int { capacity * MemoryLayout<Entry>.stride }

    /// Returns the place of the string with this key.
    func find(_ key: NameKey) -> ByteReference? {
        guard let entries else { return nil }
        let entry = entries[slot(of: key, in: entries)]
        return entry.reference.isEmpty ? nil : entry.reference
    }

    /// Adds a string that `find` did not find; `reference` is not empty.
    mutating func insert(_ key: NameKey, at reference: ByteReference) {
        if count * 2 >= capacity { grow() }
        guard let entries else { return }
        entries[slot(of: key, in: entries)] = Entry(key: key, reference: reference)
        count += 1
    }

    /// Returns the entry with this key, or the vacant one for it.
    private func slot(of key: NameKey, in entries: UnsafeMutablePointer<Entry>) -> Int {
        var slot = Int(truncatingIfNeeded: key.rawValue) & (capacity - 1)
        while !entries[slot].reference.isEmpty, entries[slot].key != key { slot = (slot + 1) & (capacity - 1) }
        return slot
    }

    private mutating func grow() {
        let old = UnsafeMutableBufferPointer(start: entries, count: capacity)
        capacity = max(8, capacity * 2)
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
        larger.initialize(repeating: Entry(key: NameKey(rawValue: 0), reference: .empty), count: capacity)
        for entry in old where !entry.reference.isEmpty { larger[slot(of: entry.key, in: larger)] = entry }
        old.baseAddress?.deallocate()
        entries = larger
    }
}
