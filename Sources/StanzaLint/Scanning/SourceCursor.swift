// A place in a source text, and the steps common to all languages. SourceCursor+Literals.swift reads literals.

/// Moves through a source text.
struct SourceCursor {
    let bytes: [UInt8]
    let language: SourceLanguage
    var position = 0
    /// The end of the text to scan.
    var end: Int
    /// Whether the values of literals are wanted.
    var collectsValues = false
    /// The number of interpolations around the position.
    var interpolations = 0

    init(_ text: SourceText, _ language: SourceLanguage) {
        bytes = text.bytes
        end = bytes.count
        self.language = language
    }

    var isAtEnd: Bool { position >= end }
    var current: UInt8? { position < end ? bytes[position] : nil }

    func byte(at offset: Int) -> UInt8? { position + offset < end ? bytes[position + offset] : nil }

    func isAt(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            position + text.count <= end && bytes[position..<position + text.count].elementsEqual(text)
        }
    }

    /// Passes a text, if it begins here.
    mutating func skip(_ text: StaticString) -> Bool {
        guard isAt(text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    /// Passes white space and comments.
    mutating func skipSpace() {
        while let byte = current {
            if Self.isSpace(byte) {
                position += 1
            } else if language == .objectiveC, skip("\\\n") || skip("\\\r\n") {
                // A preprocessor line continues.
            } else if !skipComment() {
                return
            }
        }
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Passes a comment, if one begins here.
    mutating func skipComment() -> Bool {
        switch language {
        case .swift, .objectiveC:
            if isAt("//") {
                skipLine()
            } else if skip("/*") {
                skipBlockComment()
            } else {
                return false
            }
        case .lua:
            guard skip("--") else { return false }
            if let level = longBracketLevel { skipLongBracket(level) } else { skipLine() }
        }
        return true
    }

    private mutating func skipLine() {
        while let byte = current, byte != UInt8(ascii: "\n") {
            // In C the comment may continue in the next line.
            if language == .objectiveC, skip("\\\n") || skip("\\\r\n") { continue }
            position += 1
        }
    }

    private mutating func skipBlockComment() {
        var depth = 1
        while !isAtEnd, depth > 0 {
            if skip("*/") {
                depth -= 1
            } else if language == .swift, skip("/*") {
                depth += 1
            } else {
                position += 1
            }
        }
    }

    /// Reads a name.
    mutating func name() -> String? {
        guard let first = current, Self.beginsName(first) else { return nil }
        let start = position
        while let byte = current, Self.continuesName(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Whether a name ends here.
    var isBehindName: Bool { position > 0 && Self.continuesName(bytes[position - 1]) }

    static func beginsName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte >= 0x80
    }

    static func continuesName(_ byte: UInt8) -> Bool { beginsName(byte) || (0x30...0x39).contains(byte) }

    // MARK: Lua's long brackets

    /// The number of equals signs in the long bracket that opens here; `nil` if none opens.
    var longBracketLevel: Int? {
        guard current == UInt8(ascii: "[") else { return nil }
        var level = 0
        while byte(at: level + 1) == UInt8(ascii: "=") { level += 1 }
        return byte(at: level + 1) == UInt8(ascii: "[") ? level : nil
    }

    /// Passes a long bracket; returns its content.
    @discardableResult
    mutating func skipLongBracket(_ level: Int) -> Range<Int> {
        position += level + 2
        // A line break at the beginning does not count.
        if current == UInt8(ascii: "\r") { position += 1 }
        if current == UInt8(ascii: "\n") { position += 1 }
        let start = position
        while !isAtEnd {
            if current == UInt8(ascii: "]"), byte(at: level + 1) == UInt8(ascii: "]"),
                (0..<level).allSatisfy({ byte(at: $0 + 1) == UInt8(ascii: "=") })
            {
                let end = position
                position += level + 2
                return start..<end
            }
            position += 1
        }
        return start..<position
    }
}
