// Addresses for comparisons with those that servers write. Servers have accounts and resources that RFC 7622 does not
// allow, so nothing is refused here that a server may have accepted.

/// An address as a server may write it, for comparisons only.
///
/// Addresses are equal without regard to case and to the encoding of the domain; resources with regard to case. All
/// parts are equal if they are canonically equivalent, as `String` compares.
package struct LenientAddress: Hashable, Sendable {
    package private(set) var localpart: String?
    private let domain: String
    package private(set) var resource: String?

    /// Reads an address; `nil` if a part is empty or too long, or has control characters, or if the bare address has
    /// spaces, more separators, or characters that are special in XML.
    package init?(_ text: String) {
        let slash = text.utf8.firstIndex(of: UInt8(ascii: "/"))
        let bare = text[..<(slash ?? text.endIndex)]
        let at = bare.utf8.firstIndex(of: UInt8(ascii: "@"))
        let user = at.map { bare[..<$0] }
        let host = at.map { bare[bare.utf8.index(after: $0)...] } ?? bare
        let resource = slash.map { text[text.utf8.index(after: $0)...] }
        guard user.map(Self.isOfBareAddress) ?? true, Self.isOfBareAddress(host), resource.map(Self.isPart) ?? true
        else { return nil }
        localpart = user?.lowercased()
        // The root of DNS is allowed, and ignored.
        let name = (host.utf8.last == UInt8(ascii: ".") ? Substring(host.unicodeScalars.dropLast()) : host).lowercased()
        domain = (try? DomainName.prepare(name[...])) ?? name
        self.resource = resource.map(String.init)
    }

    private static func isOfBareAddress(_ part: Substring) -> Bool {
        isPart(part)
            && part.unicodeScalars.allSatisfy { scalar in
                !"\"&'/<>@".unicodeScalars.contains(scalar) && !scalar.properties.isWhitespace
            }
    }

    private static func isPart(_ part: Substring) -> Bool {
        (1...JID.maximumPartLength).contains(part.utf8.count)
            && part.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}

extension LenientAddress {
    /// The address without its resource.
    package var bare: LenientAddress {
        var bare = self
        bare.resource = nil
        return bare
    }

    /// The address of the domain.
    package var server: LenientAddress {
        var server = bare
        server.localpart = nil
        return server
    }

    /// A localpart by the older rules of servers (RFC 3920), as far as they fold case and remove invisible characters.
    ///
    /// Different accounts of a server with newer rules can be equal: do not identify strangers by it.
    package static func folded(_ localpart: String) -> String {
        var visible = String.UnicodeScalarView()
        // Upper case unites letters that have one case only, such as the final sigma, with others.
        for scalar in localpart.lowercased().uppercased().lowercased().unicodeScalars
        where !scalar.properties.isDefaultIgnorableCodePoint { visible.append(scalar) }
        return String(visible)
    }
}
