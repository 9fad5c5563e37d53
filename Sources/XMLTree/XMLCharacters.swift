// The characters of XML 1.0 (fifth edition, §2.2 and §2.3), on UTF-8 and scalars.

/// Checks names and characters for a tree.
package enum XMLCharacters {
    /// Throws for a name that is not an `NCName`.
    static func check(name: String) throws(XMLTreeError) {
        if let offset = name.withBytes(firstBad) { throw XMLTreeError(.invalidName, in: name, at: offset) }
    }

    /// Whether a text is an `NCName`.
    package static func isName(_ text: String) -> Bool { text.withBytes(isName) }

    static func isName(_ text: UnsafeBufferPointer<UInt8>) -> Bool { firstBad(text) == nil }

    /// Whether XML allows all characters of a text.
    static func isText(_ text: String) -> Bool { text.withBytes(firstForbidden) == nil }

    /// The text with U+FFFD in place of each character that XML forbids.
    @inline(never)
    fileprivate static func replacingForbidden(in text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(isAllowed(scalar) ? scalar : "\u{FFFD}") }
        return String(scalars)
    }

    /// Splits a qualified name; throws if it is not a `QName`.
    static func split(qualifiedName name: String) throws(XMLTreeError) -> (prefix: String, local: String) {
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            try check(name: name)
            return ("", name)
        }
        let start = name.utf8.index(after: colon)
        return (try part(name.startIndex..<colon, of: name), try part(start..<name.endIndex, of: name))
    }

    /// Returns a part of a longer name; throws if it is not an `NCName`.
    static func part(_ range: Range<String.Index>, of name: String) throws(XMLTreeError) -> String {
        let part = String(name[range])
        guard let offset = part.withBytes(firstBad) else { return part }
        let start = name.utf8.distance(from: name.startIndex, to: range.lowerBound)
        throw XMLTreeError(.invalidName, in: name, at: start + offset)
    }

    /// Returns the offset of the first character with which the text is not an `NCName`; `nil` if it is one.
    private static func firstBad(_ name: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let first = name.first else { return 0 }
        if !isContinuationByte(first), name.allSatisfy(isNameByte) { return nil }
        var index = 0
        for scalar in String(name).unicodeScalars {
            if !isNameStart(scalar), index == 0 || !isNameContinuation(scalar) { return index }
            index += UTF8.width(scalar)
        }
        return nil
    }

    /// Letters, '_', digits, '-' and '.'.
    @inline(__always)
    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte | 0x20 &- 0x61 <= 25 || byte == UInt8(ascii: "_") || isContinuationByte(byte)
    }

    /// Digits, '-' and '.'.
    @inline(__always)
    private static func isContinuationByte(_ byte: UInt8) -> Bool {
        byte &- 0x2D <= 0x39 - 0x2D && byte != UInt8(ascii: "/")
    }

    /// Returns the offset of the first character that XML forbids: the controls except tab and line ends, U+FFFE and
    /// U+FFFF. (A string has no surrogates.)
    static func firstForbidden(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = 0
        while index < text.count {
            // Printable ASCII, eight bytes at a time.
            while index + 8 <= text.count, isPlain(UnsafeRawPointer(text.baseAddress.unsafelyUnwrapped + index)) {
                index += 8
            }
            if index == text.count { return nil }
            let byte = text[index]
            if byte < 0x20 {
                if byte != 0x09, byte != 0x0A, byte != 0x0D { return index }
            } else if byte == 0xEF, index + 2 < text.count, text[index + 1] == 0xBF, text[index + 2] >= 0xBE {
                return index
            }
            index += 1
        }
        return nil
    }

    /// Whether the eight bytes from an address are ASCII without controls.
    @inline(__always)
    private static func isPlain(_ text: UnsafeRawPointer) -> Bool {
        let block = text.loadUnaligned(as: SIMD8<UInt8>.self)
        let isPlain = SIMD8<Int8>(truncatingIfNeeded: block) .>= SIMD8<Int8>(repeating: 0x20)
        return unsafeBitCast(isPlain, to: UInt64.self) == .max
    }

    /// Whether XML allows a scalar (§2.2).
    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20: scalar == "\t" || scalar == "\n" || scalar == "\r"
        default: scalar.value != 0xFFFE && scalar.value != 0xFFFF
        }
    }

    /// `NameStartChar` without the colon.
    static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x41...0x5A, 0x5F, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF,
            0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD,
            0x10000...0xEFFFF:
            true
        default: false
        }
    }

    /// The characters that `NameChar` adds.
    static func isNameContinuation(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2D, 0x2E, 0x30...0x39, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
        default: false
        }
    }
}

extension String {
    /// Passes the UTF-8 bytes of the text as XML can hold it (`MutableElement.text`).
    @inline(__always)
    func withXMLBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        // One call of the body, which is inlined.
        (XMLCharacters.isText(self) ? self : XMLCharacters.replacingForbidden(in: self)).withBytes(body)
    }
}
