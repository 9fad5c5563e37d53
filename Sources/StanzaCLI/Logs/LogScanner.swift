// Finds elements in any text: a log's lines with time stamps, prefixes and cut stanzas.
//
// One pass follows the tags, with the open elements on a stack. Tags that do not match end all open elements, since
// none of them can be well-formed. An element that never closes ends where the log certainly continues: at a line that
// begins like its own, or at a stanza after text. Then the elements inside it count. Depth and length are bounded, and
// no byte is searched for the same thing twice, so hostile text costs linear time.

import XMLTree

/// Scans a text that grows. Offsets count from the beginning of the text.
struct LogScanner {
    /// An element that closes. Its tags match; nothing else is checked.
    struct Found: Equatable {
        var range: Range<Int>
        /// The line in which it begins.
        let line: Line
        /// Whether it is inside a string in quotes, which may have escapes.
        let isQuoted: Bool
        /// Whether it is a stanza beyond the limit of bytes. Then the range is that of its start tag.
        var isTooLong = false
    }

    struct Line: Equatable {
        let start: Int
        let firstTag: Int
    }

    private struct Open {
        /// With its start tag only.
        var element: Found
        let name: Range<Int>
        /// Whether visible text precedes it in its line.
        let isAfterText: Bool
        let isStanza: Bool
    }

    private enum Tag {
        case start(name: Range<Int>, isEmpty: Bool)
        case end(name: Range<Int>)
        case section
    }

    /// The outcome at a `<`.
    private enum Markup {
        case tag(Tag, end: Int)
        /// Not a tag, and where the scan continues.
        case none(Int)
        /// More text decides.
        case incomplete
    }

    private let limits: ParserLimits
    /// The outermost first. A slice, since the first is removed often.
    private var open: ArraySlice<Open> = []
    /// The number of open elements that are not on the stack: those beyond the limit of depth, which the parser
    /// reports, and those of a stanza beyond the limit of bytes.
    private var skipped = 0
    /// Elements inside open elements, in order. They count if those end without their end tags.
    private var inner: ArraySlice<Found> = []
    /// The next byte to scan.
    private(set) var position = 0
    /// The end of the last tag, or of later text that is not needed any more.
    private var tagEnd = 0
    private var line: Line
    /// Whether no tag of that line was found.
    private var isNewLine = true
    /// Whether the text after `tagEnd` is inside quotes, outside of elements.
    private var isQuoted = false
    /// A tag that is not complete: where its scan continues, and the quote around that place.
    private var partial: (place: Int, quote: UInt8)?
    /// The shape of the lines that the log writes: that of the first line with a time and a tag.
    private var entryShape: SIMD16<UInt8>?
    /// The last entry that was found, and its first tag.
    private var entryTag = (start: -1, tag: -1)
    /// For each kind of section: no end of one begins before this place.
    private var searched = SIMD2<Int>.zero

    private static let sections = [("<!--", "-->"), ("<![CDATA[", "]]>")].map { (Array($0.utf8), Array($1.utf8)) }
    /// The bytes at the beginning of a line that show whether a log wrote it.
    static let shapeLength = 12
    /// The text before an element that its user may look at.
    static let context = 1 << 10

    /// - Parameter start: The offset of the beginning of the text.
    init(limits: ParserLimits, from start: Int = 0) {
        self.limits = limits
        position = start
        tagEnd = start
        line = Line(start: start, firstTag: start)
    }

    /// The first byte that is still needed, with some text before it.
    var neededFrom: Int {
        let first = min(open.first?.element.range.lowerBound ?? position, inner.first?.range.lowerBound ?? position)
        return max(0, first - Self.context)
    }

    /// Scans the text so far.
    ///
    /// - Parameters:
    ///   - bytes: The text from `base` on. It contains everything from `neededFrom` on.
    ///   - isEnd: Whether nothing follows.
    ///   - untilEntries: Whether to stop as soon as the beginnings of entries are known.
    /// - Returns: Elements, in order.
    mutating func scan(
        _ bytes: UnsafeRawBufferPointer, from base: Int, isEnd: Bool, untilEntries: Bool = false
    ) -> [Found] {
        var found: [Found] = []
        let text = Text(bytes: bytes, base: base)
        while !untilEntries || entryShape == nil, let start = text.position(of: UInt8(ascii: "<"), from: position) {
            switch markup(at: start, in: text, isEnd: isEnd) {
            case .tag(let tag, let end):
                take(tag, start..<end, text, &found)
                position = end
                tagEnd = end
            case .none(let next):
                position = next
                partial = nil
            case .incomplete:
                position = start
                return finish(at: text.end, isEnd: false, &found)
            }
        }
        if untilEntries, entryShape != nil { return found }
        position = text.end
        // The beginning of a line may be dropped before its tag comes.
        if position - tagEnd > Self.context, text[position - 1] != UInt8(ascii: "\\") {
            let lineStart = beginLine(before: position, text)
            if open.isEmpty { readQuotes(lineStart, position, text) }
            tagEnd = position
        }
        return finish(at: text.end, isEnd: isEnd, &found)
    }

