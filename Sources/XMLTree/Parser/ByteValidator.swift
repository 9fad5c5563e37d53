// Checks that bytes are UTF-8 and characters that XML allows, before libxml2 sees them.
//
// libxml2 takes a NUL for the end of its buffer and reads overlong sequences in CDATA sections; this file makes sure
// that it never meets either, and that every bad byte is reported at its place. It knows nothing of markup.

/// What the check of some bytes found.
struct ByteCheck {
    enum Outcome: Equatable {
        case valid
        /// The bytes end inside a sequence that may still become valid.
        case incomplete
        case invalidUTF8
        case forbidden(Unicode.Scalar)
    }

    /// How many bytes stand before what `outcome` tells of: whole characters.
    let validCount: Int
    let outcome: Outcome

    /// Checks `bytes`, which begin at the first byte of a character.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else {
            self.init(validCount: 0, outcome: .valid)
            return
        }
        let count = bytes.count
        var index = 0
        while index < count {
            index += Self.plainCount(start + index, count - index)
            if index == count { break }
            switch Self.character(UnsafeBufferPointer(start: start + index, count: count - index)) {
            case .length(let length):
                index += length
            case .failed(let outcome):
                self.init(validCount: index, outcome: outcome)
                return
            }
        }
        self.init(validCount: count, outcome: .valid)
    }

    private init(validCount: Int, outcome: Outcome) {
        self.validCount = validCount
        self.outcome = outcome
    }

    private static let blockLength = 64

    /// How many bytes at the beginning are plain.
    @inline(__always)
    private static func plainCount(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int {
        var index = 0
        while index + blockLength <= count, isPlain(block: start + index) { index += blockLength }
        // The rest is the end of a block that reaches back into what is checked already.
        if index < count, index >= blockLength, count - index < blockLength, isPlain(block: start + count - blockLength)
        {
            return count
        }
        // A block that has something else goes byte by byte.
        while index < count, isPlain(start[index]) { index += 1 }
        return index
    }

    /// Whether all bytes of a block are plain. Without branches, in bytes only, so that the compiler can look at
    /// sixteen at once.
    @inline(__always)
    private static func isPlain(block: UnsafePointer<UInt8>) -> Bool {
        // The highest bit is set when a byte is not plain.
        var others: UInt8 = 0
        for index in 0..<blockLength {
            let byte = block[index]
            let isNotPrintable = (byte &- 0x20) | byte
            // One bit tells a tab from a carriage return.
            let isNotSpace: UInt8 = (byte == 0x0A ? 0 : 0xFF) & (byte | 0x04 == 0x0D ? 0 : 0xFF)
            others |= isNotPrintable & isNotSpace
        }
        return others & 0x80 == 0
    }

    /// ASCII that XML allows. U+007F is allowed, though discouraged.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte < 0x80) || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private enum Character {
        case length(Int)
        case failed(Outcome)
    }

    /// The character at the beginning of `bytes`, which is not plain.
    @inline(never)
    private static func character(_ bytes: UnsafeBufferPointer<UInt8>) -> Character {
        let first = bytes[0]
        // The least and greatest second byte exclude overlong forms, surrogates, and what lies beyond U+10FFFF.
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0x00...0x7F: return .failed(.forbidden(Unicode.Scalar(first)))
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: return .failed(.invalidUTF8)
        }
        for index in 1..<length {
            if index == bytes.count { return .failed(.incomplete) }
            let allowed = index == 1 ? second : 0x80...0xBF
            if !allowed.contains(bytes[index]) { return .failed(.invalidUTF8) }
        }
        // U+FFFE and U+FFFF are well-formed, but XML forbids them.
        if first == 0xEF && bytes[1] == 0xBF && bytes[2] >= 0xBE {
            return .failed(.forbidden(bytes[2] == 0xBE ? "\u{FFFE}" : "\u{FFFF}"))
        }
        return .length(length)
    }
}
