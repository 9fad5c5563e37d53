// A string literal of a source text, and where each byte of its value comes from.

/// A literal; what is interpolated in it is a slot.
struct SourceLiteral {
    /// Whether its value is wanted: that of all literals of a long text would take much more memory than the text.
    private let isCollected: Bool
    /// Where it stands, with its quotes.
    private(set) var range: Range<Int>
    private var bytes: [UInt8] = []
    /// For each byte of the value where it comes from.
    private var origins: [Range<Int>] = []
    /// Where the slots come from, in order.
    private var slotOrigins: [Range<Int>] = []
    /// Whether a slot has a text for where there is no value: `\(value, default: "none")`.
    private(set) var hasDefaults = false
    /// How long the value is where lines of the source text begin.
    private var lineStarts: [Int] = []

    init(at start: Int, isCollected: Bool) {
        self.isCollected = isCollected
        range = start..<start
    }

    /// What it is at run time, with `\(…)` for each slot.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Where the slots stand in the text.
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

    /// Appends the literal that stands behind it, as C does.
    mutating func append(_ other: SourceLiteral) {
        bytes += other.bytes
        origins += other.origins
        range = range.lowerBound..<other.range.upperBound
    }

    /// Makes text of bytes that are none, as `String` does: each character that is cut off or wrong becomes a
    /// replacement character, which comes from all of its bytes.
    mutating func repair() {
        if String(validating: bytes, as: UTF8.self) != nil { return }
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

    /// Where a byte of the value begins; behind the last one, where that ends.
    func offset(of index: Int) -> Int {
        if origins.indices.contains(index) { return origins[index].lowerBound }
        return origins.last?.upperBound ?? max(range.lowerBound, range.upperBound - 1)
    }

    /// Where it ends.
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

    /// A line of the source text begins here.
    mutating func beginLine() { if isCollected { lineStarts.append(bytes.count) } }

    /// Takes the same number of white space away from the beginning of each line of the source text; what stands there
    /// as an escape stays.
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

    /// The literal before it has any text; its slots come from the same places.
    private var withoutText: SourceLiteral {
        var literal = SourceLiteral(at: range.lowerBound, isCollected: isCollected)
        literal.slotOrigins = slotOrigins
        literal.hasDefaults = hasDefaults
        return literal
    }
}
