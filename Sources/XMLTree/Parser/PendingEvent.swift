// The event or the error that the caller has not taken yet. The tokenizer stops at it, so there is at most one.

struct PendingEvent: ~Copyable {
    private var tree: Tree?
    private var treeStart = SourcePosition.start
    /// An event that is not a tree, or an error: rare, so it may take memory of its own.
    private var rare: [Result<XMLStreamParser.Event, XMLParseError>] = []
    private var isLasting = false
    private(set) var exists = false
    /// Whether an error was taken that ends the input.
    private(set) var hasFailed = false

    mutating func put(_ tree: Tree, at start: SourcePosition) {
        self.tree = tree
        treeStart = start
        exists = true
    }

    mutating func put(_ event: XMLStreamParser.Event) {
        rare.append(.success(event))
        exists = true
    }

    /// - Parameter isLasting: Whether no event follows the error.
    mutating func put(_ error: XMLParseError, isLasting: Bool) {
        rare.append(.failure(error))
        self.isLasting = isLasting
        exists = true
    }

    @inline(__always)
    mutating func take() throws(XMLParseError) -> XMLStreamParser.Event? {
        exists = false
        if let tree = tree.take() { return .element(Element(tree: tree, index: .root), treeStart) }
        return try takeRare()
    }

    @inline(never)
    private mutating func takeRare() throws(XMLParseError) -> XMLStreamParser.Event? {
        hasFailed = isLasting
        return try rare.popLast()?.get()
    }
}
