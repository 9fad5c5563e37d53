// Copies subtrees into frozen trees, for `copy()`, `shallowCopy()` and `freeze()`. TreeAssembler+Copying.swift copies
// the elements.
//
// A copy shares its source's table of names, unless that has far more names than the copy can need. Then the copy gets
// its own table, so that it does not keep the names of a whole stream alive.

struct TreeCopier: ~Copyable {
    private let source: ElementReader
    private let sourceNames: NameTable
    /// The source's dictionary, if the source is frozen.
    private let sourceDictionary: TreeDictionary?
    private var assembler = TreeAssembler()
    /// The copy's own names; `nil` if it shares the source's.
    private var ownNames: NameInterner?

    /// The largest table that a copy may keep alive whatever its own need. Most streams never reach it.
    private static let sharedTableBytes = 1 << 16

    /// How many times larger than the copy's own need a shared table may be.
    private static let sharedTableFactor = 4

    static func copy(_ source: ElementReader, names: NameTable, dictionary: TreeDictionary? = nil) -> Element {
        var copier = TreeCopier(source, names, dictionary, isShallow: false)
        copier.assembler.append(source, renaming: &copier.ownNames)
        return copier.finish()
    }

    static func shallowCopy(_ source: ElementReader, _ dictionary: TreeDictionary, withText: Bool) -> Element {
        var copier = TreeCopier(source, dictionary.names, dictionary, isShallow: true)
        copier.assembler.startElement(like: source.index, of: source.view, renaming: &copier.ownNames)
        if withText, var text = source.text { text.withUTF8 { copier.assembler.text($0, in: .none) } }
        copier.assembler.endElement()
        return copier.finish()
    }

    private init(_ source: ElementReader, _ names: NameTable, _ dictionary: TreeDictionary?, isShallow: Bool) {
        self.source = source
        sourceNames = names
        sourceDictionary = dictionary
        let size = names.capacityInBytes
        if size > Self.sharedTableBytes, size > Self.sharedTableFactor * source.bytesOfNames(isShallow: isShallow) {
            ownNames = NameInterner(expectedNames: 0)
        }
    }

    private mutating func finish() -> Element {
        // Offsets and indexes have 32 bits. An editable tree that just fits could otherwise make them wrap around.
        precondition(
            assembler.byteCount <= Int(UInt32.max) && assembler.nodeCount < Int(NodeIndex.none.rawValue)
                && assembler.attributeCount <= Int(UInt32.max),
            "a frozen tree holds fewer than 2³² elements and attributes and at most 4 GiB of text and values")
        return Element(tree: assembler.finish(makeDictionary()), index: .root)
    }

    private mutating func makeDictionary() -> TreeDictionary {
        let names = ownNames?.table ?? sourceNames
        let context = source.surroundings
        if let sourceDictionary, sourceDictionary.names === names, sourceDictionary.context === context {
            return sourceDictionary
        }
        return TreeDictionary(names: names, context: context)
    }
}

extension ElementReader {
    /// The size of the names of the element, or of its whole subtree, if all differ. Linear in the subtree.
    fileprivate func bytesOfNames(isShallow: Bool) -> Int {
        var count = 1 + Int(view[index].attributeCount)
        if !isShallow {
            var walk = TreeWalk(view, from: index)
            while let step = walk.next() {
                if case .enter(let node) = step { count += 1 + Int(view[node].attributeCount) }
            }
        }
        return count * NameTable.expectedBytesPerName
    }
}

extension NameTable {
    /// The usual size of a record and its strings.
    fileprivate static let expectedBytesPerName = MemoryLayout<NameRecord>.stride + 32
}
