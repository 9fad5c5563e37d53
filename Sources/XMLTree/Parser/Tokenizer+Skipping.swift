// Skips a rejected stanza, up to its end tag and in constant memory: a well-formed one that exceeds a limit or, in a
// stream, breaks Namespaces in XML 1.0. XMLParseError is for input that is not well-formed.
//
// Servers relay faults of namespaces from any sender. If they ended the stream, one stored message would end every
// session of its recipient.
//
// The tokenizer checks all tokens, and end tags down to a depth. Names get no numbers, so it does not check prefixes
// and duplicate attributes. If a tag is longer than the limit of bytes, the tokenizer checks only its first bytes, and
// then looks for its end (`coarse`).

/// A stanza that is skipped.
struct SkippedStanza {
    var event: XMLStreamParser.RejectedStanza
    /// Elements before this one in `open` have numbered names; the others have names in `Tokenizer.skippedNames`.
    var firstUnnumbered: Int

    /// Marks a name that was not read to its end.
    static let unknownLength = UInt32.max
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
        placeOpen(from: base)
        let position = depth > outer ? open[outer].start : self.position(of: start)
        let mistake = place.map { self.position(of: $0) } ?? position
        var event = XMLStreamParser.RejectedStanza(kind, at: mistake, in: position)
        if depth > outer {
            packEnded()
            while assembler.current != .none { assembler.endElement() }
            event.describe(Element(tree: assembler.finish(currentDictionary()), index: .root))
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
        skipped = SkippedStanza(event: event, firstUnnumbered: depth)
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
    mutating func checkBeginning(_ view: ByteView, _ start: Int, _ end: Int) {
        attributes.removeLast(downTo: 0)
        if end - start < 2 || view[start] != .lessThan || view[start + 1].isMarkupMark { return }
        if section != nil || coarse != nil { return }
        _ = lexSkipped(view, start, end)
    }

    /// Reads a start or end tag without keeping it. Returns its end, and whether its element is empty.
    private mutating func lexSkipped(_ view: ByteView, _ start: Int, _ end: Int) -> (end: Int, isEmpty: Bool)? {
        if view[start + 1] == UInt8(ascii: "/") {
            return lexEndTag(view, start, end, isSkipped: true).map { ($0, false) }
        }
        return lex(view, start, end, isKept: false).map { ($0.end, $0.isEmpty) }
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

    /// Skips content.
    @inline(never)
    mutating func skippedContent(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        var p = start
        while true {
            let behind: Int?
            if coarse != nil {
                behind = passCoarsely(view, &p, end)
            } else {
                if depth > outer { p = slowText(view, p, Scan.text(view, p), end, isKept: false) }
                if view[p] != .lessThan || mistake != nil { return p }
                behind = view[p + 1].isMarkupMark ? markup(view, p, end) : skipTag(view, p, end)
                if behind == nil, coarse != nil { continue }
            }
            guard let behind else { return p }
            p = behind
            if section != nil { return p }
            if depth == outer {
                endSkipping()
                return p
            }
        }
    }

    /// Skips the tag at `start`. A tag beyond the limit of bytes does not wait for its end: only its first bytes are
    /// checked.
    private mutating func skipTag(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        if start + 1 == end { return nil }
        let isEndTag = view[start + 1] == UInt8(ascii: "/")
        let stop = min(end, start + max(limits.effectiveBytes, 2))
        let wasLast = isLast
        isLast = isLast && stop == end
        let saved = input.replace(at: stop, with: 0)
        let tag = lexSkipped(view, start, stop)
        _ = input.replace(at: stop, with: saved)
        isLast = wasLast
        if let tag {
            if isEndTag { pop() } else if !tag.isEmpty { push(view, start, end) }
        } else if mistake == nil, stop < end {
            coarse = TagFinder(isEndTag: isEndTag)
            if !isEndTag { push(view, start, stop) }
        }
        return tag?.end
    }

    /// Skips a long tag up to its end, or advances `p`.
    private mutating func passCoarsely(_ view: ByteView, _ p: inout Int, _ end: Int) -> Int? {
        guard var tag = coarse else { return nil }
        // The first byte was read: it is the tag's '<', or its last byte in the piece before, which may be a '/'.
        guard let stop = tag.find(view, p + 1, end) else {
            coarse = tag
            p = max(p, end - 1)
            return nil
        }
        if view[stop] != .greaterThan {
            p = wrong(view[stop] == .lessThan ? .lessThanInTag : .malformed("expected '>' here"), at: stop)
            return nil
        }
        coarse = nil
        if tag.isEndTag || view[stop - 1] == UInt8(ascii: "/") { pop() }
        return stop + 1
    }

    private mutating func endSkipping() {
        guard let stanza = skipped else { return }
        queue.append(.success(.rejected(stanza.event)))
        skipped = nil
        skippedNames.removeAll(keeping: Self.keptNames)
        endTree()
        readAgain(upTo: .max)
    }

    // MARK: Open elements

    /// The most open elements whose names are kept, even if the limit of depth is higher.
    private static var mostNames: Int { 4096 }

    /// Opens an element that begins at `start` and is read up to `end`. It only counts elements beyond the depth.
    private mutating func push(_ view: ByteView, _ start: Int, _ end: Int) {
        if open.count == depth, depth <= min(limits.depth, Self.mostNames) {
            let first = start + 1
            let length = Scan.longNameLength(view, first)
            let isWhole = first + length < end
            let kept = min(length, limits.effectiveNameLength, end - first)
            open.append(
                OpenTag(
                    name: UInt32(truncatingIfNeeded: skippedNames.count),
                    replaced: isWhole ? UInt32(truncatingIfNeeded: length) : SkippedStanza.unknownLength,
                    start: SourcePosition(line: 0, column: 0, offset: offset(of: start))))
            skippedNames.append(view.bytes(first, first + kept))
        }
        depth += 1
    }

    private mutating func pop() {
        depth -= 1
        if open.count > depth {
            if let skipped, depth >= skipped.firstUnnumbered { skippedNames.removeLast(downTo: Int(open[depth].name)) }
            open.removeLast(downTo: depth)
        }
        if let first = skipped?.firstUnnumbered, first > depth { skipped?.firstUnnumbered = depth }
    }

    /// Whether a name is that of the open skipped element. Of long names, it compares only the first bytes.
    mutating func closesSkipped(_ view: ByteView, _ p: Int, _ length: Int) -> Bool {
        let tag = open[depth - 1]
        if tag.replaced == SkippedStanza.unknownLength { return true }
        let kept = nameBytes(ofSkipped: depth - 1)
        return Int(tag.replaced) == length && kept.equals(view.bytes(p, p + kept.count))
    }

    /// The qualified name of an open element, as far as it is known.
    mutating func name(ofOpen number: Int) -> String {
        guard let skipped, number >= skipped.firstUnnumbered else { return names.string(of: open[number].name) }
        return Self.string(nameBytes(ofSkipped: number)[...], at: limits.effectiveNameLength)
    }

    private mutating func nameBytes(ofSkipped number: Int) -> UnsafeBufferPointer<UInt8> {
        let end = number + 1 < open.count ? Int(open[number + 1].name) : skippedNames.count
        return skippedNames.view.bytes(Int(open[number].name), end)
    }
}
