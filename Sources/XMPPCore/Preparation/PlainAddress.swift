// Recognizes the addresses that need no preparation, which are nearly all.

/// The places of the parts in an address of ASCII characters that is prepared already.
struct PlainAddress {
    private(set) var domainStart: UInt16 = 0
    private(set) var domainEnd: UInt16 = 0

    /// `nil` for an address that has to be prepared, or is invalid.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
        let at = bytes[..<slash].firstIndex(of: UInt8(ascii: "@"))
        let start = at.map { $0 + 1 } ?? 0
        let longest = JID.maximumPartLength
        guard (at ?? 1) - 1 < longest, at != 0, (1...longest).contains(slash - start),
            slash == bytes.count || (1...longest).contains(bytes.count - slash - 1),
            bytes[..<(at ?? 0)].allSatisfy(Self.isOfLocalpart),
            Self.isDomain(bytes[start..<slash]),
            bytes[slash...].allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        (domainStart, domainEnd) = (UInt16(start), UInt16(slash))
    }

    private static func isOfLocalpart(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            && !Profile.isExcludedFromLocalparts(byte)
    }

    /// Labels of lower case, and none of them in Punycode.
    private static func isDomain(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var last = UInt8(ascii: ".")
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): break
            case UInt8(ascii: "-"): if last == UInt8(ascii: ".") || last == UInt8(ascii: "-") { return false }
            case UInt8(ascii: "."): if last == UInt8(ascii: ".") || last == UInt8(ascii: "-") { return false }
            default: return false
            }
            last = byte
        }
        return last != UInt8(ascii: ".") && last != UInt8(ascii: "-")
    }
}
