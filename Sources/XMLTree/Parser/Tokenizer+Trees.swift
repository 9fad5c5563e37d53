// Makes trees and events of elements. Between two trees, drops the names that a long stream accumulates.

extension Tokenizer {
    // MARK: Beginnings

    /// Whether an element may begin outside of trees.
    @inline(never)
    mutating func mayBegin(_ start: Int, _ end: Int) -> Bool {
        // The next byte decides the kind of markup.
        if start + 1 == end { return false }
        return isComplete && !mayRestart ? isRefused(.contentAfterEnd, at: start) : limitBytes(from: start)
    }

    /// Whether the name of an open element is that of a stream's root.
    @inline(never)
    func isHeader(_ name: UInt32) -> Bool {
        let record = names.records[Int(name)]
        let written = names.bytes(of: name)
        let local = written[(record.prefix == Names.noPrefix ? 0 : Int(record.prefixLength) + 1)...]
        let namespace = names.bytes(ofNamespace: names.bindings[Int(record.prefix)])
        return isHeader(written, local: local, in: namespace)
    }

    /// Whether a tag is that of a stream's root: of `stream:stream` as written, or of `stream` in the namespace of
    /// streams. A tag with another binding of the usual prefix is a mistake of its stream, not a stanza.
    func isHeader(
        _ written: UnsafeBufferPointer<UInt8>, local: Slice<UnsafeBufferPointer<UInt8>>,
        in namespace: some Sequence<UInt8>
    ) -> Bool {
        if !local.elementsEqual("stream".utf8) { return false }
        return written.elementsEqual("stream:stream".utf8) || namespace.elementsEqual(XMLNamespace.stream.utf8)
    }

    // MARK: Ends

    @inline(__always)
    mutating func endElement() {
        depth &-= 1
        unbind(downTo: open[depth].replaced)
        if depth <= outer { return endOuterElement() }
        open.removeLast(downTo: depth)
        assembler.endElement()
    }

    @inline(never)
    private mutating func endOuterElement() {
        let start = open[depth].start
        open.removeLast(downTo: depth)
        if depth < outer {
            isComplete = true
            setBound(.max)
            pending.put(.streamEnd)
            return
        }
        assembler.endElement()
        pending.put(.element(Element(tree: makeTree(), index: .root), placed(start)))
        endTree()
    }

    /// The tree whose elements have ended.
    mutating func makeTree() -> Tree {
        updateDictionary()
        // As a function's result, the dictionary would be retained and released.
        return assembler.finish(dictionary)
    }

    /// Ends a tree or a skipped stanza.
    mutating func endTree() {
        if mode == .document {
            isComplete = true
        } else {
            setBound(.max)
            recycle()
        }
    }

    /// Queues the event for the start tag of a stream's root.
    mutating func finishHeader(_ tag: UnsafeBufferPointer<UInt8>) {
        var bindings = NamespaceContext()
        var prefixes: [StringMap.Entry] = []
        for number in 0..<attributes.count {
            let name = attributes[number].name
            let declares = names.records[Int(name)].declares
            if declares == 0 { continue }
            let namespace = String(decoding: names.bytes(ofNamespace: names.bindings[Int(declares - 1)]), as: UTF8.self)
            if declares != Names.noPrefix + 1 {
                let prefix = names.bytes(of: name).dropFirst("xmlns:".utf8.count)
                prefixes.append((String(decoding: prefix, as: UTF8.self), namespace))
            } else if !namespace.isEmpty {
                bindings.defaultNamespace = namespace
            }
        }
        bindings.prefixes = StringMap(prefixes)
        surroundings = SharedNamespaceContext(bindings)
        names.rememberSurroundings()
        rootName = Array(names.bytes(of: open[0].name))
        // The bindings last as long as the stream.
        outerDeclarations = replaced.count
        replaced.removeLast(downTo: 0)
        open[0].replaced = 0
        open[0].start = placed(open[0].start)
        setBound(.max)
        assembler.endElement()
        let element = Element(tree: makeTree(), index: .root)
        let header = XMLStreamParser.StreamHeader(
            element: element, namespaces: bindings, position: open[0].start, tag: Array(tag))
        pending.put(.streamStart(header))
    }

    private mutating func updateDictionary() {
        if dictionary.names === names.writer.table && dictionary.context === surroundings { return }
        dictionary = TreeDictionary(names: names.writer.table, context: surroundings)
    }

    // MARK: Recycling

    /// Drops the names that a long stream accumulates, between two trees.
    @inline(__always)
    mutating func recycle() {
        if names.writer.isNearlyFull { names.renewTable() }
        if names.hasGrown(beyond: renewal) { renewNames() }
    }

    /// Forgets all names but those around trees.
    @inline(never)
    private mutating func renewNames() {
        names = Names()
        if let surroundings { _ = names.bind(surroundings.context) }
        guard outer == 1 else { return }
        rootName.withUnsafeBufferPointer { name in
            let buffer = InputBuffer(name)
            let view = buffer.view
            // The bytes are a valid name, because they were one before.
            if let number = names.find(view, 0, view.block(at: 0), name.count) { open[0].name = number }
        }
    }
}

/// The event or the error that the caller has not taken yet. The tokenizer stops at it, so there is at most one.
struct PendingEvent {
    private var event: XMLStreamParser.Event?
    private var error: XMLParseError?
    private var isLasting = false
    private(set) var exists = false
    /// Whether an error was taken that ends the input.
    private(set) var hasFailed = false

    mutating func put(_ event: XMLStreamParser.Event) {
        self.event = event
        exists = true
    }

    /// - Parameter isLasting: Whether no event follows the error.
    mutating func put(_ error: XMLParseError, isLasting: Bool) {
        self.error = error
        self.isLasting = isLasting
        exists = true
    }

    mutating func take() throws(XMLParseError) -> XMLStreamParser.Event? {
        exists = false
        guard let error = error.take() else { return event.take() }
        hasFailed = isLasting
        throw error
    }
}
