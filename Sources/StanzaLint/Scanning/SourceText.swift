// A source text as bytes, with its lines.

/// A source text.
struct SourceText {
    let bytes: [UInt8]
    private let lineStarts: [Int]
    /// How many code units of UTF-16 stand before every so many bytes; empty for ASCII, which has one for each byte.
    private let codeUnits: [Int]
    private static let stride = 256

    init(_ text: String) {
        let bytes = Array(text.utf8)
        self.bytes = bytes
        codeUnits = bytes.allSatisfy { $0 < 0x80 } ? [] : Self.codeUnits(in: bytes)
        lineStarts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    /// Where a range of a literal's query stands.
    func place(of literal: SourceLiteral, _ range: Range<Int>) -> Range<SourcePosition> {
        let start = literal.offset(of: range.lowerBound)
        let end = range.isEmpty ? start : literal.end(of: range.upperBound - 1)
        return position(start)..<position(max(start, end))
    }

    private func position(_ offset: Int) -> SourcePosition {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let start = lineStarts[low]
        return SourcePosition(
            line: low + 1, column: offset - start + 1,
            utf16Column: codeUnitCount(before: offset) - codeUnitCount(before: start) + 1)
    }

    private func codeUnitCount(before offset: Int) -> Int {
        if codeUnits.isEmpty { return offset }
        let part = offset / Self.stride
        return codeUnits[part] + bytes[part * Self.stride..<offset].reduce(0) { $0 + $1.codeUnits }
    }

    private static func codeUnits(in bytes: [UInt8]) -> [Int] {
        var counts = [0]
        var count = 0
        for (index, byte) in bytes.enumerated() {
            count += byte.codeUnits
            if index % stride == stride - 1 { counts.append(count) }
        }
        return counts
    }

    /// Whether one of the lines of a range ends with the comment that says so.
    func isIgnored(_ range: Range<Int>, _ language: SourceLanguage) -> Bool {
        let mark = Array("\(language.lineComment) stanza-lint: ignore".utf8)
        let first = position(range.lowerBound).line - 1
        let last = position(range.upperBound).line - 1
        return (first...last).contains { line in
            let end = line + 1 < lineStarts.count ? lineStarts[line + 1] - 1 : bytes.count
            var text = bytes[lineStarts[line]..<end]
            while let byte = text.last,
                byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
            {
                text = text.dropLast()
            }
            return text.count >= mark.count && text.suffix(mark.count).elementsEqual(mark)
        }
    }
}

extension UInt8 {
    /// The code units of UTF-16 of the character that begins with this byte of UTF-8; none inside of a character.
    fileprivate var codeUnits: Int {
        switch self {
        case 0x80..<0xC0: 0
        case 0xF0...0xFF: 2
        default: 1
        }
    }
}
