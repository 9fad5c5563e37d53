// Skips a rejected stanza, up to its end tag and in constant memory: a well-formed one that exceeds a limit or, in a
// stream, breaks Namespaces in XML 1.0. XMLParseError is for input that is not well-formed.
//
// Servers relay faults of namespaces from any sender. If they ended the stream, one stored message would end every
// session of its recipient.
//
// The tokenizer only counts tags, as `TagReader` does, and checks other markup.

/// A stanza that is skipped.
struct SkippedStanza {
    let event: XMLStreamParser.RejectedStanza
    /// The tag whose end is searched.
    private var tag: TagFinder?

    init(_ event: XMLStreamParser.RejectedStanza) {
        self.event = event
    }

    /// The next change of depth, or the reason to stop.
    enum Progress {
        case tag(depth: Int, end: Int)
        /// Markup that is not a tag.
        case markup(at: Int)
        case incomplete(at: Int)
        case wrong(XMLParseError.Kind, at: Int)
    }

    /// Finds the next tag from `start` on.
    mutating func next(_ view: ByteView, _ start: Int, _ end: Int) -> Progress {
        var p = start
        var finder: TagFinder
        if let tag {
            finder = tag
        } else {
            p = Scan.find(view, p, end, .lessThan, .lessThan, .lessThan, .lessThan)
            if p + 1 >= end { return .incomplete(at: p) }
            if view[p + 1].isMarkupMark { return .markup(at: p) }
            finder = TagFinder(isEndTag: view[p + 1] == UInt8(ascii: "/"))
        }
        // The first byte was read: it is the tag's '<', or its last byte in the piece before, which may be a '/'.
        guard let last = finder.find(view, p + 1, end) else {
            tag = finder
            return .incomplete(at: max(p, end - 1))
        }
        tag = nil
        if view[last] != .greaterThan {
            return .wrong(view[last] == .lessThan ? .lessThanInTag : .malformed("expected '>' here"), at: last)
        }
        return .tag(depth: finder.isEndTag ? -1 : view[last - 1] == UInt8(ascii: "/") ? 0 : 1, end: last + 1)
    }
}

/// A flaw of a tag whose syntax is correct.
enum TagFlaw {
    case limit(XMLParseError.Limit)
    /// The index at which a name is not a qualified one.
    case colon(at: Int32)
}

extension Tokenizer {
    // MARK: Beginning

    /// Handles a flaw that was found while the tag was read. Returns false, because the tag has no effect.
    @inline(never)
    mutating func isFlawed(_ flaw: TagFlaw, _ view: ByteView, _ start: Int, _ end: Int) -> Bool {
        switch flaw {
        case .limit(let limit): exceed(limit, view, start, end)
        case .colon(let place): isFault(.misplacedColon, at: Int(place), view, start, end)
        }
    }

    /// Handles a tag or other input at `start` that exceeds a limit. It refuses a document or a stream's header, and
    /// skips a stanza from there on. Returns false, because the tag has no effect.
    @inline(never) @discardableResult
    mutating func exceed(_ limit: XMLParseError.Limit, _ view: ByteView, _ start: Int, _ end: Int) -> Bool {
        let kind = XMLParseError.Kind.limit(limit, maximum: limits[limit])
        if mode == .document || depth < outer { return isRefused(kind, at: start) }
        reject(kind, at: nil, isTagComplete: isStartTagComplete(beyond: limit), view, start, end)
        return false
    }

    /// Handles a fault of namespaces at `place` in the tag at `start`, whose attributes were read. It refuses a
    /// document, a fragment or a stream's header, and skips a stanza from there on. Returns false, because the tag has
    /// no effect.
    @inline(never)
    mutating func isFault(
        _ kind: XMLParseError.Kind, at place: Int, _ view: ByteView, _ start: Int, _ end: Int
    ) -> Bool {
        if mode != .stream || depth < outer { return isRefused(kind, at: place) }
        // An attribute twice as written is not well-formed, also without namespaces (XML 1.0 §3.1).
        var written = Set<[UInt8]>()
        for number in 0..<attributes.count {
            let first = Int(attributes[number].start)
            let name = Array(view.bytes(first, first + Scan.longNameLength(view, first)))
            if written.insert(name).inserted { continue }
            return isRefused(.duplicateAttribute(String(decoding: name, as: UTF8.self)), at: first)
        }
        let isTagComplete = attributes.count < limits.attributes
        reject(kind, at: place, isTagComplete: isTagComplete, view, start, end)
        return false
    }

