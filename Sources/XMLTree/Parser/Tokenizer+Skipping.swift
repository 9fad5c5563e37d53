// Passes over a well-formed stanza that is beyond a limit, to its end tag and in constant memory: XMLParseError is for
// input that is not well-formed.
//
// Tokens are checked as ever, and end tags against open ones down to a depth. Names get no numbers, so
// prefixes and duplicate attributes are not checked. Of a tag that alone is longer than the limit of bytes, only the
// first bytes are: then its end is searched (`coarse`).

/// A stanza that is passed over.
struct SkippedStanza {
    var event: XMLStreamParser.RejectedStanza
    /// The elements that were open when this began have names with numbers; those behind have hashes.
    var firstHash: Int

    /// Whether a name with this hash is that of an open element.
    static func closes(_ tag: Tokenizer.OpenTag, _ hash: UInt64) -> Bool {
        let known = UInt64(tag.name) << 32 | UInt64(tag.replaced)
        return known == hash || known == unknown
    }

    /// Stands for the hash of a name that was not read.
    static let unknown = UInt64.max

    static func tag(_ hash: UInt64) -> Tokenizer.OpenTag {
        Tokenizer.OpenTag(
            name: UInt32(truncatingIfNeeded: hash >> 32), replaced: UInt32(truncatingIfNeeded: hash), start: .start)
    }
}

extension Tokenizer {
    /// The value of a limit.
    func maximum(of limit: XMLParseError.Limit) -> Int {
        switch limit {
        case .bytes: limits.effectiveBytes
        case .depth: limits.depth
        case .elements: limits.elements
        case .attributes: limits.attributes
        case .nameLength: limits.nameLength
        case .names: limits.names
        case .declarations: limits.declarations
        case .skippedBytes: limits.effectiveSkippedBytes
        }
    }

    // MARK: Beginning

    /// The tag at `start`, or what stands there, is beyond a limit. A document or a stream's header is refused, a
    /// stanza is passed over from there on.
    @inline(never)
    @discardableResult
    mutating func exceed(_ limit: XMLParseError.Limit, _ maximum: Int, _ view: ByteView, _ start: Int) -> Int? {
        if mode == .document || depth < outer {
            mistake = (.limit(limit, maximum: maximum), start)
            return nil
        }
        placeOpen(from: base)
        let position = depth > outer ? open[outer].start : self.position(of: start)
        var event = XMLStreamParser.RejectedStanza(limit: limit, maximum: maximum, position: position)
        if depth > outer {
            finishPending()
            while assembler.current != .none { assembler.endElement() }
            event.describe(Element(tree: assembler.finish(currentDictionary()), index: .root))
            unbind(downTo: open[outer].replaced)
        } else {
            // What is read of the tag must not depend on how much of it has come.
            if limit == .bytes { lexBeginning(view, start) }
            if mistake != nil { return nil }
            describe(&event, view, start)
        }
        assembler.dropOpen()
        skipped = SkippedStanza(event: event, firstHash: depth)
        byteLimit = .max
        bound = Bound(
            end: position.offset.saturatingAdd(limits.effectiveSkippedBytes), limit: .skippedBytes,
            maximum: limits.effectiveSkippedBytes, start: position)
        return nil
    }

    /// Reads as much of a tag as the limit of bytes allows.
    private mutating func lexBeginning(_ view: ByteView, _ start: Int) {
        let end = min(start + limits.effectiveBytes, input.count)
        let saved = input.replace(at: end, with: 0)
        checkBeginning(view, start, end)
        _ = input.replace(at: end, with: saved)
    }

    /// Looks for mistakes in a tag whose end is behind `end`.
    mutating func checkBeginning(_ view: ByteView, _ start: Int, _ end: Int) {
        attributes.removeLast(downTo: 0)
        if end - start < 2 || view[start] != .lessThan || view[start + 1].isMarkupMark || section != .none { return }
        if coarse != nil { return }
        let wasFinal = isFinal
        isFinal = false
        if view[start + 1] == UInt8(ascii: "/") {
            _ = lexEndTag(view, start, end)
        } else {
            var tag = Tag()
            _ = lex(view, start, end, &tag, isKept: false)
        }
        isFinal = wasFinal
    }

    /// Takes name and attributes from a stanza's tag, as far as they were read.
    private func describe(_ event: inout XMLStreamParser.RejectedStanza, _ view: ByteView, _ start: Int) {
        // No more than the limit of bytes allows, wherever the input was cut.
        let length = min(Scan.longNameLength(view, start + 1), limits.effectiveBytes - 1)
        let all = view.bytes(start + 1, start + 1 + length)
        let colon = all.firstIndex(of: UInt8(ascii: ":"))
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
        event.namespace = namespace == "" ? nil : namespace
    }

