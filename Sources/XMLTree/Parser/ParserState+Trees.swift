// From collected trees to events.

extension ParserState {
    /// Whether something can be taken out.
    var hasEvent: Bool { !queue.isEmpty || !pending.isEmpty }

    /// The next event.
    @inline(__always)
    mutating func nextEvent() throws(XMLParseError) -> XMLStreamParser.Event? {
        if !queue.isEmpty { return try queue.next() }
        guard let item = pending.next() else { return nil }
        return .element(pack(item.tree), item.start)
    }

    /// The tree that is open has ended.
    @inline(__always)
    mutating func endTree() {
        assembler.endElement()
        if assembler.shouldAdopt { return endLargeTree() }
        pending.append(assembler.endTree(), at: treeStart)
    }

    @inline(never)
    private mutating func endLargeTree() {
        finishPending()
        let start = startOfTree
        queue.append(Element(tree: assembler.adopt(currentDictionary()), index: .root), at: start)
    }

    /// Makes events of all trees that have ended. Afterwards other events may follow them, and names may be forgotten.
    @inline(never)
    mutating func finishPending() {
        placeTrees()
        while let item = pending.next() { queue.append(pack(item.tree), at: item.start) }
    }

    /// The tree of a stream's header is an event at once.
    mutating func packHeader() -> Element {
        assembler.endElement()
        return Element(tree: assembler.finish(currentDictionary()), index: .root)
    }

    private mutating func pack(_ tree: CollectedTree) -> Element {
        Element(tree: assembler.pack(tree, currentDictionary()), index: .root)
    }

    /// What trees refer to that are packed now.
    @inline(__always)
    private mutating func currentDictionary() -> TreeDictionary {
        if let dictionary, dictionary.names === names.table, dictionary.context === surroundings { return dictionary }
        return makeDictionary()
    }

    @inline(never)
    private mutating func makeDictionary() -> TreeDictionary {
        let dictionary = TreeDictionary(names: names.table, context: surroundings)
        self.dictionary = dictionary
        return dictionary
    }
}