    // MARK: Entries

    /// Whether an element, or a tag, is open.
    var isInside: Bool { !open.isEmpty || skipped > 0 || partial != nil }

    /// The text up to the next line that ends all open elements: the log writes it, and its first tag begins a stanza.
    ///
    /// - Returns: Also the only element of that text, if a scan finds that, or its tags do not match.
    mutating func nextEntry(in text: Text) -> (range: Range<Int>, element: Found?)? {
        guard let entryShape else { return nil }
        let start = position
        // In a plain entry, no other line can end an element, or have a prefix to be removed.
        var isPlain = entryTag.start == start
        var place = start
        while let lineEnd = text.position(of: UInt8(ascii: "\n"), from: place) {
            let ended = place..<lineEnd
            place = lineEnd + 1
            if place == text.end { return nil }
            if Text.shape(text[place]) == entryShape[0] {
                if !text.endsInsideTag(ended), text.hasShape(entryShape, at: place),
                    let tag = text.firstStartTag(inLineAt: place), text.mayBeginStanza(at: tag)
                {
                    let element = isPlain ? text.onlyElement(entryTag.tag, in: start..<place) : nil
                    entryTag = (place, tag)
                    return (start..<place, element)
                }
                isPlain = false
            } else if text[place] == UInt8(ascii: "<") {
                isPlain = isPlain && !text.mayBeginStanza(at: place)
            }
        }
        return nil
    }

    /// Passes over entries without scanning them.
    mutating func skip(to entry: Int) {
        position = entry
        // The line feed before it begins a line.
        tagEnd = entry - 1
    }

    private mutating func finish(at end: Int, isEnd: Bool, _ found: inout [Found]) -> [Found] {
        if isEnd { endAll(&found) } else { dropTooLong(at: end, &found) }
        return found
    }

    // MARK: Tags

    private mutating func markup(at start: Int, in text: Text, isEnd: Bool) -> Markup {
        guard start + 2 < text.end else { return isEnd ? .none(start + 1) : .incomplete }
        var nameStart = start + 1
        switch text[nameStart] {
        case UInt8(ascii: "/"): nameStart += 1
        case UInt8(ascii: "\\") where text[nameStart + 1] == UInt8(ascii: "/"): nameStart += 2
        case UInt8(ascii: "!"):
            return open.isEmpty ? .none(start + 1) : section(at: start, in: text, isEnd: isEnd)
        case let byte: if !Text.beginsName(byte) { return .none(start + 1) }
        }
        let isEndTag = nameStart > start + 1
        var (place, quote) = partial ?? (nameStart, 0)
        while true {
            place = text.nextMark(from: place, quote)
            if place == text.end {
                if isEnd || place - start > limits.bytes { return .none(place) }
                partial = (place, quote)
                return .incomplete
            }
            let byte = text[place]
            if byte == UInt8(ascii: "<") { return .none(place) }
            if byte == UInt8(ascii: ">"), quote == 0 { break }
            quote = quote == 0 ? byte : 0
            place += 1
        }
        partial = nil
        guard let name = text.name(from: nameStart, to: place) else { return .none(place + 1) }
        if isEndTag { return .tag(.end(name: name), end: place + 1) }
        return .tag(.start(name: name, isEmpty: text.endsEmptyElement(place)), end: place + 1)
    }

    /// Finds the end of a comment or a CDATA section inside an element.
    private mutating func section(at start: Int, in text: Text, isEnd: Bool) -> Markup {
        for (kind, (mark, end)) in Self.sections.enumerated() {
            let beginning = text[start..<min(start + mark.count, text.end)]
            if !isEnd, beginning.count < mark.count, mark.starts(with: beginning) { return .incomplete }
            guard beginning.elementsEqual(mark) else { continue }
            if let place = text.position(of: end, from: max(start + mark.count, searched[kind])) {
                return .tag(.section, end: place + end.count)
            }
            searched[kind] = max(searched[kind], text.end - end.count + 1)
            return isEnd || text.end - start > limits.bytes ? .none(start + 1) : .incomplete
        }
        return .none(start + 1)
    }

