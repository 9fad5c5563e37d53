// Makes trees and events of what was read, and drops between two trees what a long stream leaves behind.

extension Tokenizer {
    // MARK: Beginnings

    /// Whether an element may begin outside of trees.
    @inline(never)
    mutating func mayBegin(_ start: Int, _ end: Int) -> Bool {
        // What it is shows in the next byte.
        if start + 1 == end { return false }
        if isComplete {
            mistake = (.contentAfterEnd, start)
            return false
        }
        // A stream's header cannot be passed over.
        if depth < outer, bound == nil {
            limit(from: start)
            return false
        }
        return true
    }

    /// Reads no further than the limit of bytes from there.
    mutating func limit(from start: Int) {
        bound = Bound(
            end: offset(of: start).saturatingAdd(limits.effectiveBytes), limit: .bytes,
            maximum: limits.effectiveBytes, start: position(of: start))
    }

    /// A tree begins, or the stream.
    @inline(never)
    mutating func begin(_ start: Int) {
        byteLimit = mode == .document || depth < outer ? .max : offset(of: start).saturatingAdd(limits.effectiveBytes)
        names.limit = names.writer.count.saturatingAdd(limits.names)
    }

    // MARK: Ends

    @inline(__always)
    mutating func endElement() {
        depth &-= 1
        unbind(downTo: open[depth].replaced)
        let start = open[depth].start
        open.removeLast(downTo: depth)
        if depth > outer { return assembler.endElement() }
        endOuterElement(start)
    }

    /// The first tag of a tree or of the stream has been read.
    @inline(never)
    mutating func endOuterTag(_ isEmpty: Bool, at behind: Int) {
        if depth == outer { finishHeader() }
        if isEmpty { endElement() }
    }

    @inline(never)
    private mutating func endOuterElement(_ start: SourcePosition) {
        if depth < outer {
            isComplete = true
            bound = nil
            finishPending()
            queue.append(.streamEnd)
            return
        }
        assembler.endElement()
        if assembler.shouldAdopt {
            finishPending()
            queue.append(Element(tree: assembler.adopt(currentDictionary()), index: .root), at: placed(start))
        } else {
            pending.append(assembler.endTree(), at: start)
        }
        endTree()
    }

    /// A tree has ended, or a stanza was passed over.
    mutating func endTree() {
        byteLimit = .max
        if mode == .document {
            isComplete = true
        } else if names.writer.isNearlyFull {
            finishPending()
            names.renewTable()
        }
        if mode != .document, names.count > renewal.names || names.byteCount > renewal.bytes { renewNames() }
    }

    /// The start tag of a stream's root is an event of its own.
    private mutating func finishHeader() {
        var bindings = NamespaceContext()
        for number in 0..<replaced.count {
            let prefix = replaced[number].x
            let namespace = String(decoding: names.bytes(ofNamespace: names.bindings[Int(prefix)]), as: UTF8.self)
            if prefix != Names.noPrefix {
                bindings.prefixes[names.string(ofPrefix: prefix)] = namespace
            } else if !namespace.isEmpty {
                bindings.defaultNamespace = namespace
            }
        }
        surroundings = SharedNamespaceContext(bindings)
        rootName = Array(names.bytes(of: open[0].name))
        // They are bound for as long as the stream lives.
        outerDeclarations = replaced.count
        replaced.removeLast(downTo: 0)
        open[0].replaced = 0
        open[0].start = placed(open[0].start)
        bound = nil
        assembler.endElement()
        let element = Element(tree: assembler.finish(currentDictionary()), index: .root)
        queue.append(
            .streamStart(
                XMLStreamParser.StreamHeader(element: element, namespaces: bindings, position: open[0].start)))
    }

    /// A position whose line is known.
    func placed(_ start: SourcePosition) -> SourcePosition {
        start.line > 0 ? start : position(of: start.offset - base.offset)
    }

    // MARK: Events

    /// Whether something can be taken out.
    var hasEvent: Bool { !queue.isEmpty || !pending.isEmpty }

    /// The next event.
    @inline(__always)
    mutating func nextEvent() throws(XMLParseError) -> XMLStreamParser.Event? {
        if !queue.isEmpty { return try queue.next() }
        guard let item = pending.next() else { return nil }
        return .element(pack(item.tree), item.start)
    }

    /// Makes events of all trees that have ended. Afterwards other events may follow them, and names may be forgotten.
    @inline(never)
    mutating func finishPending() {
        if pending.isEmpty { return }
        placePending()
        while let item = pending.next() { queue.append(pack(item.tree), at: item.start) }
    }

    private mutating func pack(_ tree: CollectedTree) -> Element {
        Element(tree: assembler.pack(tree, currentDictionary()), index: .root)
    }

    /// What trees refer to that are packed now.
    @inline(__always)
    mutating func currentDictionary() -> TreeDictionary {
        if let dictionary, dictionary.names === names.writer.table, dictionary.context === surroundings {
            return dictionary
        }
        return makeDictionary()
    }

    @inline(never)
    private mutating func makeDictionary() -> TreeDictionary {
        let made = TreeDictionary(names: names.writer.table, context: surroundings)
        dictionary = made
        return made
    }

    // MARK: Recycling

    /// Forgets all names but those around trees.
    @inline(never)
    private mutating func renewNames() {
        finishPending()
        names = Names()
        if let surroundings { names.bind(surroundings.context) }
        guard outer == 1 else { return }
        rootName.withUnsafeBufferPointer { name in
            var buffer = ByteBuffer(capacity: name.count)
            buffer.append(name)
            let view = buffer.view
            // It was a name before.
            if let number = names.find(view, 0, view.block(at: 0), name.count) { open[0].name = number }
        }
    }
}
