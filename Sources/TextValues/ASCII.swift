// Classes of ASCII characters.

extension UInt8 {
    /// White space: space, tab, LF, VT, FF and CR.
    package var isWhiteSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// A decimal digit.
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// The value of a hexadecimal digit.
    var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
