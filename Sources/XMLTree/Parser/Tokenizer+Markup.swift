// Reads what begins with `<!` and `<?`. Comments, instructions, CDATA sections and document types are passed as far as
// they go, so they take no memory; an XML declaration waits until it is complete.

extension Tokenizer {
    /// Markup whose end has not come yet.
    enum Section: Equatable {
        case none, characterData, comment, instruction
        case documentType(DocumentType)
    }

    /// What is open in a document type.
    enum DocumentType: Equatable {
        case declaration(inSubset: Bool)
        case literal(quote: UInt8, inSubset: Bool)
        case comment, instruction
        /// Behind the ']' of the internal subset.
        case subsetEnd
    }

    /// The markup at `start`. Returns what follows its beginning, or all of it.
    @inline(never)
    mutating func markup(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        if view[start + 1] == UInt8(ascii: "?") { return instruction(view, start, end) }
        if starts(with: "<!--", view, start, end) {
            if mode == .stream { return refuse(.comment, start) }
            return begin(.comment, view, start + 4, end)
        }
        if starts(with: "<![CDATA[", view, start, end) {
            if depth > outer { return begin(.characterData, view, start + 9, end) }
            let isPlace = mode != .document && depth == outer && !isComplete
            mistake = (isPlace ? .textBetweenElements : isComplete ? .contentAfterEnd : .missingRoot, start)
            return nil
        }
        if starts(with: "<!DOCTYPE", view, start, end) {
            let isPlace = mode == .document && depth == 0 && !isComplete && !hasDocumentType
            if !isPlace { return refuse(.documentType, start) }
            if start + 9 == end { return nil }
            if !Scan.isSpace(view[start + 9]) { return wrongTag(view, start + 9, end, .whiteSpace, isTag: false) }
            hasDocumentType = true
            return begin(.documentType(.declaration(inSubset: false)), view, start + 9, end)
        }
        let isBeginning = ["<!--", "<![CDATA[", "<!DOCTYPE"].contains { opening in
            opening.utf8.starts(with: view.bytes(start, min(end, start + 9)))
        }
        if !isBeginning { mistake = (.otherMarkup, start) }
        return nil
    }

    private func starts(with opening: StaticString, _ view: ByteView, _ start: Int, _ end: Int) -> Bool {
        let count = opening.utf8CodeUnitCount
        return end - start >= count && view.bytes(start, start + count).elementsEqual(opening.buffer)
    }

    private mutating func refuse(_ markup: XMLParseError.Markup, _ start: Int) -> Int? {
        mistake = (.restricted(markup), start)
        return nil
    }

    private mutating func begin(_ section: Section, _ view: ByteView, _ start: Int, _ end: Int) -> Int {
        self.section = section
        return rest(ofSection: view, start, end)
    }

    // MARK: Sections

    /// Reads on in the section that is open.
    mutating func rest(ofSection view: ByteView, _ start: Int, _ end: Int) -> Int {
        switch section {
        case .none: start
        case .characterData: characterData(view, start, end)
        case .comment: comment(view, start, end)
        case .instruction: instructionData(view, start, end)
        case .documentType(let state): documentType(view, start, end, state)
        }
    }

    /// Passes what is allowed in any markup: white space and characters beyond ASCII. Returns `nil` at what is not, and
    /// at the end.
    private mutating func passPlain(_ view: ByteView, _ p: Int, _ end: Int) -> Int? {
        let byte = view[p]
        if byte >= 0x80 {
            let place = Scan.passCharacters(view, p, end)
            if place > p { return place }
        } else if byte >= 0x20 || Scan.isSpace(byte) {
            return p + 1
        }
        wrongCharacter(view, p, end)
        return nil
    }

    private mutating func comment(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        var p = start
        while true {
            p = Scan.plain(view, p, mark: UInt8(ascii: "-"))
            if view[p] == UInt8(ascii: "-") {
                if p + 1 == end || view[p + 1] == UInt8(ascii: "-") && p + 2 == end { return p }
                if view[p + 1] == UInt8(ascii: "-") {
                    if view[p + 2] != .greaterThan { return wrong(.hyphensInComment, at: p) }
                    section = .none
                    return p + 3
                }
            }
            guard let next = passPlain(view, p, end) else { return p }
            p = next
        }
    }

