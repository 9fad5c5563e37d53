// Texts whose form only queries have, right or wrong: no other string for `find:` or `check:` has such a form.

/// The form of a text.
enum QueryShape {
    /// Whether a text has a form that only queries have: a namespace in braces before a name, a filter, or one word
    /// that ends with an extraction.
    static func isOnlyOurs(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return hasNamespace(bytes) || hasFilter(bytes) || hasExtraction(bytes)
    }

    /// `{urn:x}name`, `{*}*`, `{%@}name` at the beginning or after a slash or an exclamation mark.
    private static func hasNamespace(_ bytes: [UInt8]) -> Bool {
        var isAtStep = true
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if isAtStep, byte == UInt8(ascii: "{") {
                let end = bytes[index...].firstIndex { $0 == UInt8(ascii: "}") || isForeign($0) } ?? bytes.endIndex
                let namespace = bytes[(index + 1)..<end]
                let isNamespace =
                    namespace.elementsEqual("*".utf8) || namespace.contains(UInt8(ascii: ":"))
                    || namespace.contains(UInt8(ascii: "%"))
                if isNamespace, end + 1 < bytes.endIndex, bytes[end] == UInt8(ascii: "}"), beginsTest(bytes[end + 1]) {
                    return true
                }
                index = end
                isAtStep = false
                continue
            }
            isAtStep = byte == UInt8(ascii: "/") || byte == UInt8(ascii: "!") || byte == UInt8(ascii: "\\")
            index += 1
        }
        return false
    }

    /// `name<attribute=value>`, also with `~`.
    private static func hasFilter(_ bytes: [UInt8]) -> Bool {
        guard let closing = bytes.lastIndex(of: UInt8(ascii: ">")) else { return false }
        var index = 0
        while let open = bytes[index..<closing].firstIndex(of: UInt8(ascii: "<")) {
            let name = bytes[(open + 1)..<closing].prefix(while: isOfName)
            index = open + 1 + name.count
            guard !name.isEmpty, index < closing else { continue }
            let isFilter = bytes[index] == UInt8(ascii: "=") || bytes[index] == UInt8(ascii: "~")
            if isFilter, open > 0, isOfName(bytes[open - 1]) || "*}/>!".utf8.contains(bytes[open - 1]) { return true }
        }
        return false
    }

    /// One word that ends with `#`, `$`, `@@` or `@name`, and perhaps a conversion.
    private static func hasExtraction(_ bytes: [UInt8]) -> Bool {
        guard !bytes.contains(where: isForeign) else { return false }
        var rest = bytes[...]
        if let bar = rest.lastIndex(of: UInt8(ascii: "|")), rest[(bar + 1)...].allSatisfy(isOfName) {
            rest = rest[..<bar]
        }
        guard let last = rest.last else { return false }
        if rest.count > 1, last == UInt8(ascii: "#") || last == UInt8(ascii: "$") { return true }
        guard let at = rest.lastIndex(of: UInt8(ascii: "@")) else { return false }
        // The `%@` of a format does not count.
        if at > 0, rest[at - 1] == UInt8(ascii: "%") { return false }
        return at > 0 && rest[(at + 1)...].allSatisfy(isOfName)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        SourceCursor.continuesName(byte) || "-.:".utf8.contains(byte)
    }

    private static func beginsTest(_ byte: UInt8) -> Bool {
        SourceCursor.beginsName(byte) || "*!%".utf8.contains(byte)
    }

    /// Characters of sentences, lists and regular expressions that paths do not have.
    private static func isForeign(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || "^()[]+?,;&'\"".utf8.contains(byte)
    }
}
