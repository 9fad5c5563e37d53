// The address of an account, checked only as far as a stream header requires.

/// A bare address, `user@domain` (RFC 7622).
///
/// The caller prepares it as the server does: this type does not fold or normalize it.
public struct AccountAddress: Hashable, Sendable {
    public let user: String
    public let domain: String

    /// - Throws: ``XMPPConnectionError/invalidAddress(_:)``.
    public init(_ text: String) throws(XMPPConnectionError) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isPart(parts[0]), Self.isPart(parts[1]) else { throw .invalidAddress(text) }
        user = String(parts[0])
        domain = String(parts[1])
    }

    /// RFC 7622 allows 1,023 bytes for each part.
    private static let longestPart = 1023

    /// Not a separator of parts, not special in XML (RFC 7622 §3.3.1), and not white space.
    private static func isPart(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= longestPart
            && text.unicodeScalars.allSatisfy { scalar in
                !"\"&'/<>@".unicodeScalars.contains(scalar) && !scalar.properties.isWhitespace
                    && scalar.properties.generalCategory != .control
            }
    }
}

extension AccountAddress {
    /// Whether an address, with or without a resource, is this account's. It ignores case, as servers do.
    func isAccount(of address: String) -> Bool {
        guard let other = try? AccountAddress(String(address.prefix { $0 != "/" })) else { return false }
        return user.lowercased() == other.user.lowercased() && isDomain(other.domain)
    }

    /// - Throws: ``XMPPConnectionError/wrongAccount(_:expected:)``.
    func check(bound address: String) throws(XMPPConnectionError) {
        if !isAccount(of: address) { throw .wrongAccount(address, expected: description) }
    }

    /// Whether this is the account's domain, in any case of letters or in its DNS form (RFC 5890).
    func isDomain(_ name: String) -> Bool {
        func folded(_ name: String) -> String { (TLSContext.asciiName(of: name) ?? name).lowercased() }
        return folded(name) == folded(domain)
    }
}

extension AccountAddress: CustomStringConvertible {
    public var description: String { "\(user)@\(domain)" }
}
