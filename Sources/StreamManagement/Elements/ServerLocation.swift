// The place to reconnect to: the `location` of `<enabled/>`.

/// A host and a port (XEP-0198 §3, rule R13): connect there first, then to the ordinary place.
///
/// Its text is `host`, `host:port`, `[IPv6]` or `[IPv6]:port`. The server sends it over an authenticated stream. A
/// connector that uses it checks the certificate for the domain of the account, as always.
public struct ServerLocation: Hashable, Sendable {
    /// A domain name or an IPv4 address; an IPv6 address without brackets.
    public let host: String
    /// The port; `nil` for the port of the ordinary place, or the port in the host's DNS records.
    public let port: UInt16?

    /// Reads a location; `nil` if the text is not one.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let host: Substring
        let rest: Substring
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<close]
            rest = text[text.index(after: close)...]
            guard host.contains(":"), host.utf8.allSatisfy(Self.isOfIPv6) else { return nil }
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            host = text[..<end]
            rest = text[end...]
            guard !host.isEmpty, host.utf8.allSatisfy(Self.isOfName) else { return nil }
        }
        self.host = String(host)
        if rest.isEmpty {
            port = nil
        } else {
            var digits = String(rest.dropFirst())
            guard rest.hasPrefix(":"), let value = digits.withUTF8({ UInt32(digits: $0) }),
                let port = UInt16(exactly: value), port > 0
            else { return nil }
            self.port = port
        }
    }

    /// A domain name has at most 253 bytes; an IPv6 address with its zone and port is shorter.
    private static let longest = 300

    /// Hexadecimal digits, a zone's characters, and the separators.
    private static func isOfIPv6(_ byte: UInt8) -> Bool {
        isOfName(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "%")
    }

    /// The characters of a domain name or IPv4 address, including letters of other scripts.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}

extension ServerLocation: CustomStringConvertible {
    /// The text of the attribute.
    public var description: String {
        (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    }
}
