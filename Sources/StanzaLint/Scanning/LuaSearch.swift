// Lua's strings have a `find`, too. The text that it searches for is not a query, and is not checked.

/// The texts that Lua code searches strings for.
enum LuaSearch {
    /// Whether `x:find(text)` means a string's own `find`, with a pattern or a plain text.
    ///
    /// A pattern contains Lua's magic: a leading `^`, a `%`, a trailing `$`. A plain text has no letter, or it has no
    /// namespace and contains something that queries do not: white space, punctuation, the beginning of a URL or of a
    /// namespace, a slash at the end, a hash in the middle, a bar that converts nothing.
    static func isMeant(by text: String) -> Bool {
        let bytes = Array(text.utf8)
        if bytes.first == UInt8(ascii: "^") || bytes.contains(UInt8(ascii: "%")) { return true }
        if bytes.isEmpty { return false }
        if bytes.last == UInt8(ascii: "$") { return true }
        if !bytes.contains(where: SourceCursor.beginsName) { return true }
        if bytes.contains(UInt8(ascii: "{")) { return false }
        return isPlain(bytes)
    }

    /// Whether a text without namespaces cannot be a query.
    private static func isPlain(_ bytes: [UInt8]) -> Bool {
        if bytes.first == UInt8(ascii: "<") { return true }
        if bytes.last == UInt8(ascii: "/") { return true }
        if bytes.starts(with: "urn:".utf8) || bytes.starts(with: "jabber:".utf8) { return true }
        // Filters and form queries may contain anything.
        var closing: UInt8?
        for (index, byte) in bytes.enumerated() {
            if let mark = closing {
                if byte == mark { closing = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "<"): closing = UInt8(ascii: ">")
            case UInt8(ascii: "\\"): closing = byte
            case UInt8(ascii: ":") where bytes[(index + 1)...].starts(with: "//".utf8): return true
            case UInt8(ascii: "#") where bytes[(index + 1)...].first.map(SourceCursor.beginsName) ?? false: return true
            case UInt8(ascii: ":") where index == bytes.count - 1 || index == 0: return true
            case UInt8(ascii: "|") where !converts(bytes, at: index): return true
            case 0...0x20, 0x7F: return true
            default: if punctuation.contains(byte) { return true }
            }
        }
        return false
    }

    /// Whether a bar has an extraction or a form query before it, and one word after it.
    private static func converts(_ bytes: [UInt8], at bar: Int) -> Bool {
        let word = bytes[(bar + 1)...]
        guard word.first.map(SourceCursor.beginsName) ?? false, word.allSatisfy(SourceCursor.continuesName) else {
            return false
        }
        let query = bytes[..<bar]
        if let last = query.last, "#$\\".utf8.contains(last) { return true }
        guard let at = query.lastIndex(of: UInt8(ascii: "@")) else { return false }
        return !query[at...].contains(UInt8(ascii: "/"))
    }

    private static let punctuation = Set("^()[]+?,;=&'\"~`>}".utf8)
}