    private mutating func instructionData(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        var p = start
        while true {
            p = Scan.plain(view, p, mark: UInt8(ascii: "?"))
            if view[p] == UInt8(ascii: "?") {
                if p + 1 == end { return p }
                if view[p + 1] == .greaterThan {
                    section = .none
                    return p + 2
                }
            }
            guard let next = passPlain(view, p, end) else { return p }
            p = next
        }
    }

    private mutating func characterData(_ view: ByteView, _ begin: Int, _ end: Int) -> Int {
        var (start, p) = (begin, begin)
        func keep(_ start: Int, _ p: Int, _ assembler: inout TreeAssembler, _ isKept: Bool) {
            if p > start, isKept { assembler.text(view.bytes(start, p), in: view.memory) }
        }
        let isKept = skipped == nil
        while true {
            p = Scan.plain(view, p, mark: UInt8(ascii: "]"))
            let byte = view[p]
            if byte == UInt8(ascii: "]") {
                if p + 1 == end || view[p + 1] == byte && p + 2 == end { break }
                if view[p + 1] == byte && view[p + 2] == .greaterThan {
                    keep(start, p, &assembler, isKept)
                    section = .none
                    return p + 3
                }
            } else if byte == 0x0D {
                keep(start, p, &assembler, isKept)
                start = p
                if p + 1 == end { break }
                // A line feed follows, or takes its place.
                start = p + 1
                if view[start] != .lineFeed, isKept { append("\n") }
                p = start
                continue
            }
            guard let next = passPlain(view, p, end) else { break }
            p = next
        }
        keep(start, p, &assembler, isKept)
        return p
    }

    // MARK: Document types

    /// Passes over a document type. Nothing in it is used, so nothing in it is checked but characters, and what its end
    /// depends on.
    private mutating func documentType(_ view: ByteView, _ start: Int, _ end: Int, _ first: DocumentType) -> Int {
        var p = start
        var state = first
        while true {
            section = .documentType(state)
            let byte = view[p]
            if p == end { return p }
            switch state {
            case .literal(let quote, let inSubset):
                p = Scan.plain(view, p, mark: quote)
                if view[p] == quote { state = .declaration(inSubset: inSubset) }
            case .comment, .instruction:
                let isComment = state == .comment
                section = isComment ? .comment : .instruction
                p = isComment ? comment(view, p, end) : instructionData(view, p, end)
                if section != .none || mistake != nil {
                    section = .documentType(state)
                    return p
                }
                state = .declaration(inSubset: true)
                continue
            case .subsetEnd:
                if byte == .greaterThan {
                    section = .none
                    return p + 1
                }
                if !Scan.isSpace(byte) { _ = wrongTag(view, p, end, .endOfEndTag) }
                if mistake != nil { return p }
            case .declaration(let inSubset):
                switch byte {
                case _ where byte.isQuote: state = .literal(quote: byte, inSubset: inSubset)
                case UInt8(ascii: "["): state = .declaration(inSubset: true)
                case UInt8(ascii: "]") where inSubset: state = .subsetEnd
                case .greaterThan where !inSubset:
                    section = .none
                    return p + 1
                case .lessThan where !inSubset: return wrong(.lessThanInTag, at: p)
                case .lessThan:
                    if starts(with: "<!--", view, p, end) {
                        state = .comment
                        p += 4
                        continue
                    }
                    if starts(with: "<?", view, p, end) {
                        state = .instruction
                        p += 2
                        continue
                    }
                    if "<!--".utf8.starts(with: view.bytes(p, min(end, p + 4))), end - p < 4 { return p }
                default: break
                }
            }
            guard let next = passPlain(view, p, end) else { return p }
            p = next
        }
    }

    // MARK: Instructions

    private mutating func instruction(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        let p = start + 2
        let length = Scan.longNameLength(view, p)
        let isXML = length >= 3 && view.bytes(p, p + 3).elementsEqual("xml".utf8) { $0 | 0x20 == $1 }
        let longest = limits.nameLength
        // A character that begins within the limit is complete within three bytes more.
        let isLong = length > longest.saturatingAdd(3)
        if p + length == end, mode == .stream ? length <= 3 : !isLong { return nil }
        if isXML, length == 3 { return declaration(view, start, end) }
        if mode == .stream { return refuse(.processingInstruction, start) }
        if let place = Scan.badNamePlace(view, p, p + length), length <= longest || place - p < longest {
            wrongName(view, place, end)
            return nil
        }
        if length > longest {
            mistake = (.limit(.nameLength, maximum: longest), start)
            return nil
        }
        let behind = p + length
        if view[behind] == UInt8(ascii: "?") {
            if behind + 1 == end { return nil }
            if view[behind + 1] == .greaterThan { return behind + 2 }
        }
        if !Scan.isSpace(view[behind]) { return wrongTag(view, behind, end, .whiteSpace, isTag: false) }
        return begin(.instruction, view, behind, end)
    }

