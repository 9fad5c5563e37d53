// The bytes that LogScanner looks at: names, lines, quotes and the shapes of prefixes.

extension LogScanner {
    /// A part of the text, at offsets of the whole text.
    struct Text {
        let bytes: UnsafeRawBufferPointer
        let base: Int

        var end: Int { base + bytes.count }

        @inline(__always)
        subscript(offset: Int) -> UInt8 { bytes[offset - base] }

        /// The part of a range that is in memory.
        subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
            let start = max(range.lowerBound, base)
            return UnsafeRawBufferPointer(rebasing: bytes[start - base..<max(range.upperBound, start) - base])
        }

        func position(of byte: UInt8, from start: Int) -> Int? {
            bytes.position(of: byte, from: start - base).map { $0 + base }
        }

        func position(of sequence: [UInt8], from start: Int) -> Int? {
            var place = start
            while let found = position(of: sequence[0], from: place), found + sequence.count <= end {
                if self[found..<found + sequence.count].elementsEqual(sequence) { return found }
                place = found + 1
            }
            return nil
        }

        /// The next '<', or quote that ends a value; outside of a value, also the next '>' or other quote. Or the end.
        func nextMark(from start: Int, _ quote: UInt8) -> Int {
            base
                + bytes.next(from: start - base) { word in
                    let tag = word.equal(to: UInt8(ascii: "<"))
                    if quote != 0 { return tag | word.equal(to: quote) }
                    return tag | word.equal(to: UInt8(ascii: ">")) | word.equal(to: UInt8(ascii: "'"))
                        | word.equal(to: UInt8(ascii: "\""))
                }
        }

        static func beginsName(_ byte: UInt8) -> Bool {
            byte >= 0x80 || byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }

