// Growing storage for the records of an editable tree: live ones, garbage between them, free room after them.
//
// The heap's owner knows which records are live, and decides when to pack it (MutableTree+Memory.swift).

/// A plain allocation that is filled from the start.
struct RecordHeap<Record: BitwiseCopyable>: ~Copyable {
    private(set) var base: UnsafeMutablePointer<Record>
    private(set) var capacity: Int
    /// The index of the next record.
    var end = 0
    /// The number of records before `end` that are in use.
    var live = 0
    /// Whether the heap frees its memory.
    private(set) var isOwner: Bool

    init(capacity: Int) {
        base = .allocate(capacity: capacity)
        self.capacity = capacity
        isOwner = true
    }

    /// Begins in memory that the caller keeps alive, and moves `start` to its end. Without such memory, it allocates.
    init(capacity: Int, in start: inout UnsafeMutableRawPointer?) {
        isOwner = start == nil
        base = start?.bindMemory(to: Record.self, capacity: capacity) ?? .allocate(capacity: capacity)
        self.capacity = capacity
        start = start.map { $0 + capacity * MemoryLayout<Record>.stride }
    }

    deinit {
        if isOwner { base.deallocate() }
    }

    var room: Int { capacity - end }

    /// The size of the memory that the heap frees.
    var ownBytes: Int { isOwner ? capacity * MemoryLayout<Record>.stride : 0 }

    /// Moves all records before `end` to an allocation of another size.
    mutating func move(toCapacity newCapacity: Int) {
        let larger = UnsafeMutablePointer<Record>.allocate(capacity: newCapacity)
        larger.moveInitialize(from: base, count: end)
        if isOwner { base.deallocate() }
        base = larger
        capacity = newCapacity
        isOwner = true
    }
}
