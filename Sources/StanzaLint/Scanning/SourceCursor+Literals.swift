// String literals in the syntax of each language.

/// A string literal.
enum ScannedLiteral {
    case literal(SourceLiteral)
    /// It has an interpolation that is not a single value, it does not end, or it is not a string.
    case other
}

extension SourceCursor {
    /// Reads a literal, if one begins here.
    mutating func literal() -> ScannedLiteral? {
        switch language {
        case .swift: return swiftLiteral()
        case .objectiveC:
            if current == UInt8(ascii: "'") {
                if isBetweenDigits { return nil }
                skipCharacter()
                return .other
            }
            if skipRawString() { return .other }
            if isAt("@\"") { position += 1 }
            return current == UInt8(ascii: "\"") ? quoted(until: UInt8(ascii: "\"")) : nil
        case .lua:
            if let level = longBracketLevel {
                var literal = SourceLiteral(at: position, isCollected: collectsValues)
                let content = skipLongBracket(level)
                for index in content { literal.append(CollectionOfOne(bytes[index]), from: index..<index + 1) }
                literal.end(at: position)
                return .literal(literal)
            }
            guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
            return quoted(until: quote)
        }
    }

    private mutating func skipCharacter() {
        position += 1
        while let byte = current, byte != UInt8(ascii: "'"), byte != UInt8(ascii: "\n") {
            position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        position += 1
    }

    /// Reads a literal of one line.
    private mutating func quoted(until quote: UInt8) -> ScannedLiteral {
        var literal = SourceLiteral(at: position, isCollected: collectsValues)
        position += 1
        while let byte = current, byte != UInt8(ascii: "\n") {
            if byte == quote {
                position += 1
                literal.end(at: position)
                return .literal(literal)
            }
            if byte == UInt8(ascii: "\\") {
                escape(into: &literal)
            } else {
                literal.append(CollectionOfOne(byte), from: position..<position + 1)
                position += 1
            }
        }
        return .other
    }

    // MARK: Escapes

    private static let simpleEscapes: [UInt8: UInt8] = [
        UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13,
        UInt8(ascii: "t"): 9, UInt8(ascii: "v"): 11, UInt8(ascii: "\\"): 92, UInt8(ascii: "\""): 34,
        UInt8(ascii: "'"): 39, UInt8(ascii: "?"): 63, UInt8(ascii: "e"): 27,
    ]

    /// Reads an escape of C or Lua.
    private mutating func escape(into literal: inout SourceLiteral) {
        let start = position
        position += 1
        guard let byte = current else { return }
        position += 1
        let isC = language == .objectiveC
        let value: UInt32?
        switch byte {
        case UInt8(ascii: "x"): value = number(radix: 16, digits: isC ? 8 : 2)
        case UInt8(ascii: "u"): value = isC ? number(radix: 16, digits: 4) : bracedNumber()
        case UInt8(ascii: "U") where isC: value = number(radix: 16, digits: 8)
        case UInt8(ascii: "0")...UInt8(ascii: isC ? "7" : "9"):
            position -= 1
            value = number(radix: isC ? 8 : 10, digits: 3)
        case UInt8(ascii: "\n") where isC: return
        case UInt8(ascii: "\r") where current == UInt8(ascii: "\n"):
            position += 1
            if !isC { literal.append("\n", from: start..<position) }
            return
        case UInt8(ascii: "z") where !isC:
            while let space = current, Self.isSpace(space) { position += 1 }
            return
        default: value = nil
        }
        let isByte = byte != UInt8(ascii: "u") && byte != UInt8(ascii: "U")
        literal.append(value, orElse: Self.simpleEscapes[byte] ?? byte, isByte: isByte, from: start..<position)
    }

    /// Reads up to `digits` digits.
    mutating func number(radix: UInt32, digits: Int) -> UInt32? {
        var value: UInt32?
        for _ in 0..<digits {
            guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix else {
                break
            }
            value = (value ?? 0) &* radix &+ UInt32(digit)
            position += 1
        }
        return value
    }

    /// Reads `{1F600}`.
    mutating func bracedNumber() -> UInt32? {
        guard current == UInt8(ascii: "{") else { return nil }
        position += 1
        let value = number(radix: 16, digits: 8)
        if current == UInt8(ascii: "}") { position += 1 }
        return value
    }
}

extension SourceLiteral {
    /// Appends the meaning of an escape: a number as a byte or a code point, or another byte without a number.
    mutating func append(_ value: UInt32?, orElse byte: UInt8, isByte: Bool, from origin: Range<Int>) {
        guard let value else { return append(CollectionOfOne(byte), from: origin) }
        if isByte {
            append(CollectionOfOne(UInt8(truncatingIfNeeded: value)), from: origin)
        } else {
            append(Unicode.Scalar(value) ?? "\u{FFFD}", from: origin)
        }
    }
}
