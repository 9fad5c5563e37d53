// Finds the end of a tag that comes in pieces, by the lexical rules of XML 1.0 that need no memory (§2.3 to §2.7,
// §3.1).

/// Looks for the end of a start or end tag. It reads each byte once.
struct TagFinder {
    let isEndTag: Bool
    /// The quote that ends the open value; 0 outside of values.
    private(set) var quote: UInt8 = 0

    /// Continues from `start` to `end`. Returns the index of the tag's last '>', or of a '<' or quote that breaks it.
    mutating func find(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        var index = start
        while true {
            if quote != 0 {
                index = Scan.find(view, index, end, quote, .lessThan, .lessThan, .lessThan)
                if index == end { return nil }
                if view[index] == .lessThan { return index }
                quote = 0
                index += 1
            }
            index = Scan.find(view, index, end, .greaterThan, .lessThan, UInt8(ascii: "'"), UInt8(ascii: "\""))
            if index == end { return nil }
            if view[index] == .greaterThan || view[index] == .lessThan || isEndTag { return index }
            quote = view[index]
            index += 1
        }
    }
}

extension UInt8 {
    static let lessThan = UInt8(ascii: "<")
    static let greaterThan = UInt8(ascii: ">")
    static let ampersand = UInt8(ascii: "&")
    static let lineFeed = UInt8(ascii: "\n")

    var isQuote: Bool { self == UInt8(ascii: "'") || self == UInt8(ascii: "\"") }

    /// Whether markup that begins with '<' and this byte is not a tag.
    var isMarkupMark: Bool { self == UInt8(ascii: "!") || self == UInt8(ascii: "?") }
}
