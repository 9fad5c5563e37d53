// Searches bytes for the tokenizer, sixteen at a time, without a branch that depends on a length. It has the rules of
// XML 1.0 (fifth edition, §2.2, §2.3, §4.1) for characters, names and references.
//
// Every loop ends at the NUL that follows the input (Storage/CheckedMemory.swift). The functions keep no state.

// Other modules inline its members only if the type is usable from inlinable code, too (Swift 6.3).
@usableFromInline package enum Scan {
    /// A vector compared with a vector is one instruction. Compared with a scalar, the standard library's operator
    /// goes from lane to lane (Swift 6.3).
    @inline(__always) static func all(_ byte: UInt8) -> SIMD16<UInt8> { SIMD16(repeating: byte) }

    /// The index of the first set lane; 16 for none. One saturating instruction makes a byte of each pair of lanes:
    /// 0x7F if only the first is set, 0x80 if only the second is, and 0xFF if both are.
    @inline(__always) static func first(_ mask: SIMDMask<SIMD16<Int8>>) -> Int {
        let pairs = unsafeBitCast(mask, to: SIMD8<Int16>.self)
            .clamped(lowerBound: SIMD8(repeating: -0x80), upperBound: SIMD8(repeating: 0x7F))
        let bits = unsafeBitCast(SIMD8<Int8>(truncatingIfNeeded: pairs), to: UInt64.self)
        return bits.trailingZeroBitCount >> 2
    }

    /// Four bits for each lane of a mask, in order. The lanes of other codes have the same four bits twice.
    @inlinable @inline(__always) package static func nibbles(_ code: SIMD16<UInt8>) -> UInt64 {
        let pairs = unsafeBitCast(code, to: SIMD8<UInt16>.self) &>> SIMD8<UInt16>(repeating: 4)
        @inline(__always) func low(_ lane: Int) -> UInt8 { UInt8(truncatingIfNeeded: pairs[lane]) }
        // One instruction. The standard library's conversion of vectors would be a call (Swift 6.3).
        let narrow = SIMD8<UInt8>(low(0), low(1), low(2), low(3), low(4), low(5), low(6), low(7))
        return unsafeBitCast(narrow, to: UInt64.self)
    }

    @inline(__always) private static func isBelowSpaceOrBeyondASCII(_ block: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> {
        SIMD16<Int8>(truncatingIfNeeded: block) .< SIMD16<Int8>(repeating: 0x20)
    }

    /// The index of the first byte from `start` on that is set in the mask of its block: at the latest, the NUL at the
    /// end.
    @inline(__always) private static func index(
        _ view: ByteView, _ start: Int, _ mask: (SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>>
    ) -> Int {
        var index = start
        while true {
            let found = first(mask(view.block(at: index)))
            index &+= found
            if found < 16 { return index }
        }
    }

    /// The next index at which text needs a check: '<', '&', ']', controls except line feed and tab, and beyond ASCII.
    @inline(__always) static func text(_ view: ByteView, _ start: Int) -> Int {
        index(view, start) { block in
            let low = isBelowSpaceOrBeyondASCII(block) .& (block .!= all(0x0A)) .& (block .!= all(0x09))
            return low .| (block .== all(0x3C)) .| (block .== all(0x26)) .| (block .== all(0x5D))
        }
    }

    /// The same for the text of comments, instructions and document types: at `mark`, at controls, and beyond ASCII.
    static func plain(_ view: ByteView, _ start: Int, mark: UInt8) -> Int {
        index(view, start) { isBelowSpaceOrBeyondASCII($0) .| ($0 .== all(mark)) }
    }

    /// The same for an attribute's value: at both quotes, '<', '&', controls, and beyond ASCII. A search for one quote
    /// would wait until that quote is read.
    @inline(__always) static func value(_ view: ByteView, _ start: Int) -> Int {
        index(view, start) { block in
            // '"' and '&' differ in one bit.
            let quoteOrReference = (block & all(0xFB) .== all(0x22)) .| (block .== all(0x27))
            return isBelowSpaceOrBeyondASCII(block) .| quoteOrReference .| (block .== all(0x3C))
        }
    }

    @inline(__always) private static func endsName(_ block: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> {
        (block .<= all(0x20)) .| ((block & all(0xFC)) .== all(0x3C)) .| (block .== all(0x2F))
    }

    /// The length of the name in a block. White space, controls, '/', and '<' to '?' end it.
    @inline(__always) static func nameLength(_ block: SIMD16<UInt8>) -> Int { first(endsName(block)) }

    @inline(__always) static func nameLength(_ view: ByteView, _ start: Int) -> Int {
        index(view, start, endsName) &- start
    }

    @inline(never) static func longNameLength(_ view: ByteView, _ start: Int) -> Int { nameLength(view, start) }

    /// The bytes of a block before `length`, and zeros after them.
    @inline(__always) static func masked(_ block: SIMD16<UInt8>, _ length: Int) -> SIMD2<UInt64> {
        let lanes = SIMD16<Int8>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
        let mask = lanes .< SIMD16<Int8>(repeating: Int8(truncatingIfNeeded: min(length, 16)))
        return unsafeBitCast(block & unsafeBitCast(mask, to: SIMD16<UInt8>.self), to: SIMD2<UInt64>.self)
    }

    @inline(__always) static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// The first byte that is not white space.
    @inline(__always) static func skipSpace(_ view: ByteView, _ start: Int) -> Int {
        index(view, start) { block in
            .!((block .== all(0x20)) .| (block .== all(0x0A)) .| (block .== all(0x09)) .| (block .== all(0x0D)))
        }
    }

    /// The first of `a`, `b`, `c` and `d` before `end`, or `end`.
    @inline(__always) package static func find(
        _ view: ByteView, _ start: Int, _ end: Int, _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8
    ) -> Int {
        var index = start
        while index < end {
            let block = view.block(at: index)
            let found = first((block .== all(a)) .| (block .== all(b)) .| (block .== all(c)) .| (block .== all(d)))
            index &+= found
            if found < 16 { return min(index, end) }
        }
        return end
    }

    // MARK: Characters

    /// The result of reading a character.
    enum Character: Equatable {
        case valid(Unicode.Scalar, length: Int)
        /// The bytes before the end begin a character.
        case incomplete
        case invalidUTF8
        /// A character that XML forbids.
        case forbidden(Unicode.Scalar)
    }

    /// The character at `index`, which is before `end`.
    @inline(never) static func character(_ view: ByteView, _ index: Int, _ end: Int) -> Character {
        let byte = view[index]
        let length: Int
        var range: ClosedRange<UInt8> = 0x80...0xBF
        switch byte {
        case 0..<0x80: length = 1
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, range) = (3, 0xA0...0xBF)
        case 0xED: (length, range) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, range) = (4, 0x90...0xBF)
        case 0xF4: (length, range) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: return .invalidUTF8
        }
        var value = length == 1 ? UInt32(byte) : UInt32(byte & 0x7F >> UInt8(length))
        for offset in 1..<length {
            if index + offset == end { return .incomplete }
            if !range.contains(view[index + offset]) { return .invalidUTF8 }
            range = 0x80...0xBF
            value = value << 6 | UInt32(view[index + offset] & 0x3F)
        }
        guard let scalar = Unicode.Scalar(value) else { return .invalidUTF8 }
        return XMLCharacters.isAllowed(scalar) ? .valid(scalar, length: length) : .forbidden(scalar)
    }

    /// What needs a check in a text: '<', '&', ']', and controls except line feed and tab.
    @inline(__always) static func textMarks(_ block: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> {
        let controls = (block .<= all(0x1F)) .& (block .!= all(0x0A)) .& (block .!= all(0x09))
        return controls .| (block .== all(0x3C)) .| (block .== all(0x26)) .| (block .== all(0x5D))
    }

    /// What needs a check in an attribute's value: both quotes, '<', '&' and controls.
    @inline(__always) static func valueMarks(_ block: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> {
        // '"' and '&' differ in one bit.
        let quoteOrReference = (block & all(0xFB) .== all(0x22)) .| (block .== all(0x27))
        return (block .<= all(0x1F)) .| quoteOrReference .| (block .== all(0x3C))
    }

    /// ASCII.
    @inline(__always) static func ascii(_ block: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> { block .<= all(0x7F) }

    /// Passes characters from `start` on, where one begins. Returns the index of the first byte that is set in the mask
    /// of its block, or that begins a wrong or an incomplete character.
    @inline(__always) static func passCharacters(
        _ view: ByteView, _ start: Int, _ end: Int, upTo marks: (SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>>
    ) -> Int {
        var index = start
        while true {
            index = passFrequentCharacters(view, index, marks)
            // A rare character often has another one after it.
            repeat {
                guard view[index] >= 0x80, case .valid(_, let length) = character(view, index, end) else {
                    return index
                }
                index &+= length
            } while view[index] == 0xE0 || view[index] >= 0xED
        }
    }

    /// Passes ASCII, and characters of two and three bytes whose first byte allows any continuation, a block at a time.
    /// The mask includes the NUL at the end.
    @inline(__always) private static func passFrequentCharacters(
        _ view: ByteView, _ start: Int, _ marks: (SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>>
    ) -> Int {
        @inline(__always) func lanes(_ mask: SIMDMask<SIMD16<Int8>>) -> UInt64 {
            nibbles(unsafeBitCast(mask, to: SIMD16<UInt8>.self))
        }
        var index = start
        while true {
            let block = view.block(at: index)
            let beginsThree: SIMDMask<SIMD16<Int8>> = (block &- all(0xE1)) .<= all(0xEC - 0xE1)
            let begins: SIMDMask<SIMD16<Int8>> = ((block &- all(0xC2)) .<= all(0xDF - 0xC2)) .| beginsThree
            let isRare: SIMDMask<SIMD16<Int8>> = (block .>= all(0xC0)) .& .!begins
            let (first, firstOfThree) = (lanes(begins), lanes(beginsThree))
            // The lanes that have to continue a character, and those that do.
            let inside = first &<< 4 | firstOfThree &<< 8
            let continues = lanes((block & all(0xC0)) .== all(0x80))
            let stops = (inside ^ continues) | lanes(marks(block) .| isRare)
            if stops == 0 {
                // A character may continue in the next block.
                index &+= first &>> 60 != 0 ? 15 : firstOfThree &>> 56 != 0 ? 14 : 16
                continue
            }
            let lane = stops.trailingZeroBitCount
            // Before an incomplete character.
            let isInside = inside &>> UInt64(lane) & 1 != 0
            let isSecond = isInside && first &>> UInt64(lane &- 4) & 1 != 0
            return index &+ lane &>> 2 &- (isSecond ? 1 : isInside ? 2 : 0)
        }
    }

    /// Letters, digits, '-', '.' and '_'.
    @inline(__always) private static func isASCIINamePart(_ block: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> {
        let isLetter = (block | all(0x20)) &- all(0x61) .<= all(25)
        let isDigitOrMark = (block &- all(0x2D) .<= all(0x39 - 0x2D)) .& (block .!= all(0x2F))
        return isLetter .| isDigitOrMark .| (block .== all(0x5F))
    }

    /// The first place from `start` to `end` that is not part of an `NCName`; `nil` if all of it is one.
    ///
    /// - Parameter allowsColons: Looks for a `Name` of XML 1.0, which has colons at any place.
    static func badNamePlace(_ view: ByteView, _ start: Int, _ end: Int, allowsColons: Bool = false) -> Int? {
        var index = start
        while index < end {
            guard case .valid(let scalar, let length) = character(view, index, end),
                XMLCharacters.isNameStart(scalar) || index > start && XMLCharacters.isNameContinuation(scalar)
                    || allowsColons && scalar == ":"
            else { return index }
            index = self.index(view, index + length) { .!isASCIINamePart($0) }
        }
        return start == end ? start : nil
    }

    /// The first place where the bytes are not a qualified name: an `NCName`, or two with a colon between them.
    static func badQualifiedNamePlace(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        let mark = UInt8(ascii: ":")
        let colon = find(view, start, end, mark, mark, mark, mark)
        if colon == end { return badNamePlace(view, start, end) }
        return badNamePlace(view, start, colon) ?? badNamePlace(view, colon + 1, end)
    }

    // MARK: References

    enum Reference: Equatable {
        case scalar(Unicode.Scalar, end: Int)
        /// The bytes before the end have no ';'.
        case incomplete
        case wrong(XMLParseError.Kind)
    }

    /// The significant digits of the longest reference to a character: a million.
    private static let longestReference = 7

    /// The reference at `start`, which is '&'. Its name has at most `maximum` bytes. A reference that was incomplete
    /// has no ';' before `known`.
    @inline(never) static func reference(
        _ view: ByteView, _ start: Int, _ end: Int, maximum: Int, known: Int = 0
    ) -> Reference {
        if view[start + 1] == UInt8(ascii: "#") { return number(view, start, end) }
        var index = max(start + 1, known)
        while true {
            index = self.index(view, index) { .!isASCIINamePart($0) }
            if index - start > max(maximum, longestReference).saturatingAdd(1) {
                return .wrong(.limit(.nameLength, maximum: maximum))
            }
            if view[index] == UInt8(ascii: ";") { break }
            if index == end { return .incomplete }
            if view[index] < 0x80, view[index] != UInt8(ascii: ":") { return .wrong(.incompleteReference) }
            index += 1
        }
        let name = view.bytes(start + 1, index)
        if name.elementsEqual("lt".utf8) { return .scalar("<", end: index + 1) }
        if name.elementsEqual("gt".utf8) { return .scalar(">", end: index + 1) }
        if name.elementsEqual("amp".utf8) { return .scalar("&", end: index + 1) }
        if name.elementsEqual("quot".utf8) { return .scalar("\"", end: index + 1) }
        if name.elementsEqual("apos".utf8) { return .scalar("'", end: index + 1) }
        guard badNamePlace(view, start + 1, index) == nil else { return .wrong(.incompleteReference) }
        return .wrong(.entityReference(String(decoding: name, as: UTF8.self)))
    }

    private static func number(_ view: ByteView, _ start: Int, _ end: Int) -> Reference {
        var index = start + 2
        let isHexadecimal = view[index] == UInt8(ascii: "x")
        if isHexadecimal { index += 1 }
        let first = index
        while view[index] == UInt8(ascii: "0") { index += 1 }
        let significant = index
        var value: UInt32 = 0
        while true {
            let digit: UInt32
            switch view[index] {
            case let byte where 0x30...0x39 ~= byte: digit = UInt32(byte) - 0x30
            case let byte where isHexadecimal && 0x61...0x66 ~= byte | 0x20: digit = UInt32(byte | 0x20) - 0x61 + 10
            case UInt8(ascii: ";") where index > first:
                guard let scalar = Unicode.Scalar(value), XMLCharacters.isAllowed(scalar) else {
                    return .wrong(.forbiddenReference)
                }
                return .scalar(scalar, end: index + 1)
            case 0 where index == end: return .incomplete
            default: return .wrong(.incompleteNumber)
            }
            if index - significant >= longestReference { return .wrong(.forbiddenReference) }
            value = min(value * (isHexadecimal ? 16 : 10) + digit, 0x110000)
            index += 1
        }
    }
}
