// Counts the tags of many bytes at once, and finds them without reading quotes.
//
// In well-formed input outside comments, instructions and CDATA sections, every '<' begins a tag, and every tag has a
// '>' before the next '<'. So if there are as many '>' as '<', every '>' ends a tag, and no text or value contains one.

import XMLTree

/// Where tags begin and end: two bits for each byte, 32 bytes in a word.
struct TagEvents: ~Copyable {
    /// The bytes of a word.
    static let wordLength = 32
    /// The most bytes that fit. A lane counts two for each word, so 63 words keep it within eight bits.
    static let capacity = 63 * wordLength
    /// How many bytes after those to examine are read, whatever they are.
    static let lookahead = wordLength + 1

    private var words = [UInt64](repeating: 0, count: capacity / wordLength)

    enum Kind: UInt8 {
        /// The '<' of a start tag.
        case start
        /// The '<' of an end tag, or the '/' before the '>' of an empty-element tag.
        case end
    }

    /// The events of half of the bytes: four bits for each of sixteen bytes, of which the upper two are zero.
    @inline(__always)
    static func half(_ word: UInt64, _ number: Int) -> UInt64 { word &>> (2 &* UInt64(number)) & 0x3333_3333_3333_3333 }

    /// The number of starts in a word.
    @inline(__always)
    static func starts(_ word: UInt64) -> Int {
        let eachByte: UInt64 = 0x1111_1111_1111_1111
        let bytes = (word & eachByte) &+ (word &>> 2 & eachByte)
        let pairs = (bytes &+ bytes &>> 4) & 0x0F0F_0F0F_0F0F_0F0F
        // The top byte of the product is the sum of all.
        return Int((pairs &* 0x0101_0101_0101_0101) &>> 56)
    }

    /// The number of ends in a word.
    @inline(__always)
    static func ends(_ word: UInt64) -> Int { starts(word &>> 1) }

    /// The words of the first bytes.
    static func words(ofBytes count: Int) -> Range<Int> { 0..<(count + wordLength - 1) / wordLength }

    /// The word with this number.
    @inline(__always)
    subscript(number: Int) -> UInt64 { words[number] }

    /// Finds all tags of the first `count` bytes, which begin outside of markup and end before a '<'.
    ///
    /// - Parameter bytes: At most `capacity` bytes, and `lookahead` more.
    /// - Returns: False if only quotes or other markup decide where tags end. The events then mean nothing.
    mutating func find(_ count: Int, of bytes: UnsafeRawBufferPointer) -> Bool {
        precondition(0...Self.capacity ~= count && count + Self.lookahead <= bytes.count)
        guard let base = bytes.baseAddress else { return true }
        var tally = Tally()
        let all = SIMD16<UInt8>(repeating: 0xFF)
        var (number, index) = (0, 0)
        while count &- index >= Self.wordLength {
            words[number] = tally.word(base + index, all, all)
            number &+= 1
            index &+= Self.wordLength
        }
        if index < count {
            words[number] = tally.word(
                base + index, firstLanes(count &- index), firstLanes(count &- index &- 16))
        }
        return tally.isCorrect
    }

    /// The counts and flags of the bytes so far.
    private struct Tally {
        /// The number of '<' less that of '>' in each lane.
        private var difference = SIMD16<UInt8>(repeating: 0)
        /// The bits that are clear in the byte after some '<' of a start tag. The bit 0x40 is set in letters, in '_'
        /// and in what begins a character beyond ASCII. It is clear in '!', '?' and white space, and in ':', which is
        /// rare.
        private var clear = SIMD16<UInt8>(repeating: 0)

        var isCorrect: Bool {
            let counts = unsafeBitCast(difference, to: SIMD16<Int8>.self)
            let wrong = unsafeBitCast(clear & SIMD16(repeating: 0x40), to: SIMD2<UInt64>.self)
            return wrong[0] | wrong[1] == 0 && SIMD16<Int16>(truncatingIfNeeded: counts).wrappedSum() == 0
        }

        /// The events of 32 bytes, of which those with a set lane count. It reads one byte more.
        @inline(__always)
        mutating func word(_ bytes: UnsafeRawPointer, _ low: SIMD16<UInt8>, _ high: SIMD16<UInt8>) -> UInt64 {
            let (first, second) = (code(bytes, low), code(bytes + 16, high))
            return Scan.nibbles(first | second &<< SIMD16(repeating: 2))
        }

        /// Two bits for each of sixteen bytes, repeated in both halves of its lane. The byte after them is read, too.
        @inline(__always)
        private mutating func code(_ bytes: UnsafeRawPointer, _ isCounted: SIMD16<UInt8>) -> SIMD16<UInt8> {
            let block = bytes.loadUnaligned(as: SIMD16<UInt8>.self)
            let next = bytes.loadUnaligned(fromByteOffset: 1, as: SIMD16<UInt8>.self)
            let opens = lanes(of: UInt8(ascii: "<"), in: block) & isCounted
            let closes = lanes(of: UInt8(ascii: ">"), in: next) & isCounted
            difference = difference &+ opens &- closes
            let endTags = opens & lanes(of: UInt8(ascii: "/"), in: next)
            let empties = closes & lanes(of: UInt8(ascii: "/"), in: block)
            let starts = opens ^ endTags
            clear |= starts & ~next
            return starts & SIMD16(repeating: 0x11) | (endTags | empties) & SIMD16(repeating: 0x22)
        }
    }

    /// The last place of a '<'.
    static func lastTag(in bytes: UnsafeRawBufferPointer) -> Int? {
        var index = bytes.count
        while index >= 16 {
            index -= 16
            let block = bytes.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
            let bits = Scan.nibbles(lanes(of: UInt8(ascii: "<"), in: block))
            if bits != 0 { return index + 15 - bits.leadingZeroBitCount >> 2 }
        }
        return bytes[..<index].lastIndex(of: UInt8(ascii: "<"))
    }
}

@inline(__always)
private func lanes(of byte: UInt8, in block: SIMD16<UInt8>) -> SIMD16<UInt8> {
    // Without the type, the compiler chooses the comparison with a scalar, which goes from lane to lane (Swift 6.3).
    unsafeBitCast(block .== SIMD16<UInt8>(repeating: byte), to: SIMD16<UInt8>.self)
}

/// Sets the first `count` lanes; none if it is negative. At most 31.
@inline(__always)
private func firstLanes(_ count: Int) -> SIMD16<UInt8> {
    let numbers = SIMD16<Int8>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    return unsafeBitCast(
        numbers .< SIMD16<Int8>(repeating: Int8(truncatingIfNeeded: count)), to: SIMD16<UInt8>.self)
}
