// Eight bytes in one word, to find the next byte of a few kinds without a check of each.

/// Eight bytes of a text.
struct ByteWord {
    private let word: UInt64

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The eight bytes at an index; all must exist.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, at index: Int) {
        word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    @inline(__always)
    var isASCII: Bool { word & Self.highBits == 0 }

    /// The matching bytes. The first match is right; later ones may be false.
    struct Marks {
        fileprivate let highBits: UInt64

        @inline(__always)
        var isEmpty: Bool { highBits == 0 }

        /// The number of bytes before the first match.
        @inline(__always)
        var first: Int? { highBits == 0 ? nil : highBits.trailingZeroBitCount >> 3 }

        @inline(__always)
        static func | (left: Marks, right: Marks) -> Marks { Marks(highBits: left.highBits | right.highBits) }
    }

    /// The bytes that have a value.
    @inline(__always)
    func equal(to byte: UInt8) -> Marks {
        // Zero where they are equal.
        let difference = word ^ (Self.ones &* UInt64(byte))
        return Marks(highBits: (difference &- Self.ones) & ~difference & Self.highBits)
    }

    /// The bytes below a value of at most 128.
    @inline(__always)
    func below(_ byte: UInt8) -> Marks {
        Marks(highBits: (word &- (Self.ones &* UInt64(byte))) & ~word & Self.highBits)
    }
}
