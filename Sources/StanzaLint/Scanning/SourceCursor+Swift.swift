// Swift's string literals: of one line or several, raw, and with interpolations.

extension SourceCursor {
    /// Reads a literal, if one begins here.
    mutating func swiftLiteral() -> ScannedLiteral? {
        // A run of hashes is read once, from its beginning.
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

    /// Whether a literal of several lines begins with the quotes here. A line break then follows them: `#"""#` is a
    /// quote.
    private var opensLines: Bool {
        guard isAt("\"\"\"") else { return false }
        var cursor = self
        cursor.position += 3
        return cursor.skipLineBreak()
    }

    /// Passes the end of a line, with the white space before it; returns false at anything else.
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

    /// Reads an escape. Returns `false` for an interpolation that makes the literal a `String`, and passes it.
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
            // The line continues in the next one.
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

    /// The content of an interpolation's parentheses.
    private enum Interpolation {
        /// One value.
        case value
        /// A value and its default: `value, default: "none"`.
        case valueOrDefault
        /// Several values, or one with a label, as `String` takes them.
        case other
    }

    /// A greater depth does not occur in practice.
    private static let maximumInterpolations = 30

    /// Passes everything up to the closing parenthesis.
    private mutating func interpolation() -> Interpolation {
        var found: Interpolation = startsLabel() == nil ? .value : .other
        var depth = 1
        // Commas inside them do not separate the interpolation's arguments.
        var brackets = 0
        interpolations += 1
        defer { interpolations -= 1 }
        while let byte = current, depth > 0 {
            if skipComment() { continue }
            // Literals in interpolations may have interpolations, and the stack is finite.
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
        // Two colons follow the name of a module.
        return cursor.current == UInt8(ascii: ":") && cursor.byte(at: 1) != UInt8(ascii: ":") ? name : nil
    }
}

extension SourceLiteral {
    /// Removes the parts of a multi-line literal that are not in its value: the line break before the closing quotes,
    /// and from each line as much white space as precedes them.
    fileprivate mutating func removeLastLineBreak(withIndentation count: Int) {
        removeIndentation(count)
        removeSuffix { $0 == 0x20 || $0 == 0x09 }
        removeSuffix(maximum: 1) { $0 == 0x0A }
        removeSuffix(maximum: 1) { $0 == 0x0D }
    }
}
