// The bytes of a plain tag, read sixteen at a time: FirstTag.swift has the conditions.

import XMLTree

/// The first bytes of a name, and zeros after them.
struct TagName: Equatable, Sendable, BitwiseCopyable {
    /// The bytes that count. A plain name has fewer.
    static let length = 16

    private let words: SIMD2<UInt64>

    @inline(__always)
    fileprivate init(_ words: SIMD2<UInt64>) { self.words = words }

    init(_ text: String) {
        var bytes = SIMD16<UInt8>()
        for (lane, byte) in text.utf8.prefix(Self.length).enumerated() { bytes[lane] = byte }
        words = unsafeBitCast(bytes, to: SIMD2<UInt64>.self)
    }

    @inline(__always)
    static func == (name: TagName, other: TagName) -> Bool {
        // The comparison of vectors would be a loop (Swift 6.3).
        let difference = name.words ^ other.words
        return difference[0] | difference[1] == 0
    }

    /// One of 64 bits. `id`, `from`, `to`, `type`, `xmlns` and `xml:lang` have different ones.
    var mark: UInt64 {
        @inline(__always) get {
            let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
            let product = (words[0] ^ (words[1] &* factor)) &* factor
            return 1 &<< (product &>> 58)
        }
    }
}

/// The bytes of a stanza, from its first tag on.
///
/// All reads are within the stanza or the `lookahead` bytes after it, by induction: a place is before the end of the
/// stanza, whose last byte is '>'. White space and names do not include that byte, so the place after them is
/// before the end, too. Values may include it: `value` checks its places. A block begins at a place.
struct TagBytes: BitwiseCopyable {
    /// The bytes after the stanza that are read. They have no meaning.
    static let lookahead = 16
    private static let longestName = 14

    private let base: UnsafeRawPointer
    private let end: Int

    /// - Parameter range: A stanza that ends with '>'.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        end = range.upperBound
        guard let base = bytes.baseAddress, range.lowerBound >= 0, !range.isEmpty, end <= bytes.count - Self.lookahead,
            bytes[end - 1] == UInt8(ascii: ">")
        else { preconditionFailure("a stanza ends with '>', and bytes follow it") }
        self.base = base
    }

    @inline(__always)
    subscript(place: Int) -> UInt8 { base.load(fromByteOffset: place, as: UInt8.self) }

    @inline(__always)
    private func block(at place: Int) -> SIMD16<UInt8> {
        base.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self)
    }

    @inline(__always)
    func skipSpace(_ start: Int) -> Int {
        var place = start
        while FormatRecognizer.isSpace(self[place]) { place &+= 1 }
        return place
    }

    /// The plain name at a place, up to the first byte of something else; `nil` if another name is there.
    @inline(__always)
    func name(at place: Int) -> (TagName, end: Int)? {
        let block = block(at: place)
        let length = first(.!isNamePart(block))
        // Of the bytes that names have, digits, '-' and '.' are before the letters.
        guard 1...Self.longestName ~= length, block[0] >= UInt8(ascii: "A") else { return nil }
        return (masked(block, length), place &+ length)
    }

    /// The first bytes at a place of at least as many.
    @inline(__always)
    func beginning(at place: Int, length: Int = TagName.length) -> TagName { masked(block(at: place), length) }

    /// The plain value in quotes that begin at a place.
    @inline(__always)
    func value(at start: Int) -> Range<Int>? {
        let quote = self[start]
        guard isQuote(quote) else { return nil }
        // The last byte is not a quote.
        var place = start &+ 1
        while place < end {
            let length = first(endsValue(block(at: place)))
            place &+= length
            if length == TagName.length { continue }
            if place >= end { return nil }
            if self[place] == quote { return start &+ 1..<place }
            if !isQuote(self[place]) { return nil }
            place &+= 1
        }
        return nil
    }

    /// Whether a value has exactly these bytes.
    @inline(__always)
    func has(_ bytes: [UInt8], at value: Range<Int>) -> Bool {
        bytes.count == value.count
            && UnsafeRawBufferPointer(start: base + value.lowerBound, count: value.count).elementsEqual(bytes)
    }

    /// Whether a line of text escapes a byte of a plain value: a backslash, or a delete character.
    @inline(__always)
    func hasEscape(_ value: Range<Int>) -> Bool {
        var place = value.lowerBound
        while place < value.upperBound {
            let block = block(at: place)
            let escape = first((block .== all(UInt8(ascii: "\\"))) .| (block .== all(0x7F)))
            if escape < min(TagName.length, value.upperBound &- place) { return true }
            place &+= TagName.length
        }
        return false
    }
}

// A vector compared with a vector is one instruction. Compared with a scalar, the operator goes from lane to lane
// (Swift 6.3).

@inline(__always)
private func all(_ byte: UInt8) -> SIMD16<UInt8> { SIMD16(repeating: byte) }

/// The index of the first set lane; 16 for none.
@inline(__always)
private func first(_ mask: SIMDMask<SIMD16<Int8>>) -> Int {
    Scan.nibbles(unsafeBitCast(mask, to: SIMD16<UInt8>.self)).trailingZeroBitCount &>> 2
}

/// The first bytes of a block as a name.
@inline(__always)
private func masked(_ block: SIMD16<UInt8>, _ length: Int) -> TagName {
    let numbers = SIMD16<Int8>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    let mask = numbers .< SIMD16<Int8>(repeating: Int8(truncatingIfNeeded: length))
    return TagName(unsafeBitCast(block & unsafeBitCast(mask, to: SIMD16<UInt8>.self), to: SIMD2<UInt64>.self))
}

@inline(__always)
private func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") }

/// Letters, digits, '-', '.' and '_'.
@inline(__always)
private func isNamePart(_ block: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> {
    let isLetter = (block | all(0x20)) &- all(UInt8(ascii: "a")) .<= all(25)
    let isDigitOrMark = (block &- all(UInt8(ascii: "-")) .<= all(12)) .& (block .!= all(UInt8(ascii: "/")))
    return isLetter .| isDigitOrMark .| (block .== all(UInt8(ascii: "_")))
}

/// Quotes, '<', '&', controls, and bytes beyond ASCII.
@inline(__always)
private func endsValue(_ block: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> {
    let low = SIMD16<Int8>(truncatingIfNeeded: block) .< SIMD16<Int8>(repeating: 0x20)
    // '"' and '&' differ in one bit.
    let quoteOrReference = (block & all(0xFB) .== all(UInt8(ascii: "\""))) .| (block .== all(UInt8(ascii: "'")))
    return low .| quoteOrReference .| (block .== all(UInt8(ascii: "<")))
}
