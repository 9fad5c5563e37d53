// Comparison that ignores case by simple folding (3.7), which maps characters one to one.

import XMLTree

/// Equality but for case.
enum CaselessComparison {
    /// Linear in the shorter text.
    @inline(never)
    static func areEqual(_ value: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        if let isEqual = areEqualInASCII(value, text) { return isEqual }
        var (rest, otherRest) = (value.makeIterator(), text.makeIterator())
        var (decoder, otherDecoder) = (UTF8(), UTF8())
        while true {
            switch (decoder.decode(&rest), otherDecoder.decode(&otherRest)) {
            case (.scalarValue(let one), .scalarValue(let other)):
                if one != other, one.folded != other.folded { return false }
            case (.emptyInput, .emptyInput): return true
            default: return false
            }
        }
    }

    /// Compares byte by byte; `nil` at the first byte of either that is not ASCII. (Outside of ASCII there are letters
    /// that fold into it, like the Kelvin sign.)
    private static func areEqualInASCII(
        _ value: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>
    ) -> Bool? {
        for (left, right) in zip(value, text) {
            if left >= 0x80 || right >= 0x80 { return nil }
            if left.lowercaseASCII != right.lowercaseASCII { return false }
        }
        return value.count == text.count
    }
}

extension Unicode.Scalar {
    /// Simple case folding: the small form of the capital form, where both are one character, with four exceptions.
    fileprivate var folded: Unicode.Scalar {
        switch self {
        case "\u{131}": return self
        case "\u{1FD3}": return "\u{390}"
        case "\u{1FE3}": return "\u{3B0}"
        case "\u{FB05}": return "\u{FB06}"
        default: break
        }
        let capital = properties.uppercaseMapping.onlyScalar ?? self
        return capital.properties.lowercaseMapping.onlyScalar ?? capital
    }
}

extension String {
    fileprivate var onlyScalar: Unicode.Scalar? { unicodeScalars.count == 1 ? unicodeScalars.first : nil }
}

extension UInt8 {
    fileprivate var lowercaseASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
