// Base64 as bytes. Foundation's decoder accepts other padding, and cannot validate a text without decoding it.

/// Reads base64 with white space in it, and, unless the reading is strict, with any other characters, which it ignores.
package enum Base64Text {
    /// Whether the text can be decoded. Allocates nothing.
    package static func isValid(_ text: UnsafeBufferPointer<UInt8>, isStrict: Bool) -> Bool {
        scan(text, isStrict: isStrict) { _ in }
    }

    /// The decoded bytes of the text; `nil` if its padding is wrong.
    package static func decode(_ text: UnsafeBufferPointer<UInt8>, isStrict: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        return scan(text, isStrict: isStrict) { bytes.append($0) } ? bytes : nil
    }

    private static func scan(
        _ text: UnsafeBufferPointer<UInt8>, isStrict: Bool, _ output: (UInt8) -> Void
    ) -> Bool {
        var bits: UInt32 = 0
        var sextets = 0
        var padding = 0
        for byte in text {
            if byte == UInt8(ascii: "=") {
                padding += 1
            } else if let sextet = sextet(byte) {
                // Padding ends the text.
                if padding > 0 { return false }
                bits = bits << 6 | sextet
                sextets += 1
                if sextets == 4 {
                    output(UInt8(truncatingIfNeeded: bits >> 16))
                    output(UInt8(truncatingIfNeeded: bits >> 8))
                    output(UInt8(truncatingIfNeeded: bits))
                    sextets = 0
                }
            } else if isStrict, !byte.isWhiteSpace {
                return false
            }
        }
        switch (sextets, padding) {
        case (0, 0): return true
        case (2, 2):
            output(UInt8(truncatingIfNeeded: bits >> 4))
            return true
        case (3, 1):
            output(UInt8(truncatingIfNeeded: bits >> 10))
            output(UInt8(truncatingIfNeeded: bits >> 2))
            return true
        default: return false
        }
    }

    private static func sextet(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
