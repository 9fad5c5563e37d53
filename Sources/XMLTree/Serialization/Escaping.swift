// Characters that XML text and attribute values cannot hold as they are.

extension [UInt8] {
    /// Appends text or an attribute value, escaped so that a parser gives back exactly it: line ends and tabs in
    /// attributes, which parsers turn into spaces, and carriage returns, which they turn into line feeds, as
    /// references.
    mutating func append(escaped text: UnsafeBufferPointer<UInt8>, inAttribute: Bool) {
        var start = 0
        var index = 0
        while index < text.count {
            if let reference = Self.reference(for: text[index], inAttribute: inAttribute) {
                append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
                reference.withUTF8Buffer { append(contentsOf: $0) }
                start = index + 1
            }
            index += 1
        }
        append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }

    private static func reference(for byte: UInt8, inAttribute: Bool) -> StaticString? {
        // Letters, and what is not ASCII, need nothing.
        if byte > UInt8(ascii: ">") { return nil }
        switch byte {
        case UInt8(ascii: "&"): return "&amp;"
        case UInt8(ascii: "<"): return "&lt;"
        case UInt8(ascii: ">"): return "&gt;"
        case UInt8(ascii: "\r"): return "&#13;"
        case UInt8(ascii: "'"): return inAttribute ? "&apos;" : nil
        case UInt8(ascii: "\""): return inAttribute ? "&quot;" : nil
        case UInt8(ascii: "\n"): return inAttribute ? "&#10;" : nil
        case UInt8(ascii: "\t"): return inAttribute ? "&#9;" : nil
        default: return nil
        }
    }
}
