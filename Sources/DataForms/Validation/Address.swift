// Addresses of XMPP (RFC 7622): their form and their equality.
//
// Forms need no more: of the profiles of PRECIS, this file applies case and canonical equivalence only.

/// An address: `localpart@domainpart/resourcepart`.
package struct Address: Hashable {
    /// Compared without regard to case, and with canonical equivalence, as `String` compares.
    private let local: String
    private let domain: String
    /// Compared with canonical equivalence, and regard to case.
    private let resource: String

    /// The maximum length of a part, in bytes (RFC 7622 §3.2 to §3.4).
    static let maximumPartLength = 1023

    /// `nil` when the text is not an address.
    package init?(_ text: String) {
        let slash = text.firstIndex(of: "/") ?? text.endIndex
        let bare = text[..<slash]
        let at = bare.firstIndex(of: "@")
        let local = at.map { bare[..<$0] }
        var domain = at.map { bare[bare.index(after: $0)...] } ?? bare
        let resource = slash < text.endIndex ? text[text.index(after: slash)...] : nil
        // A trailing dot, the root of the domain name system, is allowed and ignored (§3.2).
        if domain.hasSuffix(".") { domain = domain.dropLast() }
        guard Self.isPart(domain), domain.unicodeScalars.allSatisfy(Self.isOfDomain) else { return nil }
        if let local {
            guard Self.isPart(local), local.unicodeScalars.allSatisfy(Self.isOfLocalpart) else { return nil }
        }
        if let resource {
            guard Self.isPart(resource), resource.unicodeScalars.allSatisfy(Self.isPrintable) else { return nil }
        }
        self.local = local?.lowercased() ?? ""
        self.domain = domain.lowercased()
        self.resource = resource.map(String.init) ?? ""
    }

    /// The address without its resource.
    package var bare: Address { Address(local: local, domain: domain, resource: "") }

    /// The address of the server.
    package var domainAddress: Address { Address(local: "", domain: domain, resource: "") }

    private init(local: String, domain: String, resource: String) {
        self.local = local
        self.domain = domain
        self.resource = resource
    }

    private static func isPart(_ text: Substring) -> Bool { (1...maximumPartLength).contains(text.utf8.count) }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .unassigned, .privateUse, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// A letter, digit or mark of a name, or part of the literal of an IP address.
    private static func isOfDomain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "-._[]:".unicodeScalars.contains(scalar)
        }
        return isPrintable(scalar) && !scalar.properties.isWhitespace
    }

    /// Printable, no space, and none of the characters that are excluded from a localpart (§3.3.1).
    private static func isOfLocalpart(_ scalar: Unicode.Scalar) -> Bool {
        isPrintable(scalar) && !scalar.properties.isWhitespace && !"\"&'/:<>@".unicodeScalars.contains(scalar)
    }
}
