// Reports mistakes: the kind, the open element, and the place where fragments continue.

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

    /// Notes a mistake in a tag, which then has no effect. Returns false.
    mutating func isRefused(_ kind: XMLParseError.Kind, at p: Int) -> Bool {
        mistake = (kind, p)
        return false
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
        return refused(.malformed(expected.message), at: p)
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
        pending.put(error, isLasting: isLasting)
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
        if let event = skipped?.event, event.isBeyondLimit {
            fail(event.error.kind, at: readable, position: event.position, isAtEnd: true)
        } else {
            fail(.unexpectedEnd, at: readable, isAtEnd: true)
        }
    }

    /// The innermost open element, as far as it is known.
    private mutating func openElement() -> XMLParseError.OpenElement? {
        if let event = skipped?.event {
            return XMLParseError.OpenElement(name: event.name, treeStart: event.position, position: event.position)
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
        case nil where skipped != nil: return nil
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
        if skipped != nil { return true }
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
}
