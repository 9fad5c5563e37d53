// Literals that are not strings, but may hold quotes: Swift's regular expressions, C++'s raw strings, and numbers with
// quotes between their digits.

extension SourceCursor {
    /// Passes a regular expression, if one begins here: `/…/` at the place of an operand, or `#/…/#`.
    mutating func skipSwiftRegex() -> Bool {
        var hashes = 0
        while byte(at: hashes) == UInt8(ascii: "#") { hashes += 1 }
        guard byte(at: hashes) == UInt8(ascii: "/") else { return false }
        return hashes > 0 ? skipExtendedRegex(hashes) : skipBareRegex()
    }

    /// It may have several lines if its first line is empty; otherwise it ends in the line.
    private mutating func skipExtendedRegex(_ hashes: Int) -> Bool {
        var cursor = self
        cursor.position += hashes + 1
        var content = cursor
        while content.current == 0x20 || content.current == 0x09 || content.current == 0x0D { content.position += 1 }
        let hasLines = content.current == UInt8(ascii: "\n")
        while let byte = cursor.current, hasLines || byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "\\") {
                cursor.position += 2
                continue
            }
            cursor.position += 1
            if byte == UInt8(ascii: "/"), (0..<hashes).allSatisfy({ cursor.byte(at: $0) == UInt8(ascii: "#") }) {
                position = cursor.position + hashes
                return true
            }
        }
        // Nothing else begins like that: an unterminated one is skipped.
        position = min(end, cursor.position)
        return true
    }

    /// The next slash decides, as in the compiler: no white space follows the first slash or precedes the last.
    private mutating func skipBareRegex() -> Bool {
        guard let first = byte(at: 1), !Self.isSpace(first), first != UInt8(ascii: "/"), isAtOperand else {
            return false
        }
        var cursor = self
        cursor.position += 1
        while let byte = cursor.current, byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "/") {
                if Self.isSpace(bytes[cursor.position - 1]) { return false }
                position = cursor.position + 1
                return true
            }
            cursor.position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return false
    }

    /// Whether an operand begins here, according to the sign or keyword before it.
    private var isAtOperand: Bool {
        var before = position
        while before > 0, Self.isSpace(bytes[before - 1]) { before -= 1 }
        guard before > 0 else { return true }
        if "(,=:[{;&|".utf8.contains(bytes[before - 1]) { return true }
        let word = bytes[max(0, before - 7)..<before].reversed().prefix { Self.beginsName($0) }.reversed()
        return ["return", "in", "case", "try", "await", "where", "if"].contains(String(decoding: word, as: UTF8.self))
    }

    /// Passes `R"mark(…)mark"`, if it begins here.
    mutating func skipRawString() -> Bool {
        guard let first = current, "RLuU".utf8.contains(first), !isBehindName else { return false }
        var cursor = self
        guard let prefix = ["", "L", "u", "U", "u8"].first(where: { cursor.isAt($0 + "R\"") }) else { return false }
        cursor.position += prefix.utf8.count + 2
        let start = cursor.position
        while let byte = cursor.current, byte != UInt8(ascii: "(") {
            // Longer marks do not exist.
            if cursor.position - start == 16 || Self.isSpace(byte) || "\\)\"".utf8.contains(byte) { return false }
            cursor.position += 1
        }
        let closing = [UInt8(ascii: ")")] + bytes[start..<min(cursor.position, end)] + [UInt8(ascii: "\"")]
        while !cursor.isAtEnd, !cursor.isAt(closing) { cursor.position += 1 }
        position = min(end, cursor.position + closing.count)
        return true
    }

    private func isAt(_ text: String) -> Bool { isAt(Array(text.utf8)) }

    private func isAt(_ text: [UInt8]) -> Bool {
        position + text.count <= end && bytes[position..<position + text.count].elementsEqual(text)
    }

    /// Whether the quote here is between the digits of a number: `1'000`, `0xFF'FF'FF`.
    var isBetweenDigits: Bool {
        var start = position
        while start > 0, Self.continuesName(bytes[start - 1]) { start -= 1 }
        guard start < position else { return false }
        // Names, and the prefixes of characters such as `u8'x'`, begin with letters; nothing directly follows a
        // character.
        return (0x30...0x39).contains(bytes[start]) || start > 0 && bytes[start - 1] == UInt8(ascii: "'")
    }
}
