// The words for bytes that the whole parser uses: marks, and parts of what is borrowed.

extension UInt8 {
    static let lessThan = UInt8(ascii: "<")
    static let greaterThan = UInt8(ascii: ">")
    static let ampersand = UInt8(ascii: "&")
    static let lineFeed = UInt8(ascii: "\n")

    /// White space in the sense of XML.
    var isXMLSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}

extension UnsafeBufferPointer {
    /// The first `count` elements.
    func first(_ count: Int) -> UnsafeBufferPointer { UnsafeBufferPointer(rebasing: self[..<count]) }

    /// The elements from `index` on.
    func from(_ index: Int) -> UnsafeBufferPointer { UnsafeBufferPointer(rebasing: self[index...]) }
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
