// Counts the tags of many bytes at once, and finds them without reading quotes.
//
// In well-formed input outside comments, instructions and CDATA sections, every '<' begins a tag, and every tag has a
// '>' before the next '<'. So if there are as many '>' as '<', every '>' ends a tag, and no text or value contains one.

/// Where tags begin and end: four bits for each byte, sixteen bytes in a word.
struct TagEvents: ~Copyable {
    /// The most bytes that fit. A lane counts one for each of its bytes, so 127 blocks keep it within eight bits.
    static let capacity = 127 * 16

    private var words = Records<UInt64>(repeating: 0, count: capacity / 16)

    enum Kind: UInt8 {
        /// The '<' of a start tag.
        case start
        /// The '<' of an end tag, or the '/' before the '>' of an empty-element tag.
        case end
    }

    /// The number of starts in a word. A product's top four bits are the sum of all, which is below 16.
    @inline(__always)
    static func starts(_ word: UInt64) -> Int { Int(((word & eachByte) &* eachByte) &>> 60) }

    /// The number of ends in a word.
    @inline(__always)
    static func ends(_ word: UInt64) -> Int { Int(((word &>> 1 & eachByte) &* eachByte) &>> 60) }

    /// One bit for each byte of the input.
    private static var eachByte: UInt64 { 0x1111_1111_1111_1111 }

    /// The first words. Reading them in order takes no check for each.
    func words(_ count: Int) -> UnsafeBufferPointer<UInt64> { words.prefix(count) }

    /// The word of the sixteen bytes with this number.
    @inline(__always)
    subscript(number: Int) -> UInt64 {
        get { words[number] }
        set { words[number] = newValue }
    }
}

extension Scan {
    @inline(__always) static func lanes(_ mask: SIMDMask<SIMD16<Int8>>) -> SIMD16<UInt8> {
        unsafeBitCast(mask, to: SIMD16<UInt8>.self)
    }

    /// One bit group for each lane, in order. A lane has the same four bits twice.
    @inline(__always) static func nibbles(_ code: SIMD16<UInt8>) -> UInt64 {
        let pairs = unsafeBitCast(code, to: SIMD8<UInt16>.self) &>> SIMD8<UInt16>(repeating: 4)
        @inline(__always) func low(_ lane: Int) -> UInt8 { UInt8(truncatingIfNeeded: pairs[lane]) }
        // One instruction. The standard library's conversion of vectors would be a call (Swift 6.3).
        let narrow = SIMD8<UInt8>(low(0), low(1), low(2), low(3), low(4), low(5), low(6), low(7))
        return unsafeBitCast(narrow, to: UInt64.self)
    }

    /// Finds all tags from `start` to `end`, at most `TagEvents.capacity` bytes.
    ///
    /// - Parameters:
    ///   - start: An index outside tags and other markup.
    ///   - end: The index of a '<'.
    /// - Returns: False if only quotes or other markup decide where tags end. The events then mean nothing.
    @inline(__always)
    static func tags(_ view: ByteView, _ start: Int, _ end: Int, into events: inout TagEvents) -> Bool {
        var difference = SIMD16<UInt8>(repeating: 0)
        var other = SIMD16<UInt8>(repeating: 0)
        var number = 0
        view.blockPairs(start, end) { block, next, isCounted in
            let opens = lanes(block .== SIMD16(repeating: .lessThan)) & isCounted
            let ends = opens & lanes(next .== SIMD16(repeating: UInt8(ascii: "/")))
            let closes = lanes(next .== SIMD16(repeating: .greaterThan)) & isCounted
            let empties = closes & lanes(block .== SIMD16(repeating: UInt8(ascii: "/")))
            // No letter is below '@'. Bytes beyond ASCII are negative: rare, and right for the slow way, too.
            let isLow = lanes(unsafeBitCast(next, to: SIMD16<Int8>.self) .< SIMD16<Int8>(repeating: 0x40))
            other |= (opens & isLow) ^ ends
            difference = difference &+ opens &- closes
            let code =
                (opens & SIMD16(repeating: 0x11)) ^ (ends & SIMD16(repeating: 0x33))
                | (empties & SIMD16(repeating: 0x22))
            events[number] = nibbles(code)
            number &+= 1
        }
        let counts = unsafeBitCast(difference, to: SIMD16<Int8>.self)
        let others = unsafeBitCast(other, to: SIMD2<UInt64>.self)
        return others[0] | others[1] == 0 && SIMD16<Int16>(truncatingIfNeeded: counts).wrappedSum() == 0
    }

    /// The last index of a byte from `start` to `end`.
    static func last(_ view: ByteView, _ byte: UInt8, _ start: Int, _ end: Int) -> Int? {
        var index = end
        while index - start >= 16 {
            index -= 16
            let bits = nibbles(lanes(view.block(at: index) .== SIMD16(repeating: byte)))
            if bits != 0 { return index + 15 - bits.leadingZeroBitCount >> 2 }
        }
        while index > start {
            index -= 1
            if view[index] == byte { return index }
        }
        return nil
    }
}
