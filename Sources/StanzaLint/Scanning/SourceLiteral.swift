// A string literal of a source text, and where each byte of its value comes from.

/// A literal without anything that is put in at run time.
struct SourceLiteral {
    /// Where it stands, with its quotes.
    private(set) var range: Range<Int>
    private var bytes: [UInt8] = []
    /// For each byte of the value where it comes from.
    private var origins: [Range<Int>] = []
    /// How long the value is where lines of the source text begin.
    private var lineStarts: [Int] = []

    init(at start: Int) { range = start..<start }

    /// What it is at run time.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func append(_ value: some Collection<UInt8>, from origin: Range<Int>) {
        bytes += value
        origins += repeatElement(origin, count: value.count)
    }

    mutating func append(_ scalar: Unicode.Scalar, from origin: Range<Int>) {
        append(Array(String(scalar).utf8), from: origin)
    }

    mutating func end(at end: Int) { range = range.lowerBound..<max(range.lowerBound, end) }

    /// Appends the literal that stands behind it, as C does.
    mutating func append(_ other: SourceLiteral) {
        bytes += other.bytes
        origins += other.origins
        range = range.lowerBound..<other.range.upperBound
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
    mutating func beginLine() { lineStarts.append(bytes.count) }

    /// Takes the same number of white space away from the beginning of each line of the source text; what stands there as an
    /// escape stays.
    mutating func removeIndentation(_ count: Int) {
        var starts = lineStarts[...]
        var column = 0
        var kept = SourceLiteral(at: range.lowerBound)
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
}
