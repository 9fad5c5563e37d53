// Finds elements in any text: a log's lines with time stamps, prefixes and cut stanzas.
//
// One pass follows the tags, with the open elements on a stack. Tags that do not match end all open elements, since
// none of them can be well-formed. An element that never closes ends where the log certainly continues: at a line that
// begins like its own, or at a stanza directly in a stanza. Then the elements inside it count. Depth and length are
// bounded, and no byte is searched for the same thing twice, so hostile text costs linear time.

import XMLTree

/// Scans a text that grows. Offsets count from the beginning of the text.
struct LogScanner {
    /// An element that closes. Its tags match; nothing else is checked.
    struct Found: Equatable {
        let range: Range<Int>
        /// The beginning of its line.
        let lineStart: Int
        /// The first tag of that line.
        let firstTag: Int
        /// Whether it is inside a string in quotes, which may have escapes.
        let isQuoted: Bool
    }

    private struct Open {
        let start: Int
        let name: Range<Int>
        let line: Line
        let isQuoted: Bool
        /// Whether visible text precedes it in its line.
        let isAfterText: Bool
    }

    private struct Line {
        let start: Int
        let firstTag: Int
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
    /// Elements inside open elements, in order. They count if those end without their end tags.
    private var inner: ArraySlice<Found> = []
    /// The next byte to scan.
    private(set) var position = 0
    /// The end of the last tag.
    private var tagEnd = 0
    private var line: Line
    /// Whether no tag was found, so that the first line is new.
    private var isAtStart = true
    /// Whether the text after the last tag outside of elements is inside quotes.
    private var isQuoted = false
    /// A tag that is not complete: where its scan continues, and the quote around that place.
    private var partial: (place: Int, quote: UInt8)?
    /// The shape of the lines that the log writes: that of the first line with a time and a tag.
    private var entryShape: SIMD16<UInt8>?
    /// Up to here no section of a kind ends.
    private var searched = SIMD4<Int>.zero

    private static let sectionEnds = ["-->", "]]>", "?>"].map { Array($0.utf8) }
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
        max(0, min(open.first?.start ?? position, inner.first?.range.lowerBound ?? position) - Self.context)
    }

    /// Scans the text so far.
    ///
    /// - Parameters:
    ///   - bytes: The text from `base` on. It contains everything from `neededFrom` on.
    ///   - isEnd: Whether nothing follows.
    /// - Returns: Elements, in order.
    mutating func scan(_ bytes: UnsafeRawBufferPointer, from base: Int, isEnd: Bool) -> [Found] {
        var found: [Found] = []
        let text = Text(bytes: bytes, base: base)
        while let start = text.position(of: UInt8(ascii: "<"), from: position) {
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
        position = text.end
        return finish(at: text.end, isEnd: isEnd, &found)
    }

    // MARK: Entries

    /// Whether an element, or a tag, is open.
    var isInside: Bool { !open.isEmpty || partial != nil }

    /// The next line that ends all open elements: the log writes it, and its first tag is a start tag.
    func nextEntry(from start: Int, in text: Text) -> Int? {
        guard let entryShape, start < text.end else { return nil }
        var place = start
        while let lineEnd = text.position(of: UInt8(ascii: "\n"), from: place) {
            place = lineEnd + 1
            if text.hasShape(entryShape, at: place), beginsWithStartTag(place, text) { return place }
        }
        return nil
    }

    private func beginsWithStartTag(_ start: Int, _ text: Text) -> Bool {
        let end = text.position(of: UInt8(ascii: "\n"), from: start) ?? text.end
        var place = start
        while let tag = text.position(of: UInt8(ascii: "<"), from: place), tag + 2 < end {
            if Text.beginsName(text[tag + 1]), let length = text[tag..<end].firstIndex(of: UInt8(ascii: ">")) {
                return text.name(from: tag + 1, to: tag + length) != nil
            }
            if text[tag + 1] == UInt8(ascii: "/") || text[tag + 1] == UInt8(ascii: "\\") { return false }
            place = tag + 1
        }
        return false
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
        case UInt8(ascii: "!"), UInt8(ascii: "?"):
            return open.isEmpty ? .none(start + 1) : section(at: start, in: text, isEnd: isEnd)
        case let byte: if !Text.beginsName(byte) { return .none(start + 1) }
        }
        let isEndTag = nameStart > start + 1
        var (place, quote) = partial ?? (nameStart, 0)
        while place < text.end {
            let byte = text[place]
            if byte == UInt8(ascii: "<") { return .none(place) }
            if quote != 0 {
                if byte == quote { quote = 0 }
            } else if byte == UInt8(ascii: ">") {
                break
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
            }
            place += 1
        }
        if place == text.end {
            if isEnd || place - start > limits.bytes { return .none(place) }
            partial = (place, quote)
            return .incomplete
        }
        partial = nil
        guard let name = text.name(from: nameStart, to: place) else { return .none(place + 1) }
        if isEndTag { return .tag(.end(name: name), end: place + 1) }
        return .tag(.start(name: name, isEmpty: text[place - 1] == UInt8(ascii: "/")), end: place + 1)
    }

