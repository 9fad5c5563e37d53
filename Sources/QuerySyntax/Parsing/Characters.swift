// The characters of the language: its marks, and the characters of names.

/// The language's marks, by the names that the parser uses.
extension UInt8 {
    static let space = UInt8(ascii: " ")
    static let exclamation = UInt8(ascii: "!")
    static let hash = UInt8(ascii: "#")
    static let dollar = UInt8(ascii: "$")
    static let percent = UInt8(ascii: "%")
    static let ampersand = UInt8(ascii: "&")
    static let asterisk = UInt8(ascii: "*")
    static let plus = UInt8(ascii: "+")
    static let minus = UInt8(ascii: "-")
    static let dot = UInt8(ascii: ".")
    static let slash = UInt8(ascii: "/")
    static let zero = UInt8(ascii: "0")
    static let nine = UInt8(ascii: "9")
    static let colon = UInt8(ascii: ":")
    static let less = UInt8(ascii: "<")
    static let equals = UInt8(ascii: "=")
    static let greater = UInt8(ascii: ">")
    static let at = UInt8(ascii: "@")
    static let openBracket = UInt8(ascii: "[")
    static let backslash = UInt8(ascii: "\\")
    static let closeBracket = UInt8(ascii: "]")
    static let openBrace = UInt8(ascii: "{")
    static let bar = UInt8(ascii: "|")
    static let closeBrace = UInt8(ascii: "}")
    static let tilde = UInt8(ascii: "~")
    /// A byte of a slot. UTF-8 has no such byte.
    static let slot: UInt8 = 0xFF
}

extension UInt8 {
    /// Whether an ASCII character is one of names: a-z A-Z 0-9 : - . _
    var isNameCharacter: Bool {
        (self | 0x20) &- 0x61 < 26 || 0x2D...0x3A ~= self && self != .slash || self == 0x5F
    }
}

/// NameChar of XML 1.0, fifth edition, productions 4 and 4a.
func isNameCharacter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x7F:
        UInt8(scalar.value).isNameCharacter
    case 0xB7, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x203F...0x2040,
        0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
        true
    default:
        false
    }
}
