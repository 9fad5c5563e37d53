// Builds frozen elements in document order from names that are known beforehand, for the modules of this package that
// write elements of a fixed vocabulary. It uses no handles, and copies only to pack the tree.
//
// MutableElement+Building.swift builds elements of any name.

/// The names of a vocabulary, interned once for any number of trees.
package struct Vocabulary: Sendable {
    fileprivate let dictionary: TreeDictionary
    fileprivate let count: Int

    fileprivate var table: NameTable { dictionary.names }

    /// A name of a vocabulary. A name without a prefix is written without one, on elements of the vocabulary.
    package enum Name {
        case element(String, namespace: String)
        case attribute(String)
    }

    /// Interns the names, which callers refer to by position. The caller guarantees that they differ and are legal in
    /// XML.
    package init(_ names: [Name]) {
        var interner = NameInterner(expectedNames: names.count)
        for name in names {
            switch name {
            case .element(let local, let namespace): interner.intern(.element, local, namespace)
            case .attribute(let local): interner.intern(.attribute, local, "")
            }
        }
        precondition(interner.count == names.count, "the names of a vocabulary differ")
        dictionary = TreeDictionary(names: interner.table, context: nil)
        count = names.count
    }
}

/// Assembles one frozen element.
package struct ElementAssembler: ~Copyable {
    private let vocabulary: Vocabulary
    private var assembler = TreeAssembler()
    /// The names of elements that were added unchanged. Their positions follow those of the vocabulary.
    private var interner: NameInterner?

    package init(_ vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
    }

    /// Starts the element at this position of the vocabulary.
    package mutating func start(_ name: Int) {
        let record = vocabulary.table.records[name]
        let index = NameIndex(rawValue: UInt32(truncatingIfNeeded: name))
        assembler.startElement(index, key: record.expanded)
    }

    /// Adds an attribute to the element that was started last. The element must not have it yet.
    package mutating func attribute(_ name: Int, _ value: String) throws(XMLTreeError) {
        try XMLCharacters.check(text: value)
        var value = value
        value.withUTF8 {
            assembler.addAttribute(NameIndex(rawValue: UInt32(truncatingIfNeeded: name)), value: $0)
        }
    }

    package mutating func text(_ text: String) throws(XMLTreeError) {
        try XMLCharacters.check(text: text)
        var text = text
        text.withUTF8 { assembler.text($0, in: .none) }
    }

    /// Adds a copy of an element as a child. The copy keeps the prefixes that are written on it, not those around it.
    package mutating func add(_ element: Element) {
        if interner == nil { interner = vocabulary.interner() }
        element.read { assembler.append($0, renaming: &interner) }
    }

    package mutating func end() {
        assembler.endElement()
    }

    /// Returns the element. Every start must have had its end.
    package consuming func finish() -> Element {
        precondition(assembler.isComplete, "an element is finished when everything in it has ended")
        let names = interner?.table ?? vocabulary.table
        let isOwn = names !== vocabulary.table
        let dictionary = isOwn ? TreeDictionary(names: names, context: nil) : vocabulary.dictionary
        return Element(tree: assembler.finish(dictionary), index: .root)
    }
}

extension Vocabulary {
    /// An interner that gives the vocabulary's names their positions.
    fileprivate func interner() -> NameInterner {
        var interner = NameInterner(expectedNames: 2 * count)
        for position in 0..<count { _ = interner.intern(table.records[position], from: table.bytes) }
        return interner
    }
}

extension NameInterner {
    fileprivate mutating func intern(_ kind: NameKind, _ local: String, _ namespace: String) {
        var (local, namespace) = (local, namespace)
        local.withUTF8 { local in
            namespace.withUTF8 { namespace in
                _ = intern(kind, prefix: .empty, local: local, namespace: namespace)
            }
        }
    }
}
