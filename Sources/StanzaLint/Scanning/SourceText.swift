// A source text as bytes, with its lines.

/// A source text.
struct SourceText {
    let bytes: [UInt8]
    private let lineStarts: [Int]

    init(_ text: String) {
        let bytes = Array(text.utf8)
        self.bytes = bytes
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
        return SourcePosition(line: low + 1, column: offset - lineStarts[low] + 1)
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
