// Reads content: passes text, and chooses by the next byte. `p` is always an index in `input`, `end` that of the NUL.
//
// Markup that begins with `<!` and `<?` is allowed in some places only. Sections.swift finds its end. Only an XML
// declaration waits until it is complete (DeclarationReader.swift).

extension Tokenizer {
    /// Reads all complete tokens from `start` on. Returns the index of the rest.
    @inline(never)
    mutating func content(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        var p = start
        if endsRoot {
            endsRoot = false
            endElement()
            return p
        }
        if section != nil {
            p = restOfSection(view, p, end)
            if section != nil || mistake != nil { return p }
        }
        if isSkipping { return skippedContent(view, p, end) }
        while true {
            if depth > outer {
                let start = p
                p = Scan.text(view, start)
                if view[p] != .lessThan {
                    p = slowText(view, start, p, end)
                    if view[p] != .lessThan || mistake != nil { return p }
                } else if p != start {
                    assembler.text(view.bytes(start, p), in: view.memory)
                }
            } else {
                // Reading stops at an event. If the bound has changed, the rest is read again under the new one.
                if isPending || isBoundChanged { return p }
                p = between(view, p, end)
                if view[p] != .lessThan || mistake != nil { return p }
            }
            let next = view[p &+ 1]
            let behind: Int?
            if next == UInt8(ascii: "/") {
                behind = endTag(view, p, end)
            } else if next.isMarkupMark {
                behind = markup(view, p, end)
                // The section needs more input.
                if section != nil { return behind ?? p }
            } else {
                behind = startTag(view, p, end)
            }
            guard let behind else { return p }
            p = behind
        }
    }

    // MARK: Text

    /// Passes text up to the next '<', or up to an incomplete or wrong place. `Scan.text` stopped at `place`.
    @inline(never)
    mutating func slowText(_ view: ByteView, _ begin: Int, _ place: Int, _ end: Int) -> Int {
        var start = begin
        var p = place
        while true {
            let byte = view[p]
            if byte >= 0x80 {
                p = Scan.passCharacters(view, p, end, upTo: Scan.textMarks)
                if view[p] >= 0x80 { return endText(view, start, p, isBad: true, end) }
                continue
            }
            switch byte {
            case .lessThan:
                return endText(view, start, p)
            case .ampersand:
                _ = endText(view, start, p)
                guard let (scalar, behind) = reference(view, p, end) else { return p }
                append(scalar)
                p = behind
                start = p
            case UInt8(ascii: "]"):
                if p + 1 == end || view[p + 1] == byte && p + 2 == end { return endText(view, start, p) }
                if view[p + 1] == byte && view[p + 2] == .greaterThan { return wrong(.endOfCharacterData, at: p) }
                p += 1
            case 0x0D:
                _ = endText(view, start, p)
                if p + 1 == end { return p }
                start = p + 1
                if view[start] != .lineFeed { append("\n") }
                p = start
            default:
                return endText(view, start, p, isBad: true, end)
            }
            p = Scan.text(view, p)
        }
    }

    // Five callers: copies of this in each cost the compiler much time.
    @inline(never)
    private mutating func endText(
        _ view: ByteView, _ start: Int, _ p: Int, isBad: Bool = false, _ end: Int = 0
    ) -> Int {
        if p > start { assembler.text(view.bytes(start, p), in: view.memory) }
        if isBad { wrongCharacter(view, p, end) }
        return p
    }