    /// Finds the end of a comment, a CDATA section or a processing instruction inside an element.
    private mutating func section(at start: Int, in text: Text, isEnd: Bool) -> Markup {
        let kind = text[start + 1] == UInt8(ascii: "?") ? 2 : text[start + 2] == UInt8(ascii: "-") ? 0 : 1
        let end = Self.sectionEnds[kind]
        if let place = text.position(of: end, from: max(start + 2, searched[kind])) {
            return .tag(.section, end: place + end.count)
        }
        searched[kind] = max(searched[kind], text.end - end.count + 1)
        return isEnd || text.end - start > limits.bytes ? .none(start + 1) : .incomplete
    }

    private mutating func take(_ tag: Tag, _ range: Range<Int>, _ text: Text, _ found: inout [Found]) {
        let newLine = text.lastLineStart(in: tagEnd..<range.lowerBound) ?? (isAtStart ? line.start : nil)
        isAtStart = false
        if let newLine { line = Line(start: newLine, firstTag: range.lowerBound) }
        dropTooLong(at: range.upperBound, &found)
        if case .start(let name, _) = tag {
            if entryShape == nil, newLine != nil { learnEntry(range.lowerBound, text) }
            if endsOpen(range.lowerBound, name, isFirst: newLine != nil, text) { endAll(&found) }
        }
        if open.isEmpty {
            isQuoted = text.isQuoted(from: newLine ?? tagEnd, to: range.lowerBound, newLine == nil && isQuoted)
        }
        switch tag {
        case .section: break
        case .start(let name, let isEmpty):
            if name.count == 13, text.has("stream:stream", at: name), !isEmpty { return endAll(&found) }
            if isEmpty { return complete(range, line, isQuoted, &found) }
            if open.count >= limits.depth { dropOutermost(&found) }
            open.append(
                Open(
                    start: range.lowerBound, name: name, line: line, isQuoted: isQuoted,
                    isAfterText: line.firstTag < range.lowerBound
                        || text.hasVisible(in: max(line.start, range.lowerBound - Self.context)..<range.lowerBound)))
        case .end(let name):
            guard let element = open.last, text[element.name].elementsEqual(text[name]) else { return endAll(&found) }
            open.removeLast()
            complete(element.start..<range.upperBound, element.line, element.isQuoted, &found)
        }
    }

    private mutating func learnEntry(_ tag: Int, _ text: Text) {
        guard tag - line.start >= Self.shapeLength, let shape = text.shape(at: line.start) else { return }
        let bytes = shape.indices.map { shape[$0] }
        if bytes.contains(UInt8(ascii: "0")), bytes.contains(where: { !Text.isWord($0) }) { entryShape = shape }
    }

    /// Whether a start tag cannot be inside the open elements.
    private func endsOpen(_ start: Int, _ name: Range<Int>, isFirst: Bool, _ text: Text) -> Bool {
        guard let outermost = open.first, let parent = open.last else { return false }
        let isStanza = text.isStanza(name)
        if isStanza, text.isStanza(parent.name) { return true }
        guard isFirst else { return false }
        if line.start == start { return isStanza && outermost.isAfterText }
        if let entryShape, text.hasShape(entryShape, at: line.start) { return true }
        return text.haveSameShape(
            line.start..<min(start, line.start + Self.shapeLength),
            outermost.line.start..<min(outermost.line.firstTag, outermost.line.start + Self.shapeLength))
    }

    // MARK: Elements

    private mutating func complete(_ range: Range<Int>, _ line: Line, _ isQuoted: Bool, _ found: inout [Found]) {
        while let last = inner.last, last.range.lowerBound > range.lowerBound { inner.removeLast() }
        let element = Found(range: range, lineStart: line.start, firstTag: line.firstTag, isQuoted: isQuoted)
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
        if inner.isEmpty { return }
        found += inner
        inner.removeAll(keepingCapacity: true)
    }

    private mutating func dropTooLong(at end: Int, _ found: inout [Found]) {
        while let outermost = open.first, end - outermost.start > limits.bytes { dropOutermost(&found) }
    }

    private mutating func dropOutermost(_ found: inout [Found]) {
        open.removeFirst()
        let next = open.first?.start ?? .max
        while let first = inner.first, first.range.lowerBound < next { found.append(inner.removeFirst()) }
    }
}
