// A source text as bytes, with its lines.

struct SourceText {
    /// The text, with LF for each CR that no LF follows: all languages accept that as the end of a line, too.
    let bytes: [UInt8]
    private let lineStarts: [Int]
    /// The number of UTF-16 code units before each block of bytes; empty for ASCII, with one unit for each byte.
    private let codeUnits: [Int]
    private static let stride = 256

    init(_ text: String) {
        let bytes = Self.withoutLoneReturns(Array(text.utf8))
        self.bytes = bytes
        codeUnits = bytes.allSatisfy { $0 < 0x80 } ? [] : Self.codeUnits(in: bytes)
        // A byte order mark is not part of the first line.
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        lineStarts = [start] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    private static func withoutLoneReturns(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "\r")) else { return bytes }
        var result = bytes
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\r") {
            let isLone = index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n")
            if isLone { result[index] = UInt8(ascii: "\n") }
        }
        return result
    }

    /// The place of a range of a literal's query.
    func place(of literal: SourceLiteral, _ range: Range<Int>) -> Range<LintFinding.Position> {
        let start = literal.offset(of: range.lowerBound)
        let end = range.isEmpty ? start : literal.end(of: range.upperBound - 1)
        return position(start)..<position(max(start, end))
    }

    /// The line of a byte, from 0.
    private func line(of offset: Int) -> Int {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }

    private func position(_ offset: Int) -> LintFinding.Position {
        let line = line(of: offset)
        let start = lineStarts[line]
        return LintFinding.Position(
            line: line + 1, column: offset - start + 1,
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

    func lines(of range: Range<Int>) -> ClosedRange<Int> { line(of: range.lowerBound)...line(of: range.upperBound) }

    /// The lines that end with the comment to ignore them.
    func ignoredLines(_ language: SourceLanguage) -> Set<Int> {
        let mark = Array("\(language.lineComment) stanza-lint: ignore".utf8)
        let ignored = lineStarts.indices.filter { line in
            let end = line + 1 < lineStarts.count ? lineStarts[line + 1] - 1 : bytes.count
            var text = bytes[lineStarts[line]..<end]
            while let byte = text.last,
                byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
            {
                text = text.dropLast()
            }
            return text.count >= mark.count && text.suffix(mark.count).elementsEqual(mark)
        }
        return Set(ignored)
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
