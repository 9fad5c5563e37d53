// Collects written XML: escapes text and values, sixteen bytes at a time, and gives full pieces to an array.

/// Bytes after the end of an array.
struct XMLOutput: ~Copyable {
    private var bytes: [UInt8]
    /// The piece that is written next. Its owner outlives this value.
    private let piece: UnsafeMutableBufferPointer<UInt8>
    private var count = 0

    /// The least size of a piece: a block and the longest reference have room in it.
    static let leastPiece = 32

    /// - Parameter piece: Memory for the bytes that are not in the array yet, at least `leastPiece`.
    init(after bytes: consuming [UInt8], piece: UnsafeMutableBufferPointer<UInt8>) {
        precondition(piece.count >= Self.leastPiece, "a piece has room for a block")
        self.bytes = bytes
        self.piece = piece
    }

    /// Returns the array with everything that was appended.
    consuming func finish() -> [UInt8] {
        flush()
        return bytes
    }

    private mutating func flush() {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: piece[..<count]))
        count = 0
    }

    @inline(__always)
    private mutating func reserve(_ room: Int) { if piece.count &- count < room { flush() } }

    @inline(__always)
    private var end: UnsafeMutablePointer<UInt8> { piece.baseAddress.unsafelyUnwrapped + count }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        end.pointee = byte
        count &+= 1
    }

    @inline(__always)
    mutating func append(_ string: UnsafeBufferPointer<UInt8>) {
        guard let start = string.baseAddress, string.count > 0 else { return }
        reserve(string.count)
        if string.count > piece.count { return bytes.append(contentsOf: string) }
        end.update(from: start, count: string.count)
        count &+= string.count
    }

    @inline(__always)
    mutating func append(_ string: StaticString) { append(string.buffer) }

    mutating func append(_ string: [UInt8]) { string.withUnsafeBufferPointer { append($0) } }

    // MARK: Escaping

    /// Appends text, escaped so that a parser returns exactly the same.
    mutating func append(text: UnsafeBufferPointer<UInt8>) { append(escaping: text, inValue: false) }

    /// Appends a value, escaped in the same way. Parsers turn line ends and tabs in values into spaces, and carriage
    /// returns into line feeds, so these are written as references.
    mutating func append(value: UnsafeBufferPointer<UInt8>) { append(escaping: value, inValue: true) }

    @inline(__always)
    private mutating func append(escaping text: UnsafeBufferPointer<UInt8>, inValue: Bool) {
        guard var next = text.baseAddress else { return }
        let textEnd = next + text.count
        while textEnd - next >= 16 {
            reserve(16)
            let block = UnsafeRawPointer(next).loadUnaligned(as: SIMD16<UInt8>.self)
            UnsafeMutableRawPointer(end).storeBytes(of: block, as: SIMD16<UInt8>.self)
            let plain = inValue ? Scan.plainValueLength(block) : Scan.plainTextLength(block)
            count &+= plain
            next += plain
            if plain < 16 {
                append(referenceFor: next.pointee)
                next += 1
            }
        }
        let rest = textEnd - next
        guard let block = Self.block(next, rest), Self.isPlain(block, inValue: inValue) else {
            return append(bytes: UnsafeBufferPointer(start: next, count: rest), inValue: inValue)
        }
        reserve(rest)
        end.update(from: next, count: rest)
        count &+= rest
    }

    /// A block with all bytes of four to fifteen, some of them twice: no byte after them is read.
    @inline(__always)
    private static func block(_ start: UnsafePointer<UInt8>, _ count: Int) -> SIMD16<UInt8>? {
        let start = UnsafeRawPointer(start)
        if count >= 8 {
            return SIMD16(
                lowHalf: start.loadUnaligned(as: SIMD8<UInt8>.self),
                highHalf: (start + count - 8).loadUnaligned(as: SIMD8<UInt8>.self))
        }
        if count < 4 { return nil }
        let half = SIMD8(
            lowHalf: start.loadUnaligned(as: SIMD4<UInt8>.self),
            highHalf: (start + count - 4).loadUnaligned(as: SIMD4<UInt8>.self))
        return SIMD16(lowHalf: half, highHalf: half)
    }

    @inline(__always)
    private static func isPlain(_ block: SIMD16<UInt8>, inValue: Bool) -> Bool {
        (inValue ? Scan.plainValueLength(block) : Scan.plainTextLength(block)) == 16
    }

    /// Appends a few bytes, one by one.
    private mutating func append(bytes: UnsafeBufferPointer<UInt8>, inValue: Bool) {
        let special: UInt64 = inValue ? Self.specialInValues : Self.specialInText
        for byte in bytes {
            if byte < 64, special &>> UInt64(byte) & 1 != 0 {
                append(referenceFor: byte)
            } else {
                append(byte)
            }
        }
    }

    /// One bit for each character. All that need a reference are among the first 64.
    private static var specialInText: UInt64 { 1 << 0x26 | 1 << 0x3C | 1 << 0x3E | 1 << 0x0D }
    private static var specialInValues: UInt64 { specialInText | 1 << 0x22 | 1 << 0x27 | 1 << 0x0A | 1 << 0x09 }

    @inline(never)
    private mutating func append(referenceFor byte: UInt8) {
        switch byte {
        case UInt8(ascii: "&"): append("&amp;")
        case UInt8(ascii: "<"): append("&lt;")
        case UInt8(ascii: ">"): append("&gt;")
        case UInt8(ascii: "'"): append("&apos;")
        case UInt8(ascii: "\""): append("&quot;")
        case UInt8(ascii: "\n"): append("&#10;")
        case UInt8(ascii: "\t"): append("&#9;")
        default: append("&#13;")
        }
    }
}

extension Scan {
    /// The number of bytes before the first one that text cannot contain directly: '&', '<', '>', carriage return.
    @inline(__always)
    fileprivate static func plainTextLength(_ block: SIMD16<UInt8>) -> Int {
        inlineFirst(isAngle(block) .| (block .== all(UInt8(ascii: "&"))) .| (block .== all(UInt8(ascii: "\r"))))
    }

    /// The same for values: also quotes and white space other than spaces. Trees hold no other controls.
    @inline(__always)
    fileprivate static func plainValueLength(_ block: SIMD16<UInt8>) -> Int {
        // '"' and '&' differ in one bit.
        let quoteOrReference = (block & all(0xFB)) .== all(0x22)
        return inlineFirst(
            isAngle(block) .| quoteOrReference .| (block .== all(UInt8(ascii: "'"))) .| (block .<= all(0x0D)))
    }

    /// The index of the first set lane. In functions as large as these, the clamps of `first` would be calls (Swift
    /// 6.3).
    @inline(__always)
    private static func inlineFirst(_ mask: SIMDMask<SIMD16<Int8>>) -> Int {
        nibbles(unsafeBitCast(mask, to: SIMD16<UInt8>.self)).trailingZeroBitCount >> 2
    }

    /// '<' and '>' differ in one bit.
    @inline(__always)
    private static func isAngle(_ block: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> { (block & all(0xFD)) .== all(0x3C) }
}