        /// The name at the beginning of a tag; `nil` if it cannot be the name of an element, such as `pth:0x16f`.
        func name(from start: Int, to end: Int) -> Range<Int>? {
            var place = start
            while place < end {
                switch self[place] {
                case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "/"), UInt8(ascii: "\\"):
                    return place > start && Self.beginsName(self[start]) ? start..<place : nil
                case UInt8(ascii: ":"):
                    guard place + 1 < end, Self.beginsName(self[place + 1]) else { return nil }
                case let byte where byte < UInt8(ascii: "-"): return nil
                default: break
                }
                place += 1
            }
            return place > start && Self.beginsName(self[start]) ? start..<place : nil
        }

        /// The beginning of the last line that begins in a range.
        func lastLineStart(in range: Range<Int>) -> Int? {
            let bytes = self[range]
            // A search forward is fast, and most ranges have no line feed.
            guard let first = bytes.position(of: UInt8(ascii: "\n"), from: 0) else { return nil }
            return max(range.lowerBound, base) + (bytes[first...].lastIndex(of: UInt8(ascii: "\n")) ?? first) + 1
        }

        /// The first tag of a line, if it is a start tag. It may end in another line.
        func firstStartTag(inLineAt start: Int) -> Int? {
            let line = self[start..<(position(of: UInt8(ascii: "\n"), from: start) ?? end)]
            var place = 0
            while let found = line.position(of: UInt8(ascii: "<"), from: place), found + 1 < line.count {
                if "/\\!".utf8.contains(line[found + 1]) { return nil }
                place = found + 1
                let tag = self[start + found..<(position(of: UInt8(ascii: "<"), from: start + place) ?? end)]
                if let tagEnd = tag.position(of: UInt8(ascii: ">"), from: 0),
                    name(from: start + place, to: start + found + tagEnd) != nil
                {
                    return start + found
                }
            }
            return nil
        }

        /// The element from a tag to the end of an entry, if the tags at both ends match, and no string is around it.
        func onlyElement(_ tag: Int, in entry: Range<Int>) -> Found? {
            let text = self[tag..<entry.upperBound]
            guard let last = text.lastIndex(where: { $0 > 0x20 }), text[last] == UInt8(ascii: ">"),
                let nameEnd = text.firstIndex(where: { $0 <= 0x20 || "/>".utf8.contains($0) }),
                !self[entry.lowerBound..<tag].contains(UInt8(ascii: "\""))
            else { return nil }
            if text[last - 1] == UInt8(ascii: "/") {
                if text.position(of: UInt8(ascii: "<"), from: 1) != nil { return nil }
            } else {
                let endTag = text[..<last].suffix(nameEnd + 1)
                guard endTag.starts(with: "</".utf8), endTag.dropFirst(2).elementsEqual(text[1..<nameEnd]),
                    !endTag.dropFirst(2).elementsEqual("stream:stream".utf8)
                else { return nil }
            }
            let line = Line(start: entry.lowerBound, firstTag: tag)
            return Found(range: tag..<tag + last + 1, line: line, isQuoted: false)
        }

        /// Whether a tag begins in a line and does not end there, so that the next entry may have its rest.
        func endsInsideTag(_ line: Range<Int>) -> Bool {
            let text = self[line]
            guard let mark = text.lastIndex(where: { "<>".utf8.contains($0) }), mark + 1 < text.count else {
                return false
            }
            return text[mark] == UInt8(ascii: "<") && Self.beginsName(text[mark + 1])
        }

        /// Whether a tag may be the start tag of a stanza.
        func mayBeginStanza(at tag: Int) -> Bool {
            let name = self[tag + 1..<min(tag + 10, end)]
            return isStanza(tag + 1..<tag + 1 + (name.firstIndex { !Self.beginsName($0) } ?? name.count))
        }

        /// Whether the escape of '<' or '>' is here, apart from its last digit.
        func hasTagEscape(at place: Int) -> Bool {
            place >= base && place + 5 < end && has("\\u003", at: place..<place + 5)
        }

        /// Whether the tag that ends at this offset is an empty-element tag.
        func endsEmptyElement(_ end: Int) -> Bool {
            self[end - (hasTagEscape(at: end - 5) ? 6 : 1)] == UInt8(ascii: "/")
        }

        /// The next '<' or backslash, or the end.
        func nextTagOrEscape(from start: Int) -> Int {
            base + bytes.next(from: start - base) { $0.equal(to: UInt8(ascii: "<")) | $0.equal(to: UInt8(ascii: "\\")) }
        }

        func hasVisible(in range: Range<Int>) -> Bool { self[range].contains { $0 > 0x20 } }

        /// Whether a place is inside quotes.
        func isQuoted(from start: Int, to end: Int, _ isQuotedBefore: Bool) -> Bool {
            var (isQuoted, isEscape) = (isQuotedBefore, false)
            for byte in self[start..<end] {
                if byte == UInt8(ascii: "\""), !isEscape { isQuoted.toggle() }
                isEscape = byte == UInt8(ascii: "\\") && !isEscape
            }
            return isQuoted
        }

        static func isWord(_ byte: UInt8) -> Bool { byte.isDigit || beginsName(byte) || byte <= 0x20 }

        /// The first bytes of a line, with one digit and one letter for all of them; `nil` if they are not in memory.
        func shape(at start: Int) -> SIMD16<UInt8>? {
            guard start >= base, start + LogScanner.shapeLength <= end else { return nil }
            var shape = SIMD16<UInt8>()
            for index in 0..<LogScanner.shapeLength { shape[index] = Self.shape(self[start + index]) }
            return shape
        }

        func hasShape(_ shape: SIMD16<UInt8>, at start: Int) -> Bool {
            start >= base && start + LogScanner.shapeLength <= end
                && (0..<LogScanner.shapeLength).allSatisfy { Self.shape(self[start + $0]) == shape[$0] }
        }

        /// Whether a name is that of a stanza.
        func isStanza(_ name: Range<Int>) -> Bool {
            switch name.count {
            case 2: has("iq", at: name)
            case 7: has("message", at: name)
            case 8: has("presence", at: name)
            default: false
            }
        }

        func has(_ word: StaticString, at range: Range<Int>) -> Bool { self[range].elementsEqual(word.buffer) }

        static func shape(_ byte: UInt8) -> UInt8 {
            if byte.isDigit { return UInt8(ascii: "0") }
            return beginsName(byte) ? UInt8(ascii: "a") : byte
        }

        /// Whether two beginnings of lines are alike, apart from digits and letters. Words alone have no shape.
        func haveSameShape(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
            let (one, other) = (self[one], self[other])
            guard one.count >= Self.leastShape, one.count == other.count else { return false }
            return one.contains { !Self.beginsName($0) && $0 > 0x20 }
                && zip(one, other).allSatisfy { Self.shape($0) == Self.shape($1) }
        }

        private static let leastShape = 3
    }
}

/// A prefix that a log writes before each part of a stanza: numbers in it may differ.
struct LogPrefix {
    private let bytes: [UInt8]

