// The events that the caller has not taken yet, in the order of the input.
//
// The tokenizer must fit into the processor's instruction cache, so it only records the end of a tree. The steps for
// each tree run for several trees in a row after a piece of input: the tokenizer counts lines (Tokenizer.swift), and
// packs trees as they are taken.

/// A queue of events and errors.
struct EventQueue: ~Copyable {
    struct Item {
        var content: Content
        /// The beginning of a tree. Its line is 0 until lines are counted.
        var start = SourcePosition.start
    }

    /// The content of an item. Only rare events are boxed, so that moving an item copies plain words.
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
    /// Items before these indexes are packed, and have lines.
    private var firstUnpacked = 0
    private var firstUnplaced = 0
    /// Whether a lasting error was taken: no event follows it.
    private(set) var hasFailed = false

    var isEmpty: Bool { items.isEmpty }

    @inline(__always)
    mutating func append(_ tree: Content, at start: SourcePosition) {
        items.append(Item(content: tree, start: start))
    }

    /// Adds a rare event, or an error. The tokenizer adds nothing after a lasting error.
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

    /// Sets line and column of each tree that has none.
    @inline(__always)
    mutating func place(_ position: (Int) -> SourcePosition) {
        var index = max(firstUnplaced, items.first)
        while index < items.end {
            if items[index].start.line == 0 { items[index].start = position(items[index].start.offset) }
            index += 1
        }
        firstUnplaced = index
    }

    /// The next tree that is not packed. `replaceCollected(with:)` replaces it.
    mutating func nextCollected() -> CollectedTree? {
        firstUnpacked = max(firstUnpacked, items.first)
        while firstUnpacked < items.end {
            if case .collected(let tree) = items[firstUnpacked].content { return tree }
            firstUnpacked += 1
        }
        return nil
    }

    /// Replaces the tree that `nextCollected` returned by its packed form.
    mutating func replaceCollected(with element: Element) {
        items[firstUnpacked].content = .element(element)
    }
}
