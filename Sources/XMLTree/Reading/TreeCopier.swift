// Copies subtrees into frozen trees, for `copy()`, `shallowCopy()` and `freeze()`. SubtreeCopy.swift copies the
// records.
//
// A copy shares its source's table of names, unless that has far more names than the copy can need. Then the copy gets
// its own table, so that it does not keep the names of a whole stream alive.

enum TreeCopier {
    /// - Parameters:
    ///   - names: The names of the source.
    ///   - dictionary: The dictionary with these names, if one is known.
    ///   - known: The size of the copy, if it is known.
    static func copy(
        _ source: ElementReader, names: NameTable, dictionary: TreeDictionary?, size known: TreeSize? = nil
    ) -> Element {
        let size = known ?? source.sizeOfCopy
        // The copy is written without further checks.
        assert(known == nil || size == source.sizeOfCopy, "the counters of trees are exact")
        // An editable tree that just fits could otherwise make offsets and indexes wrap around.
        precondition(
            size.isRepresentable,
            "a frozen tree holds fewer than 2³² elements and attributes and at most 4 GiB of text and values")
        var ownNames = names.interner(forCopyOf: size.nodes + size.attributes)
        let tree = Tree.make(size) { memory in
            source.copy(to: memory, of: size, renaming: &ownNames)
            return source.dictionary(of: ownNames?.table ?? names, known: dictionary)
        }
        return Element(tree: tree, index: .root)
    }

    static func shallowCopy(_ source: ElementReader, _ dictionary: TreeDictionary, withText: Bool) -> Element {
        var assembler = TreeAssembler()
        var ownNames = dictionary.names.interner(forCopyOf: 1 + Int(source.view[source.index].attributeCount))
        assembler.startElement(like: source.index, of: source.view, renaming: &ownNames)
        if withText, var text = source.text { text.withUTF8 { assembler.text($0, in: .none) } }
        assembler.endElement()
        let own = source.dictionary(of: ownNames?.table ?? dictionary.names, known: dictionary)
        return Element(tree: assembler.finish(own), index: .root)
    }
}

extension ElementReader {
    fileprivate func dictionary(of names: NameTable, known: TreeDictionary?) -> TreeDictionary {
        let context = surroundings
        if let known, known.names === names, known.context === context { return known }
        return TreeDictionary(names: names, context: context)
    }
}

extension NameTable {
    /// The largest table that a copy may keep alive whatever its own need. Most streams never reach it.
    private static let sharedTableBytes = 1 << 16
    /// How many times larger than the copy's own need a shared table may be.
    private static let sharedTableFactor = 4
    /// The usual size of a record and its strings.
    private static let expectedBytesPerName = MemoryLayout<NameRecord>.stride + 32

    /// Assigns positions in a table of its own to a copy with at most this many names; `nil` if it shares this table.
    func interner(forCopyOf names: Int) -> NameInterner? {
        let bytes = capacityInBytes
        if bytes <= Self.sharedTableBytes { return nil }
        return bytes > Self.sharedTableFactor * names * Self.expectedBytesPerName
            ? NameInterner() : nil
    }
}
