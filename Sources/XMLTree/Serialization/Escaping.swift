// Escapes the characters that XML text and attribute values cannot contain directly.

extension [UInt8] {
    /// Appends text or an attribute value, escaped so that a parser returns exactly the same. Parsers turn line ends
    /// and tabs in attributes into spaces, and carriage returns into line feeds, so these are written as references.
    package mutating func append(escaped text: UnsafeBufferPointer<UInt8>, inAttribute: Bool) {
        let special = inAttribute ? Self.specialInAttributes : Self.specialInText
        var start = 0
        var index = 0
        while index < text.count {
            let byte = text[index]
            // All characters that need a reference are among the first 64.
            if byte < 64, special >> UInt64(byte) & 1 != 0 {
                append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
                Self.reference(for: byte).withUTF8Buffer { append(contentsOf: $0) }
                start = index + 1
            }
            index += 1
        }
        append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }

    /// The characters to escape in text, one bit for each.
    private static let specialInText = mask("&<>\r")

    /// The characters to escape in an attribute value.
    private static let specialInAttributes = mask("&<>\r\n\t'\"")

    private static func mask(_ characters: String) -> UInt64 {
        characters.utf8.reduce(0) { $0 | 1 << UInt64($1) }
    }

    private static func reference(for byte: UInt8) -> StaticString {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "'"): "&apos;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "\n"): "&#10;"
        case UInt8(ascii: "\t"): "&#9;"
        default: "&#13;"
        }
    }
}
