// The lexer: a cursor on the query's bytes that tries, on demand, the one token that the parser requests. So it is
// modal: the same bytes are a name here, a regular expression or a field's name there. It diagnoses nothing.
//
// `lexX` tries: it consumes an X and returns that it did, or consumes nothing. The parser's `expectX` requires an X.
// The lexer reads every byte a constant number of times. All marks of the language are ASCII, so cutting the text at
// them never cuts a character.

/// Valid only while the closure of `read` runs.
struct Lexer {
    /// The text's bytes; those of slots are `UInt8.slot`, which no text holds.
    let bytes: UnsafeBufferPointer<UInt8>
    /// The text's bytes as they are shown.
    let shownBytes: UnsafeBufferPointer<UInt8>
    /// The places of the slots, in order.
    private let slots: UnsafeBufferPointer<SourceRange>
    /// The UTF-8 offset of the next byte.
    private(set) var position = 0

    /// Calls a closure with a lexer of the text.
    static func read<Result>(_ source: String, slots: [SourceRange], _ body: (Lexer) -> Result) -> Result {
        // A copy of a string costs a retain and a release.
        if let result = source.utf8.withContiguousStorageIfAvailable({ read($0, slots, body) }) { return result }
        var copy = source
        return copy.withUTF8 { read($0, slots, body) }
    }

    private static func read<Result>(
        _ shown: UnsafeBufferPointer<UInt8>, _ slots: [SourceRange], _ body: (Lexer) -> Result
    ) -> Result {
        let none = UnsafeBufferPointer<SourceRange>(start: nil, count: 0)
        if slots.isEmpty { return body(Lexer(bytes: shown, shownBytes: shown, slots: none)) }
        var bytes = Array(shown)
        for slot in slots { bytes.replaceSubrange(slot, with: repeatElement(.slot, count: slot.count)) }
        return bytes.withUnsafeBufferPointer { bytes in
            slots.withUnsafeBufferPointer { body(Lexer(bytes: bytes, shownBytes: shown, slots: $0)) }
        }
    }

    private init(
        bytes: UnsafeBufferPointer<UInt8>, shownBytes: UnsafeBufferPointer<UInt8>,
        slots: UnsafeBufferPointer<SourceRange>
    ) {
        self.bytes = bytes
        self.shownBytes = shownBytes
        self.slots = slots
    }

    var isAtEnd: Bool { position == bytes.count }

    /// The next byte; nil at the end.
    @inline(__always)
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// The next character; nil at the end.
    var nextScalar: Unicode.Scalar? { scalar(at: position)?.scalar }

    /// The next character's range, empty at the end.
    var nextRange: SourceRange { position..<(position + (scalar(at: position)?.length ?? 0)) }

    func text(_ range: SourceRange) -> String { String(decoding: shownBytes[range], as: UTF8.self) }

    /// The number of the slot that begins at an offset.
    func slot(at offset: Int) -> Int? {
        var candidates = slots.indices
        while let first = candidates.first {
            let middle = first + candidates.count / 2
            if slots[middle].lowerBound == offset { return middle }
            candidates = slots[middle].lowerBound < offset ? middle + 1..<candidates.upperBound : first..<middle
        }
        return nil
    }

    /// The first slot in a range.
    func slot(in range: SourceRange) -> Int? {
        slots.isEmpty ? nil : bytes[range].firstIndex(of: .slot).flatMap(slot(at:))
    }

    /// The place of a slot.
    func range(ofSlot slot: Int) -> SourceRange { slots[slot] }

    // MARK: Tokens

    /// One mark, such as `/` or `>`.
    @inline(__always)
    mutating func lex(_ mark: UInt8) -> Bool {
        guard next == mark else { return false }
        position += 1
        return true
    }

    /// The longest run of XML name characters; nil if it is empty.
    @inline(__always)
    mutating func lexName() -> SourceRange? {
        let (start, bytes) = (position, bytes)
        var end = start
        while end < bytes.count, bytes[end].isNameCharacter { end &+= 1 }
        if end < bytes.count, bytes[end] >= 0x80 { end = endOfName(from: end) }
        position = end
        return start == end ? nil : start..<end
    }

    /// The end of a name that continues with a character beyond ASCII.
    @inline(never)
    private func endOfName(from start: Int) -> Int {
        var end = start
        while let (scalar, length) = scalar(at: end), isNameCharacter(scalar) { end += length }
        return end
    }

    @inline(__always)
    mutating func lexSlot() -> Int? {
        guard next == .slot, let slot = slot(at: position) else { return nil }
        position = slots[slot].upperBound
        return slot
    }

    /// Whether a name is spelled `..`: `...` and `..a` are names like others.
    func isParent(_ name: SourceRange) -> Bool {
        name.count == 2 && bytes[name.lowerBound] == .dot && bytes[name.lowerBound + 1] == .dot
    }

    mutating func lexDigit() -> Int? {
        guard let byte = next, (.zero)...(.nine) ~= byte else { return nil }
        position += 1
        return Int(byte - .zero)
    }

    /// Everything before the next of the marks, which stays. Without one this runs to the end of the text.
    mutating func lexVerbatim(until mark: UInt8, or other: UInt8) -> SourceRange {
        move(to: bytes[position...].firstIndex { $0 == mark || $0 == other })
    }

    mutating func lexVerbatim(until mark: UInt8) -> SourceRange {
        let (start, bytes) = (position, bytes)
        var end = start
        let marks = UInt64(mark) &* 0x0101_0101_0101_0101
        while let memory = UnsafeRawPointer(bytes.baseAddress), end &+ 8 <= bytes.count {
            // The lowest bit that is set is the highest one of the first byte that is the mark.
            let other = UInt64(littleEndian: memory.loadUnaligned(fromByteOffset: end, as: UInt64.self)) ^ marks
            let found = (other &- 0x0101_0101_0101_0101) & ~other & 0x8080_8080_8080_8080
            if found != 0 { return move(to: end + found.trailingZeroBitCount / 8) }
            end &+= 8
        }
        while end < bytes.count, bytes[end] != mark { end &+= 1 }
        return move(to: end)
    }

    /// Looks at the text from another place on, or from its end. Returns the text before a later place.
    @discardableResult
    mutating func move(to place: Int?) -> SourceRange {
        let start = position
        position = place ?? bytes.count
        return min(start, position)..<position
    }

    /// A piece of a filter's value: everything before its end, a percent sign or a slot.
    mutating func lexValue() {
        move(to: bytes[position...].firstIndex { $0 == .greater || $0 == .percent || $0 == .slot })
    }

    /// Everything to the next mark, and the mark. Without one this runs to the end of the text.
    mutating func skip(past mark: UInt8) {
        _ = lexVerbatim(until: mark)
        _ = lex(mark)
    }

    /// Any one byte.
    mutating func skipByte() { if !isAtEnd { position += 1 } }

    // MARK: Characters

    /// The character whose encoding begins at an offset. The bytes come from a `String`, so they are well-formed.
    private func scalar(at offset: Int) -> (scalar: Unicode.Scalar, length: Int)? {
        guard offset < bytes.count else { return nil }
        // A noncharacter, which is not a part of a name either.
        if bytes[offset] == .slot { return ("\u{FFFE}", slot(at: offset).map { slots[$0].count } ?? 1) }
        var (decoder, rest) = (UTF8(), bytes[offset...].makeIterator())
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else { return ("\u{FFFD}", 1) }
        return (scalar, UTF8.width(scalar))
    }
}
