// Trees that have ended, but are neither packed nor told apart by line and column yet.
//
// The tokenizer must fit into the processor's cache for instructions, so the end of a tree is only recorded. What is
// done once for a tree is done for several trees in a row, when a piece of input is read: lines are counted
// (Tokenizer.swift), and trees are packed as they are taken.

/// A queue of trees, in the order of the input.
struct PendingTrees: ~Copyable {
    struct Item: BitwiseCopyable {
        let tree: CollectedTree
        /// Its line is 0 as long as lines are not counted.
        var start: SourcePosition
    }

    private var items = GrowingBuffer<Item>(capacity: keptCapacity)
    /// Those before were taken.
    private var first = 0
    private var end = 0
    /// Lines are counted before this item.
    private var firstUnplaced = 0

    /// Room for that many trees stays when all were taken.
    private static let keptCapacity = 64

    var isEmpty: Bool { first == end }

    @inline(__always)
    mutating func append(_ tree: CollectedTree, at start: SourcePosition) {
        if end == items.capacity { items.grow(toAtLeast: end + 1) }
        (items.base + end).initialize(to: Item(tree: tree, start: start))
        end += 1
    }

    @inline(__always)
    mutating func next() -> Item? {
        if first == end { return nil }
        defer {
            first += 1
            if first == end { removeAll() }
        }
        return items.base[first]
    }

    mutating func removeAll() {
        first = 0
        end = 0
        firstUnplaced = 0
        if items.capacity > Self.keptCapacity { items = GrowingBuffer(capacity: Self.keptCapacity) }
    }

    /// Gives every item that has none its line and column.
    @inline(__always)
    mutating func place(_ position: (Int) -> SourcePosition) {
        while firstUnplaced < end {
            if items.base[firstUnplaced].start.line == 0 {
                items.base[firstUnplaced].start = position(items.base[firstUnplaced].start.offset)
            }
            firstUnplaced += 1
        }
    }
}