    /// The whole characters in the first bytes of a name.
    static func string(_ name: Slice<UnsafeBufferPointer<UInt8>>, at limit: Int) -> String {
        var part = name.prefix(max(limit, 0))
        while let last = part.last, last >= 0x80, String(validating: part, as: UTF8.self) == nil { part.removeLast() }
        return String(decoding: part, as: UTF8.self)
    }

    /// A tag that is incomplete or wrong. If it is so long that it may come without its end, its end must not decide.
    @inline(never)
    mutating func endOfWrongTag(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        let isEndTag = view[start + 1] == UInt8(ascii: "/")
        let isStanza = mode != .document && depth >= (isEndTag ? outer + 1 : outer) && !isComplete
        guard mistake != nil, isStanza else { return nil }
        var finder = TagFinder(isEndTag: isEndTag)
        let length = (finder.find(view, start + 1, end) ?? end) + 1 - start
        guard length > limits.effectiveBytes else { return nil }
        mistake = nil
        if skipped != nil {
            skipCoarsely(view, start)
        } else {
            exceed(.bytes, limits.effectiveBytes, view, start)
        }
        return nil
    }

    // MARK: Reading on

    /// Passes over content.
    @inline(never)
    mutating func skippedContent(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        var p = start
        while true {
            if coarse != nil {
                p = passCoarsely(view, p, end)
                if coarse != nil || mistake != nil { return p }
            } else {
                if depth > outer { p = slowText(view, p, Scan.text(view, p), end, isKept: false) }
                if view[p] != .lessThan || mistake != nil { return p }
                let next = view[p + 1]
                let behind =
                    next == UInt8(ascii: "/")
                    ? skipEndTag(view, p, end) : next.isMarkupMark ? markup(view, p, end) : skipStartTag(view, p, end)
                guard let behind else {
                    if coarse != nil { continue }
                    return p
                }
                p = behind
                if section != .none { return p }
            }
            if depth == outer {
                endSkipping()
                return p
            }
        }
    }

    private mutating func skipStartTag(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        var tag = Tag()
        guard let behind = lex(view, start, end, &tag, isKept: false) else { return endOfWrongTag(view, start, end) }
        let isLong = behind - start > limits.effectiveBytes
        if !tag.isEmpty { push(isLong ? SkippedStanza.unknown : hash(view, start + 1, tag.nameLength)) }
        return behind
    }

    private mutating func skipEndTag(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        guard let behind = lexEndTag(view, start, end) else { return endOfWrongTag(view, start, end) }
        pop()
        return behind
    }

    /// Names of so many open elements are kept, whatever the limit of depth is.
    private static var mostHashes: Int { 4096 }

    private mutating func push(_ hash: UInt64) {
        // Deeper elements are counted only.
        if open.count == depth, depth <= min(limits.depth, Self.mostHashes) { open.append(SkippedStanza.tag(hash)) }
        depth += 1
    }

    private mutating func pop() {
        depth -= 1
        open.removeLast(downTo: min(open.count, depth))
        if let first = skipped?.firstHash, first > depth { skipped?.firstHash = depth }
    }

    /// Goes on with a tag that is too long to wait for.
    mutating func skipCoarsely(_ view: ByteView, _ start: Int) {
        lexBeginning(view, start)
        if mistake != nil { return }
        coarse = TagFinder(isEndTag: view[start + 1] == UInt8(ascii: "/"))
        isBoundChanged = true
    }

    /// Passes over a tag up to its end.
    private mutating func passCoarsely(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        guard var tag = coarse else { return start }
        // The first byte was looked at: it is the tag's '<', or its last byte of the piece before, which may say that
        // the element is empty.
        guard let stop = tag.find(view, start + 1, end) else {
            coarse = tag
            return max(start, end - 1)
        }
        if view[stop] != .greaterThan {
            return wrong(view[stop] == .lessThan ? .lessThanInTag : .malformed("expected '>' here"), at: stop)
        }
        coarse = nil
        if tag.isEndTag {
            pop()
        } else if view[stop - 1] != UInt8(ascii: "/") {
            push(SkippedStanza.unknown)
        }
        return stop + 1
    }

    private mutating func endSkipping() {
        guard let stanza = skipped else { return }
        finishPending()
        queue.append(.rejected(stanza.event))
        skipped = nil
        bound = nil
        endTree()
    }
}
