// References in text: those that have no ';' yet, and those that are white space.
//
// libxml2 waits for a ';', however far it is, and keeps short text waiting. ParserState+Waiting.swift looks at both.

/// A reference that libxml2 waits with. Each byte is looked at twice at most, however the input is cut.
struct WaitingReference {
    /// Where its '&' stands in the input.
    let start: Int
    /// The bytes that were looked at, the '&' among them.
    private(set) var length = 1
    private(set) var isNumber = false
    /// The bytes of the name. Those that say nothing are not counted: `#`, `x` and the zeros before a number.
    private var nameLength = 0

    /// What names and numbers of the references that there are have at most: `quot`, and a million.
    private static let longestName = 7

    enum Progress {
        /// All bytes belong to the reference, and a ';' is missing.
        case incomplete
        /// The reference ends behind that many of the bytes.
        case complete(Int)
        /// Something else stands where the ';' should: the last of that many bytes.
        case broken(Int)
        /// The name is longer than allowed. That many bytes were taken.
        case tooLong(Int)

        /// Behind what was seen, if no more is to be waited for.
        var end: Int? {
            switch self {
            case .incomplete: nil
            case .complete(let count), .broken(let count), .tooLong(let count): count
            }
        }
    }

    init(start: Int) {
        self.start = start
    }

    /// Looks at more of the reference: what stands behind the bytes that were looked at.
    mutating func inspect(_ more: UnsafeBufferPointer<UInt8>, _ limits: ParserLimits) -> Progress {
        for (index, byte) in more.enumerated() {
            if byte == UInt8(ascii: ";") { return .complete(index + 1) }
            guard byte.mayStandInReference else { return .broken(index + 1) }
            if length == 1 && byte == UInt8(ascii: "#") {
                isNumber = true
            } else if !isInsignificant(byte) {
                nameLength += 1
            }
            length += 1
            if nameLength > max(limits.nameLength, Self.longestName) { return .tooLong(index + 1) }
        }
        return .incomplete
    }

    private func isInsignificant(_ byte: UInt8) -> Bool {
        isNumber && nameLength == 0 && (byte == UInt8(ascii: "0") || length == 2 && byte == UInt8(ascii: "x"))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The length of the white space that this begins with, as far as it is complete: some may be written as
    /// references. libxml2 has read a reference that comes first if it is complete, and none may have more than `limit`
    /// bytes.
    func blankCount(limit: Int) -> Int {
        guard let first, first.isXMLSpace else { return 0 }
        var end = 1
        while end < count {
            if self[end].isXMLSpace {
                end += 1
            } else if let referenceEnd = endOfBlankReference(at: end), referenceEnd - end <= limit {
                end = referenceEnd
            } else {
                break
            }
        }
        return end
    }

    /// The end of the reference to white space that begins there.
    private func endOfBlankReference(at start: Int) -> Int? {
        guard start + 2 < count, self[start] == .ampersand, self[start + 1] == UInt8(ascii: "#") else { return nil }
        let isHexadecimal = self[start + 2] == UInt8(ascii: "x")
        let number = self[(start + (isHexadecimal ? 3 : 2))...].prefix { $0 != UInt8(ascii: ";") }
        let digits = number.drop { $0 == UInt8(ascii: "0") }
        let blanks: [StaticString] = isHexadecimal ? ["9", "a", "A", "d", "D", "20"] : ["9", "10", "13", "32"]
        let isBlank = blanks.contains { blank in blank.withUTF8Buffer { digits.elementsEqual($0) } }
        return isBlank && number.endIndex < count ? number.endIndex + 1 : nil
    }
}

extension UInt8 {
    /// Whether this may be a part of what stands between '&' and ';'.
    var mayStandInReference: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...: true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default:
            [UInt8(ascii: "#"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":")].contains(
                self)
        }
    }
}