    /// `<?xml`, at the beginning or between fragments.
    private mutating func declaration(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        let isBeginning = offset(of: start) == beginning
        let isPlace = if case .fragments = mode { depth == 0 } else { isBeginning }
        if !isPlace || !view.bytes(start + 2, start + 5).elementsEqual("xml".utf8) {
            return refuse(.xmlDeclaration, start)
        }
        if bound == nil {
            limit(from: start)
            return nil
        }
        // Neither may stand in it.
        var stop = max(start + 5, start == 0 ? known : 0)
        while true {
            stop = Scan.find(view, stop, end, UInt8(ascii: "?"), .lessThan, .lessThan, .lessThan)
            if stop + 1 >= end || view[stop] == .lessThan || view[stop + 1] == .greaterThan { break }
            stop += 1
        }
        if stop + 1 >= end, !isFinal, stop == end || view[stop] != .lessThan {
            known = stop
            return nil
        }
        var reader = DeclarationReader(view: view, end: end, p: start + 5)
        guard let behind = reader.read() else {
            if let mistake = reader.mistake {
                self.mistake = mistake
            } else {
                _ = wrongTag(view, reader.p, end, reader.expected, isTag: false)
            }
            return nil
        }
        if mode != .document { bound = nil }
        return behind
    }
}

/// Reads an XML declaration (§2.8).
private struct DeclarationReader {
    let view: ByteView
    let end: Int
    var p: Int
    var expected = XMLParseError.Expectation.whiteSpace
    var mistake: (kind: XMLParseError.Kind, index: Int)?

    /// Returns what follows it; `nil` if something else is at `p` than what is expected, or `mistake` says what is
    /// wrong.
    mutating func read() -> Int? {
        guard space() else { return nil }
        guard let version = value("version", .version) else { return nil }
        let isKnown = version.count > 2 && version.starts(with: "1.".utf8)
        if !isKnown || !version.dropFirst(2).allSatisfy({ 0x30...0x39 ~= $0 }) {
            mistake = (.malformed("expected the version 1.0 here"), p - version.count - 1)
            return nil
        }
        var hasSpace = space()
        if hasSpace, view[p] == UInt8(ascii: "e") {
            guard let encoding = value("encoding", .declarationEnd) else { return nil }
            let name = String(decoding: encoding, as: UTF8.self)
            if name.uppercased() != "UTF-8" {
                mistake = (.unsupportedEncoding(name), p - encoding.count - 1)
                return nil
            }
            hasSpace = space()
        }
        if hasSpace, view[p] == UInt8(ascii: "s") {
            guard let value = value("standalone", .declarationEnd) else { return nil }
            if !value.elementsEqual("yes".utf8), !value.elementsEqual("no".utf8) {
                mistake = (.malformed("expected 'yes' or 'no' here"), p - value.count - 1)
                return nil
            }
            hasSpace = space()
        }
        if view[p] == UInt8(ascii: "?"), view[p + 1] == .greaterThan { return p + 2 }
        if view[p] == UInt8(ascii: "?"), p + 1 == end { p = end }
        expected = hasSpace ? .declarationEnd : .whiteSpace
        return nil
    }

    private mutating func space() -> Bool {
        let start = p
        p = Scan.skipSpace(view, p)
        return p > start
    }

    /// `name = 'value'`.
    private mutating func value(
        _ name: StaticString, _ expected: XMLParseError.Expectation
    ) -> UnsafeBufferPointer<UInt8>? {
        self.expected = expected
        for byte in name.buffer {
            if view[p] != byte { return nil }
            p += 1
        }
        self.expected = .equalsSign
        _ = space()
        if view[p] != UInt8(ascii: "=") { return nil }
        p += 1
        _ = space()
        self.expected = .quotedValue
        let quote = view[p]
        if !quote.isQuote { return nil }
        p += 1
        let start = p
        p = Scan.plain(view, p, mark: quote)
        if view[p] != quote { return nil }
        p += 1
        self.expected = .whiteSpace
        return view.bytes(start, p - 1)
    }
}
