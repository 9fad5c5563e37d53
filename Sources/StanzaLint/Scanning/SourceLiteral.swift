// A string literal of a source text, and the source range of each byte of its value.

import SafeText

/// A literal; each interpolation in it is a slot.
struct SourceLiteral {
    /// Whether its value is wanted: the values of all literals of a long text would take much more memory than the
    /// text.
    private let isCollected: Bool
    /// The range of the literal, with its quotes.
    private(set) var range: Range<Int>
    private var bytes: [UInt8] = []
    /// The source range of each byte of the value.
    private var origins: [Range<Int>] = []
    /// The source ranges of the slots, in order.
    private var slotOrigins: [Range<Int>] = []
    /// Whether a slot has a text for a missing value: `\(value, default: "none")`.
    private(set) var hasDefaults = false
    /// The length of the value at each beginning of a source line.
    private var lineStarts: [Int] = []

    init(at start: Int, isCollected: Bool) {
        self.isCollected = isCollected
        range = start..<start
    }

    /// The value at run time, with `\(…)` for each slot.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The ranges of the slots in the text.
    var slots: [Range<Int>] {
        var slots: [Range<Int>] = []
        var start = 0
        for origin in slotOrigins {
            start = origins[start...].firstIndex(of: origin) ?? origins.endIndex
            let end = origins[start...].firstIndex { $0 != origin } ?? origins.endIndex
            slots.append(start..<end)
            start = end
        }
        return slots
    }

    mutating func append(_ value: some Collection<UInt8>, from origin: Range<Int>) {
        if !isCollected { return }
        bytes += value
        origins += repeatElement(origin, count: value.count)
    }

    mutating func append(_ scalar: Unicode.Scalar, from origin: Range<Int>) {
        append(Array(String(scalar).utf8), from: origin)
    }

    /// Appends a slot, as messages show it.
    mutating func appendSlot(from origin: Range<Int>, hasDefault: Bool) {
        if !isCollected { return }
        append("\\(…)".utf8, from: origin)
        slotOrigins.append(origin)
        if hasDefault { hasDefaults = true }
    }

    mutating func end(at end: Int) { range = range.lowerBound..<max(range.lowerBound, end) }

    /// Appends the adjacent literal, as C does.
    mutating func append(_ other: SourceLiteral) {
        bytes += other.bytes
        origins += other.origins
        range = range.lowerBound..<other.range.upperBound
    }

    /// Repairs bytes that are not UTF-8, as `String` does: each character that is cut off or wrong becomes a
    /// replacement character, which takes the source range of all its bytes.
    mutating func repair() {
        if String(validUTF8: bytes) != nil { return }
        var repaired = withoutText
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var index = 0
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let character):
                for byte in character {
                    repaired.append(CollectionOfOne(byte), from: origins[index])
                    index += 1
                }
            case .error(let length):
                let end = index + length
                repaired.append("\u{FFFD}", from: origins[index].lowerBound..<origins[end - 1].upperBound)
                index = end
            case .emptyInput:
                repaired.end(at: range.upperBound)
                self = repaired
                return
            }
        }
    }

    /// The source offset at which a byte of the value begins; after the last byte, the end of the value.
    func offset(of index: Int) -> Int {
        if origins.indices.contains(index) { return origins[index].lowerBound }
        return origins.last?.upperBound ?? max(range.lowerBound, range.upperBound - 1)
    }

    /// The source offset at which a byte of the value ends.
    func end(of index: Int) -> Int {
        origins.indices.contains(index) ? origins[index].upperBound : range.upperBound
    }

    mutating func removeSuffix(maximum: Int = .max, _ isUnwanted: (UInt8) -> Bool) {
        var removed = 0
        while removed < maximum, let last = bytes.last, isUnwanted(last) {
            bytes.removeLast()
            origins.removeLast()
            removed += 1
        }
    }

    /// Marks the beginning of a line of the source text.
    mutating func beginLine() { if isCollected { lineStarts.append(bytes.count) } }

    /// Removes the same number of white-space characters from the beginning of each line of the source text. Escapes
    /// there stay.
    mutating func removeIndentation(_ count: Int) {
        var starts = lineStarts[...]
        var column = 0
        var kept = withoutText
        for (index, (byte, origin)) in zip(bytes, origins).enumerated() {
            while starts.first == index {
                starts.removeFirst()
                column = 0
            }
            let isSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
            if column < count, isSpace, origin.count == 1 {
                column += 1
            } else {
                column = count
                kept.append(CollectionOfOne(byte), from: origin)
            }
        }
        kept.end(at: range.upperBound)
        self = kept
    }

    /// The literal without its text; its slots keep their source ranges.
    private var withoutText: SourceLiteral {
        var literal = SourceLiteral(at: range.lowerBound, isCollected: isCollected)
        literal.slotOrigins = slotOrigins
        literal.hasDefaults = hasDefaults
        return literal
    }
}
