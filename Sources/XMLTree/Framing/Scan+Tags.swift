// Counts the tags of many bytes at once, and finds them without reading quotes.
//
// In well-formed input outside comments, instructions and CDATA sections, every '<' begins a tag, and every tag has a
// '>' before the next '<'. So if there are as many '>' as '<', every '>' ends a tag, and no text or value contains one.

/// Where tags begin and end: two bits for each byte, 32 bytes in a word.
struct TagEvents: ~Copyable {
    /// The bytes of a word.
    static let wordLength = 32
    /// The most bytes that fit. A lane counts two for each word, so 63 words keep it within eight bits.
    static let capacity = 63 * wordLength

    private var words = Records<UInt64>(repeating: 0, count: capacity / wordLength)

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

    /// The words of the first bytes. Reading them in order takes no check for each.
    func words(ofBytes count: Int) -> UnsafeBufferPointer<UInt64> {
        words.prefix((count + Self.wordLength - 1) / Self.wordLength)
    }

    /// The word with this number.
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

    /// Sets the first `count` lanes; none if it is negative. At most 31.
    @inline(__always) static func firstLanes(_ count: Int) -> SIMD16<UInt8> {
        let numbers = SIMD16<Int8>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
        return lanes(numbers .< SIMD16<Int8>(repeating: Int8(truncatingIfNeeded: count)))
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
        // The bits that are clear in the byte after some '<' of a start tag. The bit 0x40 is set in letters, in '_' and
        // in what begins a character beyond ASCII. It is clear in '!', '?' and white space, and in ':', which is rare.
        var clear = SIMD16<UInt8>(repeating: 0)
        // Two bits for each byte, repeated in both halves of its lane. In `isCounted`, the lanes of bytes before `end`
        // are set.
        @inline(__always) func code(_ pair: ByteView.BlockPair, _ isCounted: SIMD16<UInt8>) -> SIMD16<UInt8> {
            let opens = lanes(pair.block .== SIMD16(repeating: .lessThan)) & isCounted
            let closes = lanes(pair.next .== SIMD16(repeating: .greaterThan)) & isCounted
            difference = difference &+ opens &- closes
            let endTags = opens & lanes(pair.next .== SIMD16(repeating: UInt8(ascii: "/")))
            let empties = closes & lanes(pair.block .== SIMD16(repeating: UInt8(ascii: "/")))
            let starts = opens ^ endTags
            clear |= starts & ~pair.next
            return starts & SIMD16(repeating: 0x11) | (endTags | empties) & SIMD16(repeating: 0x22)
        }
        @inline(__always) func word(_ first: SIMD16<UInt8>, _ second: SIMD16<UInt8>) -> UInt64 {
            nibbles(first | second &<< SIMD16(repeating: 2))
        }
        let all = SIMD16<UInt8>(repeating: 0xFF)
        var number = 0
        let rest = view.blockPairs(start, end) { first, second in
            events[number] = word(code(first, all), code(second, all))
            number &+= 1
        }
        if rest < end {
            events[number] = word(
                code(view.blockPair(at: rest), firstLanes(end &- rest)),
                code(view.blockPair(at: rest &+ 16), firstLanes(end &- rest &- 16)))
        }
        let counts = unsafeBitCast(difference, to: SIMD16<Int8>.self)
        let wrong = unsafeBitCast(clear & SIMD16(repeating: 0x40), to: SIMD2<UInt64>.self)
        return wrong[0] | wrong[1] == 0 && SIMD16<Int16>(truncatingIfNeeded: counts).wrappedSum() == 0
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