    mutating func append(_ scalar: Unicode.Scalar) {
        let bytes = UTF8.encode(scalar).unsafelyUnwrapped
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4) { buffer in
            let (_, count) = buffer.initialize(from: bytes)
            assembler.text(UnsafeBufferPointer(rebasing: buffer[..<count]), in: .none)
        }
    }

    /// The reference at `p`: its character, and the index after it; `nil` if it is incomplete or wrong.
    private mutating func reference(_ view: ByteView, _ p: Int, _ end: Int) -> (Unicode.Scalar, Int)? {
        switch Scan.reference(view, p, end, maximum: limits.nameLength, known: p == 0 ? known : 0) {
        case .scalar(let scalar, let behind): return (scalar, behind)
        case .wrong(let kind): return refused(kind, at: p)
        case .incomplete:
            known = end
            return nil
        }
    }

    /// Drops leading zeros of a waiting reference, but for one. A number may begin with any number of zeros.
    mutating func dropZeros() {
        let view = input.view
        guard readable > 64, view[0] == .ampersand, view[1] == UInt8(ascii: "#") else { return }
        let first = view[2] == UInt8(ascii: "x") ? 3 : 2
        var end = first
        while end < readable, view[end] == UInt8(ascii: "0") { end += 1 }
        guard end > first + 1 else { return }
        input.remove(first + 1..<end)
        readable -= end - first - 1
        // `known` may be after the rest. The reference is short now, and is read from its beginning.
        known = 0
        droppedZeros += end - first - 1
        base.offset += end - first - 1
        base.column += end - first - 1
    }

    // MARK: Between trees

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Passes white space outside of trees. Returns the index of the first other byte.
    @inline(never)
    mutating func between(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        var p = start
        if base.offset + p == 0, view[p] == 0xEF {
            let mark = view.bytes(p, min(p + 3, end))
            let isMark = mark.elementsEqual(Self.byteOrderMark.prefix(mark.count))
            if isMark, mark.count < 3, !isLast { return p }
            if isMark, mark.count == 3 {
                // The byte order mark is not a character of the input.
                beginning = 3
                base.column -= 1
                p = 3
            }
        }
        while true {
            p = Scan.skipSpace(view, p)
            if p == end || view[p] == .lessThan { return p }
            if view[p] == 0xEF, mayRestart, isComplete || depth == outer {
                // Another file may follow, with a mark of its own. Other characters are mistakes.
                let mark = view.bytes(p, min(p + 3, end))
                if mark.count < 3, !isLast, mark.elementsEqual(Self.byteOrderMark.prefix(mark.count)) { return p }
                guard mark.elementsEqual(Self.byteOrderMark) else { break }
                beginStream()
                p += 3
                beginning = offset(of: p)
                return p == end || view[p] == .lessThan ? p : between(view, p, end)
            }
            guard view[p] == .ampersand, depth == outer, mode != .document, !isComplete else { break }
            guard let (scalar, behind) = reference(view, p, end) else { return p }
            guard scalar.value <= 0x20 else { return wrong(.textBetweenElements, at: p) }
            p = behind
        }
        if view[p] < 0x20 || view[p] >= 0x80 {
            let place = Scan.passCharacters(view, p, end, upTo: Scan.ascii)
            if place == p { wrongCharacter(view, p, end) }
            if mistake != nil || place == p { return p }
        }
        if isComplete { return wrong(.contentAfterEnd, at: p) }
        return wrong(depth == 1 || mode.isFragments ? .textBetweenElements : .missingRoot, at: p)
    }

    // MARK: Other markup

    /// Reads the markup at `start`. Returns the index after the part that was read; `nil` if its beginning is
    /// incomplete or wrong.
    @inline(never)
    mutating func markup(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        switch Section.beginning(view, start, end) {
        case .incomplete: return nil
        case .unknown: return refused(.otherMarkup, at: start)
        case .section(.instruction, let target): return instruction(view, start, target, end)
        case .section(.comment, let content):
            if mode == .stream { return refused(.restricted(.comment), at: start) }
            return begin(.comment, start, view, content, end)
        case .section(.characterData, let content):
            if depth > outer { return begin(.characterData, start, view, content, end) }
            let isPlace = mode != .document && depth == outer && !isComplete
            return refused(
                isPlace ? .textBetweenElements : isComplete ? .contentAfterEnd : .missingRoot, at: start)
        case .section(let documentType, let content):
            if mode != .document || depth > 0 || isComplete || hasDocumentType {
                return refused(.restricted(.documentType), at: start)
            }
            if !Scan.isSpace(view[content]) { return wrongTag(view, content, end, .whiteSpace, isTag: false) }
            hasDocumentType = true
            return begin(documentType, start, view, content, end)
        }
    }

    private mutating func begin(_ section: Section, _ start: Int, _ view: ByteView, _ content: Int, _ end: Int) -> Int {
        self.section = section
        sectionStart = SourcePosition(line: 0, column: 0, offset: offset(of: start))
        return restOfSection(view, content, end)
    }

    /// Continues to read the open section.
    mutating func restOfSection(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        guard let progress = section?.pass(view, start, end) else { return start }
        let isText = section == .characterData && !isSkipping
        switch progress {
        case .ended(let place):
            section = nil
            if isText { keepLines(view, start, place - 3) }
            return place
        case .wrong(let kind?, let place): return wrong(kind, at: place)
        case .stopped(var place), .wrong(nil, var place):
            // A carriage return may have a line feed after it.
            if isText, place == end, place > start, view[place - 1] == 0x0D { place -= 1 }
            if isText { keepLines(view, start, place) }
            if place < end { wrongCharacter(view, place, end) }
            return place
        }
    }

    /// Adds text to the tree, with a line feed in place of each CR LF and CR.
    private mutating func keepLines(_ view: ByteView, _ begin: Int, _ end: Int) {
        var start = begin
        while true {
            let p = Scan.find(view, start, end, 0x0D, 0x0D, 0x0D, 0x0D)
            if p > start { assembler.text(view.bytes(start, p), in: view.memory) }
            if p == end { return }
            start = p + 1
            if view[start] != .lineFeed { append("\n") }
        }
    }

    // MARK: Instructions

    /// - Parameter p: The index of the target.
    private mutating func instruction(_ view: ByteView, _ start: Int, _ p: Int, _ end: Int) -> Int? {
        var behind = p + Scan.nameLength(view.block(at: p))
        if behind == p + 16 {
            // The bytes of a waiting instruction before `known` were searched before.
            behind = max(behind, start == 0 ? known : 0)
            behind += Scan.longNameLength(view, behind)
        }
        let length = behind - p
        let isXML = length >= 3 && view.bytes(p, p + 3).elementsEqual("xml".utf8) { $0 | 0x20 == $1 }
        let longest = limits.nameLength
        // A character that begins within the limit is complete within three bytes more.
        if behind == end, mode == .stream ? length <= 3 : length <= longest.saturatingAdd(3) {
            known = end
            return nil
        }
        if isXML, length == 3 { return declaration(view, start, end) }
        if mode == .stream { return refused(.restricted(.processingInstruction), at: start) }
        if let place = Scan.badNamePlace(view, p, behind), length <= longest || place - p < longest {
            return wrongTag(view, place, end, .name)
        }
        if length > longest { return refused(.limit(.nameLength, maximum: longest), at: start) }
        // Without white space only the end may follow.
        if !Scan.isSpace(view[behind]) {
            if view[behind] == UInt8(ascii: "?"), behind + 1 == end { return nil }
            if view[behind] != UInt8(ascii: "?") || view[behind + 1] != .greaterThan {
                return wrongTag(view, behind, end, .whiteSpace, isTag: false)
            }
        }
        return begin(.instruction, start, view, behind, end)
    }

    /// Reads an XML declaration, which may be at the beginning of the input or of a stream, or between fragments.
    private mutating func declaration(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        let isBeginning = offset(of: start) == beginning
        let isRestart = mayRestart && (depth == outer || isComplete)
        let isPlace = mode.isFragments ? depth == 0 : isBeginning || isRestart
        if !isPlace || !view.bytes(start + 2, start + 5).elementsEqual("xml".utf8) {
            return refused(.restricted(.xmlDeclaration), at: start)
        }
        if !limitBytes(from: start) { return nil }
        // Waits for `?>`, which ends the declaration, or for '<', which it must not contain.
        var stop = max(start + 5, start == 0 ? known : 0)
        while true {
            stop = Scan.find(view, stop, end, UInt8(ascii: "?"), .lessThan, .lessThan, .lessThan)
            if stop + 1 >= end || view[stop] == .lessThan || view[stop + 1] == .greaterThan { break }
            stop += 1
        }
        if stop + 1 >= end, !isLast, stop == end || view[stop] != .lessThan {
            known = stop
            return nil
        }
        var reader = DeclarationReader(view: view, end: end, isText: isText, p: start + 5)
        guard let behind = reader.read() else {
            if let (kind, index) = reader.mistake { return refused(kind, at: index) }
            return wrongTag(view, reader.p, end, reader.expected, isTag: false)
        }
        if mode != .document { setBound(.max) }
        if isRestart { beginStream() }
        return behind
    }
}
