// The escapes of XEP-0106, which let a localpart represent any text.

extension JID {
    /// Prepares an address whose localpart represents any text, such as another service's user name (XEP-0106).
    ///
    /// The escapes also represent fullwidth forms of these characters, because a localpart does not contain them.
    ///
    /// - Throws: ``JIDError``, with the position in the escaped localpart. The text must not begin or end with a space.
    public init(escaping user: String, domain: String, resource: String? = nil) throws(JIDError) {
        try self.init(localpart: Self.escaped(user[...].mapped(\.narrowed)), domain: domain, resource: resource)
    }

    /// The text that the localpart represents: `d'artagnan` for `d\27artagnan`.
    public var unescapedLocalpart: String? { localpart.map(Self.unescaped) }

    /// The text with escapes for the characters that a localpart must not contain.
    ///
    /// A space at the beginning or the end stays, because XEP-0106 allows no escape for it.
    public static func escaped(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var escaped: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isOuterSpace = byte == UInt8(ascii: " ") && (index == 0 || index == bytes.count - 1)
            let isEscaped =
                byte == UInt8(ascii: "\\") ? escape(in: bytes, at: index) != nil : isEscapable(byte) && !isOuterSpace
            if isEscaped { escaped += "\\\(String(byte, radix: 16))".utf8 } else { escaped.append(byte) }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// The text that an escaped localpart represents.
    public static func unescaped(_ localpart: String) -> String {
        let bytes = Array(localpart.utf8)
        var text: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let byte = escape(in: bytes, at: index)
            let isOuterSpace = byte == UInt8(ascii: " ") && (index == 0 || index + 3 == bytes.count)
            if let byte, !isOuterSpace {
                text.append(byte)
                index += 3
            } else {
                text.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The character of the escape at an index; `nil` if no escape begins there.
    private static func escape(in bytes: [UInt8], at index: Int) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "\\"), index + 2 < bytes.count,
            let byte = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16),
            isEscapable(byte) || byte == UInt8(ascii: "\\"), bytes[index + 1] != UInt8(ascii: "+")
        else { return nil }
        return byte
    }

    /// Whether a localpart must not contain the character (RFC 7622 §3.3.1), and XEP-0106 has an escape for it.
    private static func isEscapable(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || Profile.isExcludedFromLocalparts(byte)
    }
}
