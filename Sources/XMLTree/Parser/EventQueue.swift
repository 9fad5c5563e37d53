// The events that wait to be taken out, in the order of the input.

/// A queue of events and errors.
struct EventQueue {
    private enum Item {
        case event(XMLStreamParser.Event)
        case failure(XMLParseError, isLasting: Bool)
        case taken
    }

    private var items: [Item] = []
    private var taken = 0
    /// Whether an error was taken behind which nothing comes.
    private(set) var hasFailed = false

    mutating func append(_ event: XMLStreamParser.Event) {
        items.append(.event(event))
    }

    /// Adds an error. Nothing is added behind a lasting one.
    mutating func append(_ error: XMLParseError, isLasting: Bool) {
        items.append(.failure(error, isLasting: isLasting))
    }

    mutating func next() throws(XMLParseError) -> XMLStreamParser.Event? {
        guard taken < items.count else {
            items.removeAll(keepingCapacity: items.capacity <= Self.keptCapacity)
            taken = 0
            return nil
        }
        // Moved out, so that the queue does not keep a tree alive that its reader has dropped.
        var item = Item.taken
        swap(&item, &items[taken])
        taken += 1
        switch item {
        case .event(let event):
            return event
        case .failure(let error, let isLasting):
            hasFailed = isLasting
            throw error
        case .taken:
            preconditionFailure("An event is taken once: `taken` only grows.")
        }
    }

    mutating func removeAll() {
        self = EventQueue()
    }

    /// Room for that many events stays when all were taken.
    private static let keptCapacity = 1024
}