    /// `nil` for a prefix that may be a part of a text.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.contains(where: \.isDigit), bytes.count >= 8 else { return nil }
        self.bytes = Array(bytes)
    }

    /// The length of the prefix at the beginning of a line; `nil` if it begins differently.
    func length(in line: some Collection<UInt8>) -> Int? {
        var rest = line[...]
        var own = bytes[...]
        while let byte = own.popFirst() {
            guard let other = rest.popFirst() else { return nil }
            if byte.isDigit, other.isDigit {
                own = own.drop(while: \.isDigit)
                rest = rest.drop(while: \.isDigit)
            } else if byte != other {
                return nil
            }
        }
        return line.distance(from: line.startIndex, to: rest.startIndex)
    }

    /// The text without line breaks that this prefix follows, and without the prefix; `nil` if it follows none.
    func removed(from text: UnsafeRawBufferPointer) -> [UInt8]? {
        var result: [UInt8] = []
        var (taken, place) = (0, 0)
        while let end = text.position(of: UInt8(ascii: "\n"), from: place) {
            place = end + 1
            guard let length = length(in: text[place...]) else { continue }
            result += text[taken..<end]
            place += length
            taken = place
        }
        return taken == 0 ? nil : result + text[taken...]
    }
}

/// The escapes of strings in logs: of JSON, Erlang and others.
enum LogEscapes {
    /// The text that is meant. An unknown escape stays.
    static func resolved(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while let escape = text.position(of: UInt8(ascii: "\\"), from: index), escape + 1 < text.count {
            bytes += text[index..<escape]
            index = escape + 2
            switch text[escape + 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "'"):
                bytes.append(text[escape + 1])
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u")
            where LogScanner.Text(bytes: text, base: 0).hasTagEscape(at: escape) && "<>".utf8.contains(text[escape + 5]):
                bytes.append(text[escape + 5])
                index = escape + 6
            case UInt8(ascii: "u"):
                guard let unit = number(text, &index, 4, radix: 16) else { fallthrough }
                var value = unit
                if unit >> 10 == 0x36, index + 6 <= text.count, text[index..<index + 2].elementsEqual("\\u".utf8) {
                    var next = index + 2
                    if let low = number(text, &next, 4, radix: 16), low >> 10 == 0x37 {
                        value = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
                        index = next
                    }
                }
                bytes += String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8
            default:
                // Erlang writes bytes beyond ASCII as octal numbers.
                index = escape + 1
                if let byte = number(text, &index, 3, radix: 8), byte <= 0xFF {
                    bytes.append(UInt8(byte))
                } else {
                    bytes += text[escape..<escape + 2]
                    index = escape + 2
                }
            }
        }
        return bytes + text[index...]
    }

    private static func number(
        _ text: UnsafeRawBufferPointer, _ index: inout Int, _ digits: Int, radix: Int
    ) -> UInt32? {
        // Not a sign, which Swift's numbers may have.
        guard index + digits <= text.count, text[index] >= UInt8(ascii: "0") else { return nil }
        let number = UInt32(String(decoding: text[index..<index + digits], as: UTF8.self), radix: radix)
        if number != nil { index += digits }
        return number
    }
}

/// Finds tags in strings of JSON that write `<` and `>` as `\u003c` and `\u003e`, as for HTML.
///
/// It puts '<' or '>' in the place of the last digit, where the scanner finds it; `LogEscapes` removes the rest. A log
/// escapes all of its stanzas or none. So its first stanza or escape decides: after a stanza, escapes are text.
struct EscapedTags {
    /// The next byte to search.
    private var searched = 0
    /// `nil` before the first stanza.
    private var isEscaping: Bool?

    /// - Parameter base: The offset of `bytes` in the whole text.
    mutating func reveal(in bytes: UnsafeMutableRawBufferPointer, from base: Int) {
        let text = LogScanner.Text(bytes: UnsafeRawBufferPointer(bytes), base: base)
        searched = max(searched, base)
        while isEscaping == nil {
            searched = text.nextTagOrEscape(from: searched)
            if searched == text.end { return }
            if text[searched] == UInt8(ascii: "<") {
                let name = text[searched + 1..<min(searched + 10, text.end)]
                // More letters may follow.
                if name.count < 9, name.allSatisfy(LogScanner.Text.beginsName) { return }
                if text.mayBeginStanza(at: searched) { isEscaping = false }
                searched += 1
            } else {
                guard searched + 6 <= text.end else { return }
                if text.hasTagEscape(at: searched) { isEscaping = true } else { searched += 2 }
            }
        }
        if isEscaping == false { return }
        while let escape = text.position(of: UInt8(ascii: "\\"), from: searched) {
            searched = escape
            guard escape + 6 <= text.end else { return }
            searched += 2
            guard text.hasTagEscape(at: escape) else { continue }
            switch text[escape + 5] | 0x20 {
            case UInt8(ascii: "c"): bytes[escape + 5 - base] = UInt8(ascii: "<")
            case UInt8(ascii: "e"): bytes[escape + 5 - base] = UInt8(ascii: ">")
            default: break
            }
        }
        searched = text.end
    }
}
