// Eight bytes in one word, to find the next byte of a few kinds without a check of each.

/// Eight bytes of a text.
struct ByteWord {
    fileprivate let word: UInt64

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    @inline(__always)
    var isASCII: Bool { word & Self.highBits == 0 }

    /// The high bits of the bytes that have a value. The first bit is right; later ones may be false.
    @inline(__always)
    func equal(to byte: UInt8) -> UInt64 {
        // Zero where they are equal.
        let difference = word ^ (Self.ones &* UInt64(byte))
        return (difference &- Self.ones) & ~difference & Self.highBits
    }

    /// The high bits of the bytes below a value of at most 128. The first bit is right; later ones may be false.
    @inline(__always)
    func below(_ byte: UInt8) -> UInt64 { (word &- (Self.ones &* UInt64(byte))) & ~word & Self.highBits }
}

extension UnsafeRawBufferPointer {
    /// The index of the next byte whose high bit is in `marks` of its word, or the count.
    @inline(__always)
    func next(from start: Int, _ marks: (ByteWord) -> UInt64) -> Int {
        var index = start
        while index + 8 <= count {
            let word = UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let found = marks(ByteWord(word: word))
            if found != 0 { return index + found.trailingZeroBitCount >> 3 }
            index += 8
        }
        while index < count, marks(ByteWord(word: UInt64(self[index]))) & 0x80 == 0 { index += 1 }
        return Swift.min(index, count)
    }
}
