// The characters of XML 1.0 (fifth edition, §2.2 and §2.3), on UTF-8 and scalars.

/// Checks names and characters for a tree.
package enum XMLCharacters {
    /// Throws for text with a character outside XML's `Char`.
    package static func check(text: String) throws(XMLTreeError) {
        var text = text
        if let offset = text.withUTF8(firstForbidden) { throw XMLTreeError(.forbiddenCharacter, in: text, at: offset) }
    }

    /// Throws for a name that is not an `NCName`.
    static func check(name: String) throws(XMLTreeError) {
        try check(name[...], of: name)
    }

    /// Whether a text is an `NCName`.
    package static func isName(_ text: String) -> Bool {
        do throws(XMLTreeError) {
            try check(name: text)
            return true
        } catch {
            return false
        }
    }

    /// Whether XML allows all characters of a text.
    static func isText(_ text: String) -> Bool {
        var text = text
        return text.withUTF8(firstForbidden) == nil
    }

    /// Splits a qualified name; throws if it is not a `QName`.
    static func split(qualifiedName name: String) throws(XMLTreeError) -> (prefix: String, local: String) {
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            try check(name: name)
            return ("", name)
        }
        let local = name[name.utf8.index(after: colon)...]
        try check(name[..<colon], of: name)
        try check(local, of: name)
        return (String(name[..<colon]), String(local))
    }

    static func check(_ part: Substring, of name: String) throws(XMLTreeError) {
        var isFirst = true
        for index in part.unicodeScalars.indices {
            let scalar = part.unicodeScalars[index]
            guard isFirst ? isNameStart(scalar) : isNameStart(scalar) || isNameContinuation(scalar) else {
                throw XMLTreeError(.invalidName, in: name, at: offset(of: index, in: name))
            }
            isFirst = false
        }
        if isFirst { throw XMLTreeError(.invalidName, in: name, at: offset(of: part.startIndex, in: name)) }
    }

    private static func offset(of index: String.Index, in name: String) -> Int {
        name.utf8.distance(from: name.startIndex, to: index)
    }

    /// Returns the offset of the first character that XML forbids: the controls except tab and line ends, U+FFFE and
    /// U+FFFF. (A string has no surrogates.)
    private static func firstForbidden(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = 0
        while index < text.count {
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
