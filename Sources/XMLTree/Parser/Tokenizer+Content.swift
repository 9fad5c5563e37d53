// Reads content: passes text, and chooses by the next byte. `p` is always an index in `input`, `end` that of the NUL.

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
        if skipped != nil { return skippedContent(view, p, end) }
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
                if pending.exists || isBoundChanged { return p }
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
                p = Scan.passCharacters(view, p, end)
                if view[p] >= 0x80 { return endText(view, start, p, isBad: true, end) }
                p = Scan.text(view, p)
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
                if view[p + 1] == byte && view[p + 2] == .greaterThan {
                    return wrong(.endOfCharacterData, at: p)
                }
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
        guard input.count > 64, view[0] == .ampersand, view[1] == UInt8(ascii: "#") else { return }
        let first = view[2] == UInt8(ascii: "x") ? 3 : 2
        var end = first
        while view[end] == UInt8(ascii: "0") { end += 1 }
        guard end > first + 1 else { return }
        input.remove(first + 1..<end)
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
            let place = Scan.passCharacters(view, p, end)
            if place == p { wrongCharacter(view, p, end) }
            if mistake != nil || place == p { return p }
        }
        if isComplete { return wrong(.contentAfterEnd, at: p) }
        return wrong(depth == 1 || mode.isFragments ? .textBetweenElements : .missingRoot, at: p)
    }
}
