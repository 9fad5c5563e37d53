// Reports mistakes: the kind, the open element, and the place where fragments continue.
//
// Skips a rejected stanza, up to its end tag and in constant memory: a well-formed one that exceeds a limit or, in a
// stream, breaks Namespaces in XML 1.0. XMLParseError is for input that is not well-formed. Servers relay faults of
// namespaces from any sender. If they ended the stream, one stored message would end every session of its recipient.
// The tokenizer only counts tags of a skipped stanza, as `TagReader` does, and checks other markup.

import SafeText

/// A flaw of a tag whose syntax is correct.
enum TagFlaw {
    case limit(XMLParseError.Limit)
    /// The index at which a name is not a qualified one.
    case colon(at: Int32)
}

extension Tokenizer {
    /// Notes a mistake, and returns its place.
    mutating func wrong(_ kind: XMLParseError.Kind, at p: Int) -> Int {
        mistake = (kind, p)
        return p
    }

    /// Notes a mistake where a result was expected.
    mutating func refused<Result>(_ kind: XMLParseError.Kind, at p: Int) -> Result? {
        mistake = (kind, p)
        return nil
    }

    /// Notes that the expected token is not at `p`. At the end of the input, it records nothing yet.
    @inline(never)
    mutating func wrongTag<Result>(
        _ view: ByteView, _ p: Int, _ end: Int, _ expected: XMLParseError.Expectation, isTag: Bool = true
    ) -> Result? {
        if p == end { return nil }
        if view[p] == .lessThan, isTag { return refused(.lessThanInTag, at: p) }
        wrongCharacter(view, p, end)
        if mistake != nil || Scan.character(view, p, end) == .incomplete { return nil }
        return refused(.malformed(expected.rawValue), at: p)
    }

    /// Notes a mistake if the bytes at `p` are not a character. An incomplete character is wrong at the input's end
    /// only.
    @inline(never)
    mutating func wrongCharacter(_ view: ByteView, _ p: Int, _ end: Int) {
        if p == end { return }
        switch Scan.character(view, p, end) {
        case .valid: return
        case .incomplete: if isLast { mistake = (.invalidUTF8, p) }
        case .invalidUTF8: noteUnlessWide(.invalidUTF8, view, p, end)
        case .forbidden(let scalar): noteUnlessWide(.forbiddenCharacter(scalar), view, p, end)
        }
    }

    /// The beginnings of UTF-16 and UTF-32: a byte order mark, or zeros beside a '<' (XML 1.0, appendix F).
    private static let wideBeginnings: [[UInt8]] = [
        [0xFE, 0xFF], [0xFF, 0xFE], [0, 0, 0xFE, 0xFF], [0, 0x3C], [0x3C, 0], [0, 0, 0, 0x3C],
    ]

    /// Notes a wrong character, or the encoding that makes it one. Notes nothing while more input may show an encoding.
    private mutating func noteUnlessWide(_ kind: XMLParseError.Kind, _ view: ByteView, _ p: Int, _ end: Int) {
        if offset(of: p) <= 1, offset(of: 0) == 0 {
            let beginning = view.bytes(0, min(4, end))
            if Self.wideBeginnings.contains(where: { beginning.starts(with: $0) }) {
                mistake = (.unsupportedEncoding("UTF-16 or UTF-32"), p)
                return
            }
            if !isLast, Self.wideBeginnings.contains(where: { $0.starts(with: beginning) }) { return }
        }
        mistake = (kind, p)
    }

    /// Reports an error at an index of `input`. Fragments continue at that line or a later one that begins with a tag.
    ///
    /// - Parameters:
    ///   - position: The error's position; `nil` for that of the index.
    ///   - isAtEnd: Whether the end of an element is missing, because the input ends.
    @inline(never)
    mutating func fail(
        _ kind: XMLParseError.Kind, at index: Int, position other: SourcePosition? = nil, isAtEnd: Bool = false
    ) {
        let position = other ?? self.position(of: index)
        let isMissing = isAtEnd || kind == .mismatchedEndTag
        let error = XMLParseError(
            kind, at: position, unclosed: isMissing ? openElement() : nil,
            endTag: kind == .mismatchedEndTag ? name(ofEndTag: index) : nil,
            unfinished: kind == .unexpectedEnd ? unfinishedMarkup() : nil)
        // All but those of a fragment.
        let isLasting = !mode.isFragments || kind == .invalidContext
        put(error)
        assembler.dropOpen()
        if isLasting {
            phase = .stopped
            return
        }
        phase = .searching(atLineStart: kind == .lessThanInTag && position.column == 1)
        forgetOpen()
        pass(index)
        recycle()
    }

    /// Reports input that ends inside an element or a token. A skipped stanza may exceed its limit before that.
    mutating func failAtEnd() {
        if let skipped, skipped.isBeyondLimit {
            fail(skipped.error.kind, at: readable, position: skipped.position, isAtEnd: true)
        } else {
            fail(.unexpectedEnd, at: readable, isAtEnd: true)
        }
    }

    /// The innermost open element, as far as it is known.
    private mutating func openElement() -> XMLParseError.OpenElement? {
        if let skipped {
            return XMLParseError.OpenElement(
                name: skipped.name, treeStart: skipped.position, position: skipped.position)
        }
        let last = open.count - 1
        if last < 0 { return nil }
        return XMLParseError.OpenElement(
            name: names.string(of: open[last].name), treeStart: placed(open[min(outer, last)].start),
            position: placed(open[last].start))
    }

