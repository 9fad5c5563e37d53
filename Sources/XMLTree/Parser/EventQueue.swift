// The events that wait to be taken out, in the order of the input.
//
// The tokenizer must fit into the processor's cache for instructions, so the end of a tree is only recorded. What is
// done once for a tree is done for several trees in a row, when a piece of input is read: lines are counted
// (Tokenizer.swift), and trees are packed as they are taken.

/// A queue of events and errors.
struct EventQueue: ~Copyable {
    struct Item {
        var content: Content
        /// Where a tree begins. Its line is 0 until lines are counted.
        var start = SourcePosition.start
    }

    /// Elements are in the queue themselves. What is rare is boxed, so that an item is moved as plain words.
    enum Content {
        /// A tree that is not packed.
        case collected(CollectedTree)
        case element(Element)
        case rare(Rare)
    }

    final class Rare {
        fileprivate let result: Result<XMLStreamParser.Event, XMLParseError>
        fileprivate let isLasting: Bool

        fileprivate init(_ result: Result<XMLStreamParser.Event, XMLParseError>, isLasting: Bool) {
            (self.result, self.isLasting) = (result, isLasting)
        }
    }

    private var items = Queue<Item>()
    /// Items before these are packed, and have lines.
    private var firstUnpacked = 0
    private var firstUnplaced = 0
    /// Whether an error was taken after which nothing comes.
    private(set) var hasFailed = false

    var isEmpty: Bool { items.isEmpty }

    @inline(__always)
    mutating func append(_ tree: Content, at start: SourcePosition) {
        items.append(Item(content: tree, start: start))
    }

    /// Adds a rare event, or an error. Nothing is added after a lasting one.
    mutating func append(_ result: Result<XMLStreamParser.Event, XMLParseError>, isLasting: Bool = false) {
        items.append(Item(content: .rare(Rare(result, isLasting: isLasting))))
    }

    @inline(__always)
    mutating func next() -> Item? {
        guard let item = items.removeFirst() else { return nil }
        if items.isEmpty { (firstUnpacked, firstUnplaced) = (0, 0) }
        return item
    }

    /// Opens the box of an item.
    @inline(never)
    mutating func take(_ rare: Rare) throws(XMLParseError) -> XMLStreamParser.Event {
        hasFailed = rare.isLasting
        return try rare.result.get()
    }

    /// Gives every tree that has none its line and column.
    @inline(__always)
    mutating func place(_ position: (Int) -> SourcePosition) {
        var index = max(firstUnplaced, items.first)
        while index < items.end {
            if items[index].start.line == 0 { items[index].start = position(items[index].start.offset) }
            index += 1
        }
        firstUnplaced = index
    }

    /// The next tree that is not packed, to be replaced.
    mutating func nextCollected() -> CollectedTree? {
        firstUnpacked = max(firstUnpacked, items.first)
        while firstUnpacked < items.end {
            if case .collected(let tree) = items[firstUnpacked].content { return tree }
            firstUnpacked += 1
        }
        return nil
    }

    /// Puts a packed tree in the place of the one that `nextCollected` gave.
    mutating func replaceCollected(with element: Element) {
        items[firstUnpacked].content = .element(element)
    }
}
