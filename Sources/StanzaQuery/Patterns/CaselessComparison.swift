// Comparison that ignores case by simple folding, as PCRE2 does (3.7): one text is made a literal pattern.
//
// Simple folding maps characters one to one, so texts that are too long for a pattern are compared piece by piece.

import StanzaPatterns
import XMLTree

/// Equality but for case.
enum CaselessComparison {
    /// Characters of a piece. PCRE2 refuses literals from about 32,000 bytes on, and a character has up to four.
    private static let pieceLength = 4096

    /// Linear in the shorter text. Most texts in ASCII do not use PCRE2.
    @inline(never)
    static func areEqual(_ value: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        if let isEqual = areEqualInASCII(value, text) { return isEqual }
        var restOfValue = value[...]
        var restOfText = text[...]
        while !restOfText.isEmpty {
            let piece = takePiece(from: &restOfText)
            if !isMatch(takePiece(from: &restOfValue), ofLiteral: piece) { return false }
        }
        return restOfValue.isEmpty
    }

    /// Compares byte by byte; `nil` at the first byte of either that is not ASCII. (Outside of ASCII there are letters
    /// that fold into it, like the Kelvin sign, so that much is left to PCRE2.)
    private static func areEqualInASCII(
        _ value: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>
    ) -> Bool? {
        for (left, right) in zip(value, text) {
            if left >= 0x80 || right >= 0x80 { return nil }
            if left.lowercaseASCII != right.lowercaseASCII { return false }
        }
        return value.count == text.count
    }

    private static func isMatch(
        _ value: UnsafeBufferPointer<UInt8>, ofLiteral literal: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        // No literal of that length is refused; if memory fails, the comparison is exact.
        guard let regex = try? Regex(literal, syntax: .wholeLiteral, isCaseless: true, isCompiledFurther: false) else {
            return value.equals(literal)
        }
        return regex.match(value) == .match
    }

    /// Removes up to `pieceLength` characters from the front of valid UTF-8.
    private static func takePiece(from rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> UnsafeBufferPointer<UInt8> {
        var end = rest.startIndex
        for _ in 0..<pieceLength where end < rest.endIndex { end = rest.base.endOfCharacter(at: end) }
        defer { rest = rest[end...] }
        return UnsafeBufferPointer(rebasing: rest[..<end])
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The end of the character that begins here, in valid UTF-8.
    fileprivate func endOfCharacter(at start: Int) -> Int {
        var end = start + 1
        while end < endIndex, self[end] & 0b1100_0000 == 0b1000_0000 { end += 1 }
        return end
    }
}

extension UInt8 {
    fileprivate var lowercaseASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