    /// The markup whose end is missing.
    private mutating func unfinishedMarkup() -> XMLParseError.UnfinishedMarkup? {
        let view = input.view
        let kind: XMLParseError.UnfinishedMarkup.Kind
        switch section {
        case .comment: kind = .comment
        case .instruction: kind = .processingInstruction
        case .characterData: kind = .characterData
        case .documentType: kind = .documentType
        case nil where isSkipping: return nil
        case nil where view[0] == .ampersand: kind = .reference
        case nil where view[0] == .lessThan:
            switch (view[1], view[2]) {
            case (UInt8(ascii: "?"), _): kind = .processingInstruction
            case (UInt8(ascii: "!"), UInt8(ascii: "-")): kind = .comment
            case (UInt8(ascii: "!"), UInt8(ascii: "[")): kind = .characterData
            case (UInt8(ascii: "!"), UInt8(ascii: "D")): kind = .documentType
            default: kind = .tag
            }
        case nil: return nil
        }
        let position = section == nil ? position(of: 0) : placed(sectionStart)
        return XMLParseError.UnfinishedMarkup(kind: kind, position: position)
    }

    private mutating func name(ofEndTag index: Int) -> String {
        let view = input.view
        let length = Scan.longNameLength(view, index + 2)
        return Self.string(view.bytes(index + 2, index + 2 + length)[...], at: limits.effectiveNameLength)
    }

    /// Whether an element, markup or the root is incomplete at the input's end.
    var isUnfinished: Bool {
        // Without `||`: each operand would be a closure over this struct, which costs the compiler half a second.
        if readable > 0 { return true }
        if section != nil { return true }
        if isSkipping { return true }
        return mode.isFragments ? depth > 0 : !isComplete
    }

    /// Looks for the next line that begins with '<' and a name. Returns whether reading continues there.
    mutating func findFragment(_ atLineStart: Bool) -> Bool {
        let (view, end) = (input.view, readable)
        var p = 0
        var isLineStart = atLineStart
        while true {
            if !isLineStart { p = Scan.find(view, p, end, .lineFeed, .lineFeed, .lineFeed, .lineFeed) }
            while view[p] == .lineFeed, p < end {
                isLineStart = true
                p += 1
            }
            if p == end { break }
            if view[p] == .lessThan {
                let next = p + 1 == end ? .incomplete : Scan.character(view, p + 1, end)
                if next == .incomplete { break }
                if case .valid(let scalar, _) = next, XMLCharacters.isNameStart(scalar) {
                    pass(p)
                    phase = .reading
                    return true
                }
            }
            isLineStart = false
        }
        pass(p)
        phase = .searching(atLineStart: isLineStart)
        return false
    }

    // MARK: Rejecting

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
        if mode == .document || depth < outer { return refused(kind, at: start) ?? false }
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
        if mode != .stream || depth < outer { return refused(kind, at: place) ?? false }
        // An attribute twice as written is not well-formed, also without namespaces (XML 1.0 §3.1).
        var written = Set<[UInt8]>()
        for number in 0..<attributes.count {
            let first = Int(attributes[number].start)
            let name = Array(view.bytes(first, first + Scan.longNameLength(view, first)))
            if written.insert(name).inserted { continue }
            return refused(.duplicateAttribute(String(decoding: name, as: UTF8.self)), at: first) ?? false
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
        _ kind: XMLParseError.Kind, at place: Int?, isTagComplete: Bool, _ view: ByteView, _ start: Int, _ end: Int
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
        (skipped, skippedTag) = (event, nil)
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
        if section != nil || isSkipping { return }
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
        while let last = part.last, last >= 0x80, String(validUTF8: part) == nil { part.removeLast() }
        return String(decoding: part, as: UTF8.self)
    }

    // MARK: Skipping

    /// Skips content. Returns the index of the rest.
    @inline(never)
    mutating func skippedContent(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        var p = start
        while isSkipping {
            if skippedTag == nil {
                p = Scan.find(view, p, end, .lessThan, .lessThan, .lessThan, .lessThan)
                if p + 1 >= end { return p }
                if view[p + 1].isMarkupMark {
                    guard let behind = markup(view, p, end) else { return p }
                    p = behind
                    if section != nil || mistake != nil { return p }
                    continue
                }
            }
            var tag = skippedTag ?? TagFinder(isEndTag: view[p + 1] == UInt8(ascii: "/"))
            // The first byte was read: it is the tag's '<', or its last byte in the piece before, which may be a '/'.
            guard let last = tag.find(view, p + 1, end) else {
                skippedTag = tag
                return max(p, end - 1)
            }
            skippedTag = nil
            if view[last] != .greaterThan {
                return wrong(view[last] == .lessThan ? .lessThanInTag : .missingTagEnd, at: last)
            }
            p = last + 1
            depth += tag.isEndTag ? -1 : view[last - 1] == UInt8(ascii: "/") ? 0 : 1
            if open.count > depth { open.removeLast(downTo: depth) }
            if depth == outer { endSkipping() }
        }
        return p
    }

    private mutating func endSkipping() {
        guard let stanza = skipped else { return }
        put(.rejected(stanza))
        skipped = nil
        endTree()
        readAgain(upTo: .max)
    }
}