    /// Skips the open stanza from the tag at `start` on, or the one that begins with this tag. Refuses the tag of
    /// another stream's root, like that of the first.
    ///
    /// - Parameters:
    ///   - place: The index of the mistake; `nil` for the beginning of the stanza.
    ///   - isTagComplete: Whether all attributes of the tag are in `attributes`.
    private mutating func reject(
        _ kind: XMLParseError.Kind, at place: Int?, isTagComplete: Bool, _ view: ByteView, _ start: Int,
        _ end: Int
    ) {
        let begin = SourcePosition(line: 0, column: 0, offset: offset(of: start))
        let position = placed(depth > outer ? open[outer].start : begin)
        let mistake = place.map { self.position(of: $0) } ?? position
        var event = XMLStreamParser.RejectedStanza(kind, at: mistake, in: position)
        if depth > outer {
            while assembler.current != .none { assembler.endElement() }
            event.describe(Element(tree: makeTree(), index: .root))
            unbind(downTo: open[outer].replaced)
        } else {
            describe(&event, view, start, end)
            let name = view.bytes(start + 1, min(start + 1 + Scan.longNameLength(view, start + 1), end))
            let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name[...]
            if mayRestart, isHeader(name, local: local, in: (event.namespace ?? "").utf8) {
                self.mistake = (kind, place ?? start)
                return
            }
            event.isStartTagComplete = isTagComplete
        }
        assembler.dropOpen()
        skipped = SkippedStanza(event)
        (finder, known) = (nil, 0)
        readAgain(upTo: position.offset.saturatingAdd(limits.effectiveSkippedBytes))
    }

    /// Whether the stanza's tag that exceeds a limit was read to its end, with all attributes.
    private mutating func isStartTagComplete(beyond limit: XMLParseError.Limit) -> Bool {
        switch limit {
        case .bytes, .skippedBytes, .attributes: false
        // Only the first excess is reported. The tag may have too many attributes, too.
        case .nameLength: attributes.count < limits.attributes
        case .depth, .elements, .names, .declarations: true
        }
    }

    /// Looks for mistakes in a tag whose end is after `end`, and reads its attributes up to `end`.
    mutating func readBeginning(_ view: ByteView, _ start: Int, _ end: Int) {
        attributes.removeLast(downTo: 0)
        if end - start < 2 || view[start] != .lessThan || view[start + 1].isMarkupMark { return }
        if section != nil || skipped != nil { return }
        if view[start + 1] == UInt8(ascii: "/") {
            _ = lexEndTag(view, start, end)
        } else {
            _ = lex(view, start, end)
        }
    }

    /// Copies name and attributes from a stanza's tag into the event, as far as they were read.
    private mutating func describe(
        _ event: inout XMLStreamParser.RejectedStanza, _ view: ByteView, _ start: Int, _ end: Int
    ) {
        let all = view.bytes(start + 1, min(start + 1 + Scan.longNameLength(view, start + 1), end))
        let colons = all.indices.filter { all[$0] == UInt8(ascii: ":") }
        let isQualified = colons.isEmpty || colons.count == 1 && colons[0] > 0 && colons[0] + 1 < all.count
        let colon = isQualified ? colons.first : nil
        let prefix = all[..<(colon ?? 0)]
        let local = all[(colon.map { $0 + 1 } ?? 0)...]
        event.name = Self.string(local, at: limits.nameLength)
        var namespace = names.namespace(ofPrefix: prefix).map { String(decoding: $0, as: UTF8.self) }
        let declaration = prefix.isEmpty ? Array("xmlns".utf8) : Array("xmlns:".utf8) + prefix
        for number in 0..<attributes.count {
            let attribute = attributes[number]
            let first = Int(attribute.start)
            let name = view.bytes(first, first + Scan.longNameLength(view, first))
            let text = String(decoding: value(attribute, view).0, as: UTF8.self)
            if name.elementsEqual(declaration) { namespace = text }
            event.set(name, to: text)
        }
        event.namespace = isQualified && namespace != "" ? namespace : nil
    }

    /// The first bytes of a name as a string of whole characters.
    static func string(_ name: Slice<UnsafeBufferPointer<UInt8>>, at limit: Int) -> String {
        var part = name.prefix(max(limit, 0))
        while let last = part.last, last >= 0x80, String(validating: part, as: UTF8.self) == nil { part.removeLast() }
        return String(decoding: part, as: UTF8.self)
    }

    // MARK: Continuing

    /// Skips content. Returns the index of the rest.
    @inline(never)
    mutating func skippedContent(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        var p = start
        while let progress = skipped?.next(view, p, end) {
            switch progress {
            case .incomplete(let place): return place
            case .wrong(let kind, let place): return wrong(kind, at: place)
            case .markup(let place):
                guard let behind = markup(view, place, end) else { return place }
                p = behind
                if section != nil || mistake != nil { return p }
            case .tag(let change, let behind):
                p = behind
                depth += change
                if open.count > depth { open.removeLast(downTo: depth) }
                if depth == outer { endSkipping() }
            }
        }
        return p
    }

    private mutating func endSkipping() {
        guard let stanza = skipped else { return }
        pending.put(.rejected(stanza.event))
        skipped = nil
        endTree()
        readAgain(upTo: .max)
    }
}
