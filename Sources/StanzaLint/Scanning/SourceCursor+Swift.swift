// Swift's string literals: of one line and of several, raw, and with interpolations.

extension SourceCursor {
    /// Reads a literal, if one begins here.
    mutating func swiftLiteral() -> ScannedLiteral? {
        // A run of hashes is looked at once, from its beginning.
        if position > 0, bytes[position - 1] == UInt8(ascii: "#"), current == UInt8(ascii: "#") { return nil }
        var hashes = 0
        while byte(at: hashes) == UInt8(ascii: "#") { hashes += 1 }
        guard byte(at: hashes) == UInt8(ascii: "\"") else { return skipSwiftRegex() ? .other : nil }
        var literal = SourceLiteral(at: position, isCollected: collectsValues)
        position += hashes
        let isMultiline = opensLines
        position += isMultiline ? 3 : 1
        if isMultiline {
            skipLineBreak()
            literal.beginLine()
        }
        var isQuery = true
        while let byte = current {
            if isAtClosing(isMultiline, hashes) {
                let indentation = indentationBefore(position)
                position += (isMultiline ? 3 : 1) + hashes
                literal.end(at: position)
                if isMultiline { literal.removeLastLineBreak(withIndentation: indentation) }
                return isQuery ? .literal(literal) : .other
            }
            if byte == UInt8(ascii: "\n"), !isMultiline { return .other }
            if byte == UInt8(ascii: "\\"), hasHashes(hashes, at: 1) {
                if !swiftEscape(hashes, &literal) { isQuery = false }
            } else {
                literal.append(CollectionOfOne(byte), from: position..<position + 1)
                position += 1
                if byte == UInt8(ascii: "\n") { literal.beginLine() }
            }
        }
        return .other
    }

    private func hasHashes(_ count: Int, at offset: Int) -> Bool {
        (0..<count).allSatisfy { byte(at: offset + $0) == UInt8(ascii: "#") }
    }

    private func isAtClosing(_ isMultiline: Bool, _ hashes: Int) -> Bool {
        isMultiline ? isAt("\"\"\"") && hasHashes(hashes, at: 3) : isAt("\"") && hasHashes(hashes, at: 1)
    }

    /// Whether a literal of several lines begins with the quotes here. A line break follows them then: `#"""#` is a
    /// quote.
    private var opensLines: Bool {
        guard isAt("\"\"\"") else { return false }
        var cursor = self
        cursor.position += 3
        return cursor.skipLineBreak()
    }

    /// Passes the end of a line, with the white space before it; false where something else stands.
    @discardableResult
    private mutating func skipLineBreak() -> Bool {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: "\r") { position += 1 }
        guard current == UInt8(ascii: "\n") else { return false }
        position += 1
        return true
    }

    private func indentationBefore(_ place: Int) -> Int {
        var count = 0
        while place - count > 0, bytes[place - count - 1] == 0x20 || bytes[place - count - 1] == 0x09 { count += 1 }
        return count
    }

    /// Reads an escape. `false` for an interpolation that makes a `String` of the literal; it is passed.
    private mutating func swiftEscape(_ hashes: Int, _ literal: inout SourceLiteral) -> Bool {
        let start = position
        position += 1 + hashes
        guard let byte = current else { return true }
        position += 1
        switch byte {
        case UInt8(ascii: "("):
            let interpolation = self.interpolation()
            if interpolation == .other { return false }
            literal.appendSlot(from: start..<position, hasDefault: interpolation == .valueOrDefault)
        case UInt8(ascii: "u"):
            let value = bracedNumber() ?? 0xFFFD
            literal.append(Unicode.Scalar(value) ?? "\u{FFFD}", from: start..<position)
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: " "), UInt8(ascii: "\t"):
            // The line goes on in the next one.
            position -= 1
            skipLineBreak()
            literal.beginLine()
        case UInt8(ascii: "n"): literal.append("\n", from: start..<position)
        case UInt8(ascii: "r"): literal.append("\r", from: start..<position)
        case UInt8(ascii: "t"): literal.append("\t", from: start..<position)
        case UInt8(ascii: "0"): literal.append("\0", from: start..<position)
        default: literal.append(CollectionOfOne(byte), from: start..<position)
        }
        return true
    }

    // MARK: Interpolations

    /// What stands between the parentheses.
    private enum Interpolation {
        /// One value.
        case value
        /// A value, and what stands for it where there is none: `value, default: "none"`.
        case valueOrDefault
        /// Several values, or one with a label, as `String` takes them.
        case other
    }

    /// Nobody puts more into each other.
    private static let maximumInterpolations = 30

    /// Passes everything up to the parenthesis that closes.
    private mutating func interpolation() -> Interpolation {
        var found: Interpolation = startsLabel() == nil ? .value : .other
        var depth = 1
        // Commas in them are not the interpolation's.
        var brackets = 0
        interpolations += 1
        defer { interpolations -= 1 }
        while let byte = current, depth > 0 {
            if skipComment() { continue }
            // Literals inside of interpolations may have interpolations, and the stack is not endless.
            if interpolations <= Self.maximumInterpolations, literal() != nil { continue }
            position += 1
            switch byte {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: "["), UInt8(ascii: "{"): brackets += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): brackets -= 1
            case UInt8(ascii: ",") where depth == 1 && brackets == 0:
                found = found == .value && startsLabel() == "default" ? .valueOrDefault : .other
            default: break
            }
        }
        return found
    }

    /// The label of the argument that begins here, if it has one: a name and a colon.
    func startsLabel() -> String? {
        var cursor = self
        cursor.skipSpace()
        guard let name = cursor.name() else { return nil }
        cursor.skipSpace()
        // Two colons stand behind the name of a module.
        return cursor.current == UInt8(ascii: ":") && cursor.byte(at: 1) != UInt8(ascii: ":") ? name : nil
    }
}

extension SourceLiteral {
    /// What of a literal of several lines is not in its value: the line break before the closing quotes, and as much
    /// white space before each line as stands before them.
    fileprivate mutating func removeLastLineBreak(withIndentation count: Int) {
        removeIndentation(count)
        removeSuffix { $0 == 0x20 || $0 == 0x09 }
        removeSuffix(maximum: 1) { $0 == 0x0A }
        removeSuffix(maximum: 1) { $0 == 0x0D }
    }
}
