// The words for bytes that the whole parser uses: marks, and parts of what is borrowed.

extension UInt8 {
    static let lessThan = UInt8(ascii: "<")
    static let greaterThan = UInt8(ascii: ">")
    static let ampersand = UInt8(ascii: "&")
    static let closingBracket = UInt8(ascii: "]")
    static let lineFeed = UInt8(ascii: "\n")

    /// White space in the sense of XML.
    var isXMLSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

    var isQuote: Bool { self == UInt8(ascii: "'") || self == UInt8(ascii: "\"") }

    /// Whether no end tag has this behind its beginning.
    var breaksEndTag: Bool { self == .lessThan || isQuote }
}

extension UnsafeBufferPointer {
    /// The first `count` elements.
    func first(_ count: Int) -> UnsafeBufferPointer { UnsafeBufferPointer(rebasing: self[..<count]) }

    /// The elements from `index` on.
    func from(_ index: Int) -> UnsafeBufferPointer { UnsafeBufferPointer(rebasing: self[index...]) }
}

extension UnsafeBufferPointer<UInt8> {
    /// How many of the first bytes are white space.
    var leadingSpaceCount: Int { firstIndex { !$0.isXMLSpace } ?? count }

    /// The index of the first `]]>`, or of the end.
    var endOfCharacterData: Int {
        indices.first { self[$0] == .closingBracket && self[$0...].starts(with: "]]>".utf8) } ?? count
    }

    /// The whole characters of valid UTF-8 that stand in the first `length` bytes.
    func characters(within length: Int) -> UnsafeBufferPointer {
        guard length < count else { return self }
        guard length > 0 else { return first(0) }
        var end = length
        while end > 0, self[end] & 0xC0 == 0x80 { end -= 1 }
        return first(end)
    }
}

extension UnsafePointer<UInt8> {
    /// The bytes of a NUL-terminated string.
    var terminated: UnsafeBufferPointer<UInt8> {
        var count = 0
        while self[count] != 0 { count &+= 1 }
        return UnsafeBufferPointer(start: self, count: count)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The bytes of a NUL-terminated string; none when there is no string.
    static func terminated(_ start: UnsafePointer<UInt8>?) -> UnsafeBufferPointer<UInt8> {
        start?.terminated ?? UnsafeBufferPointer(start: nil, count: 0)
    }
}