    private mutating func take(_ tag: Tag, _ range: Range<Int>, _ text: Text, _ found: inout [Found]) {
        let lineStart = beginLine(before: range.lowerBound, text)
        let isFirst = isNewLine
        isNewLine = false
        if isFirst { line = Line(start: line.start, firstTag: range.lowerBound) }
        dropTooLong(at: range.upperBound, &found)
        if case .start(let name, _) = tag {
            if entryShape == nil, isFirst { learnEntry(range.lowerBound, text) }
            if endsOpen(range.lowerBound, name, isFirst: isFirst, text) { endAll(&found) }
        }
        if open.isEmpty || isFirst && beginsEntry(range.lowerBound, text) {
            readQuotes(lineStart, range.lowerBound, text)
        }
        let element = Found(range: range, line: line, isQuoted: isQuoted)
        switch tag {
        case .section: break
        case .start(let name, let isEmpty):
            if name.count == 13, text.has("stream:stream", at: name), !isEmpty { return endAll(&found) }
            if skipped > 0 || open.count > limits.depth {
                if !isEmpty { skipped += 1 }
                return
            }
            if isEmpty { return complete(element, &found) }
            let isAfterText =
                line.firstTag < range.lowerBound
                || text.hasVisible(in: max(line.start, range.lowerBound - Self.context)..<range.lowerBound)
            let isStanza = text.isStanza(name)
            open.append(Open(element: element, name: name, isAfterText: isAfterText, isStanza: isStanza))
        case .end(let name):
            if skipped > 0 { return skipped -= 1 }
            guard var last = open.last, text[last.name].elementsEqual(text[name]) else { return endAll(&found) }
            open.removeLast()
            last.element.range = last.element.range.lowerBound..<range.upperBound
            complete(last.element, &found)
        }
    }

    /// Notes the last line that begins after the last tag. Returns its beginning.
    private mutating func beginLine(before end: Int, _ text: Text) -> Int? {
        guard let start = text.lastLineStart(in: tagEnd..<end) else { return nil }
        line = Line(start: start, firstTag: start)
        isNewLine = true
        return start
    }

    private mutating func readQuotes(_ lineStart: Int?, _ end: Int, _ text: Text) {
        isQuoted = text.isQuoted(from: lineStart ?? tagEnd, to: end, lineStart == nil && isQuoted)
    }

    private mutating func learnEntry(_ tag: Int, _ text: Text) {
        // Not with a byte order mark.
        guard tag - line.start >= Self.shapeLength, let shape = text.shape(at: line.start), text[line.start] < 0x80
        else { return }
        let bytes = shape.indices.map { shape[$0] }
        if bytes.contains(UInt8(ascii: "0")), bytes.contains(where: { !Text.isWord($0) }) { entryShape = shape }
    }

    /// Whether a start tag cannot be inside the open elements.
    private func endsOpen(_ start: Int, _ name: Range<Int>, isFirst: Bool, _ text: Text) -> Bool {
        guard isInside else { return false }
        // An element with stanzas in it has no text.
        if text.isStanza(name), text.hasVisible(in: tagEnd..<start) { return true }
        // Other elements may continue one: some logs write their prefix before each line.
        guard isFirst, text.isStanza(name) else { return false }
        // A stanza at the beginning of a line does not continue one that follows a prefix.
        if line.start == start { return open.first?.isAfterText ?? true }
        return beginsEntry(start, text)
    }

    /// Whether the line begins like those of the log, or like that of the outermost element.
    private func beginsEntry(_ tag: Int, _ text: Text) -> Bool {
        if let entryShape, text.hasShape(entryShape, at: line.start) { return true }
        guard let first = open.first?.element.line else { return false }
        return text.haveSameShape(
            line.start..<min(tag, line.start + Self.shapeLength),
            first.start..<min(first.firstTag, first.start + Self.shapeLength))
    }

    // MARK: Elements

    private mutating func complete(_ element: Found, _ found: inout [Found]) {
        while let last = inner.last, last.range.lowerBound > element.range.lowerBound { inner.removeLast() }
        if open.isEmpty {
            endAll(&found)
            found.append(element)
        } else {
            inner.append(element)
        }
    }

    /// Ends all open elements without their end tags.
    private mutating func endAll(_ found: inout [Found]) {
        if !open.isEmpty { open.removeAll(keepingCapacity: true) }
        skipped = 0
        if inner.isEmpty { return }
        found += inner
        inner.removeAll(keepingCapacity: true)
    }

    private mutating func dropTooLong(at end: Int, _ found: inout [Found]) {
        while var outermost = open.first, end - outermost.element.range.lowerBound > limits.bytes {
            if outermost.isStanza {
                // Everything up to its end tag is a part of it.
                outermost.element.isTooLong = true
                skipped += open.count
                open.removeAll(keepingCapacity: true)
                inner.removeAll(keepingCapacity: true)
                return found.append(outermost.element)
            }
            open.removeFirst()
            let next = open.first?.element.range.lowerBound ?? .max
            while let first = inner.first, first.range.lowerBound < next { found.append(inner.removeFirst()) }
        }
    }
}
