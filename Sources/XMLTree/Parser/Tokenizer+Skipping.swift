// Passes over a well-formed stanza that is beyond a limit, to its end tag and in constant memory: XMLParseError is for
// input that is not well-formed.
//
// Tokens are checked as ever, and end tags against open ones down to a depth. Names get no numbers, so prefixes and
// duplicate attributes are not checked. Of a tag that alone is longer than the limit of bytes, only the first bytes
// are: then its end is searched (`coarse`).

/// A stanza that is passed over.
struct SkippedStanza {
    var event: XMLStreamParser.RejectedStanza
    /// Elements before this one in `open` have numbered names; the others have names in `Tokenizer.skippedNames`.
    var firstUnnumbered: Int

    /// The length of a name that was not read to its end.
    static let unknownLength = UInt32.max
}

extension Tokenizer {
    // MARK: Beginning

    /// The tag at `start`, or what is there, is beyond a limit. A document or a stream's header is refused, a stanza is
    /// passed over from there on. Returns false: the tag does not count.
    @inline(never) @discardableResult
    mutating func exceed(_ limit: XMLParseError.Limit, _ view: ByteView, _ start: Int, _ end: Int) -> Bool {
        let maximum = limits[limit]
        if mode == .document || depth < outer { return isRefused(.limit(limit, maximum: maximum), at: start) }
        placeOpen(from: base)
        let position = depth > outer ? open[outer].start : self.position(of: start)
        var event = XMLStreamParser.RejectedStanza(limit: limit, maximum: maximum, position: position)
        if depth > outer {
            packEnded()
            while assembler.current != .none { assembler.endElement() }
            event.describe(Element(tree: assembler.finish(currentDictionary()), index: .root))
            unbind(downTo: open[outer].replaced)
        } else {
            describe(&event, view, start, end)
            event.isStartTagComplete = isStartTagComplete(beyond: limit)
        }
        assembler.dropOpen()
        skipped = SkippedStanza(event: event, firstUnnumbered: depth)
        readAgain(upTo: position.offset.saturatingAdd(limits.effectiveSkippedBytes))
        return false
    }

    /// Whether a stanza's tag that is beyond a limit was read to its end, with all attributes.
    private mutating func isStartTagComplete(beyond limit: XMLParseError.Limit) -> Bool {
        switch limit {
        case .bytes, .skippedBytes, .attributes: false
        // Only the first excess is reported: there may be too many attributes, too.
        case .nameLength: attributes.count < limits.attributes
        case .depth, .elements, .names, .declarations: true
        }
    }

    /// Looks for mistakes in a tag whose end is after `end`, and reads its attributes before that.
    mutating func checkBeginning(_ view: ByteView, _ start: Int, _ end: Int) {
        attributes.removeLast(downTo: 0)
        if end - start < 2 || view[start] != .lessThan || view[start + 1].isMarkupMark { return }
        if section != nil || coarse != nil { return }
        _ = lexSkipped(view, start, end)
    }

    /// Reads a start or end tag of which nothing is kept. Returns its end, and whether its element is empty.
    private mutating func lexSkipped(_ view: ByteView, _ start: Int, _ end: Int) -> (end: Int, isEmpty: Bool)? {
        if view[start + 1] == UInt8(ascii: "/") {
            return lexEndTag(view, start, end, isSkipped: true).map { ($0, false) }
        }
        return lex(view, start, end, isKept: false).map { ($0.end, $0.isEmpty) }
    }

    /// Takes name and attributes from a stanza's tag, as far as they were read.
    private mutating func describe(
        _ event: inout XMLStreamParser.RejectedStanza, _ view: ByteView, _ start: Int, _ end: Int
    ) {
        let all = view.bytes(start + 1, min(start + 1 + Scan.longNameLength(view, start + 1), end))
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

    // MARK: Reading on

    /// Passes over content.
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

    /// Passes over the tag at `start`. A longer tag than the limit of bytes does not wait for its end: its first bytes
    /// are checked, and nothing more.
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

    /// Passes over a long tag up to its end, or moves `p` on.
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

    /// Names of so many open elements are kept, whatever the limit of depth is.
    private static var mostNames: Int { 4096 }

    /// An element begins at `start`, and is read up to `end`. Deeper elements are counted only.
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

    /// Whether a name is that of the open element, which is passed over. Of long names only the first bytes count.
    mutating func closesSkipped(_ view: ByteView, _ p: Int, _ length: Int) -> Bool {
        let tag = open[depth - 1]
        if tag.replaced == SkippedStanza.unknownLength { return true }
        let kept = nameBytes(ofSkipped: depth - 1)
        return Int(tag.replaced) == length && kept.equals(view.bytes(p, p + kept.count))
    }

    /// The name of an open element as written, as far as it is known.
    mutating func name(ofOpen number: Int) -> String {
        guard let skipped, number >= skipped.firstUnnumbered else { return names.string(of: open[number].name) }
        return Self.string(nameBytes(ofSkipped: number)[...], at: limits.effectiveNameLength)
    }

    private mutating func nameBytes(ofSkipped number: Int) -> UnsafeBufferPointer<UInt8> {
        let end = number + 1 < open.count ? Int(open[number + 1].name) : skippedNames.count
        return skippedNames.view.bytes(Int(open[number].name), end)
    }
}
