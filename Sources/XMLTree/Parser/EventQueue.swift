// The events that wait to be taken out, in the order of the input.

/// A queue of events and errors.
struct EventQueue: ~Copyable {
    /// Elements stand in the queue themselves. What is rare is boxed, so that an item is moved as plain words.
    private enum Item {
        case element(Element, SourcePosition)
        case other(Other)
    }

    private final class Other {
        enum Content {
            case event(XMLStreamParser.Event)
            case failure(XMLParseError, isLasting: Bool)
        }

        let content: Content

        init(_ content: Content) { self.content = content }
    }

    private var items: UnsafeMutablePointer<Item>
    private var capacity = keptCapacity
    /// Those before were taken.
    private var start = 0
    private var end = 0
    /// Whether an error was taken behind which nothing comes.
    private(set) var hasFailed = false

    /// Room for that many events stays when all were taken.
    private static let keptCapacity = 64

    init() {
        items = .allocate(capacity: capacity)
    }

    deinit {
        (items + start).deinitialize(count: end - start)
        items.deallocate()
    }

    var isEmpty: Bool { start == end }

    @inline(__always)
    mutating func append(_ element: consuming Element, at position: SourcePosition) {
        append(Item.element(element, position))
    }

    mutating func append(_ event: XMLStreamParser.Event) {
        append(Item.other(Other(.event(event))))
    }

    /// Adds an error. Nothing is added behind a lasting one.
    mutating func append(_ error: XMLParseError, isLasting: Bool) {
        append(Item.other(Other(.failure(error, isLasting: isLasting))))
    }

    @inline(__always)
    mutating func next() throws(XMLParseError) -> XMLStreamParser.Event? {
        if start == end { return nil }
        let item = (items + start).move()
        start += 1
        if start == end {
            start = 0
            end = 0
            if capacity > Self.keptCapacity { move(toCapacity: Self.keptCapacity) }
        }
        switch item {
        case .element(let element, let position): return .element(element, position)
        case .other(let other): return try take(other.content)
        }
    }

    mutating func removeAll() {
        self = EventQueue()
    }

    @inline(never)
    private mutating func take(_ content: Other.Content) throws(XMLParseError) -> XMLStreamParser.Event {
        switch content {
        case .event(let event): return event
        case .failure(let error, let isLasting):
            hasFailed = isLasting
            throw error
        }
    }

    @inline(__always)
    private mutating func append(_ item: consuming Item) {
        if end == capacity { move(toCapacity: capacity * 2) }
        (items + end).initialize(to: item)
        end += 1
    }

    @inline(never)
    private mutating func move(toCapacity newCapacity: Int) {
        let other = UnsafeMutablePointer<Item>.allocate(capacity: newCapacity)
        other.moveInitialize(from: items + start, count: end - start)
        items.deallocate()
        items = other
        capacity = newCapacity
        end -= start
        start = 0
    }
}
