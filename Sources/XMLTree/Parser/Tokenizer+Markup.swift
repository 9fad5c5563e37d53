// Reads markup that begins with `<!` and `<?`, and decides where each kind is allowed. Sections.swift finds its end.
// Only an XML declaration waits until it is complete (DeclarationReader.swift).

extension Tokenizer {
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
        let isText = section == .characterData && skipped == nil
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
