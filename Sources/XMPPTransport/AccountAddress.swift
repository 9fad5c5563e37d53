// The address of an account as the app wrote it, beside the addresses that servers send.

import XMPPCore

/// A bare address, `user@domain`.
///
/// The parts keep their spelling, because servers store user names by rules of their own.
struct AccountAddress: Sendable {
    let user: String
    let domain: String

    /// - Throws: ``XMPPConnectionError/invalidAddress(_:)``.
    init(_ text: String) throws(XMPPConnectionError) {
        guard let parts = LenientAddress(text), parts.localpart != nil, parts.resource == nil,
            let at = text.utf8.firstIndex(of: UInt8(ascii: "@"))
        else { throw .invalidAddress(text) }
        user = String(text[..<at])
        domain = String(text[text.utf8.index(after: at)...])
    }
}

extension AccountAddress {
    /// Whether an address, with or without a resource, is this account's.
    ///
    /// It ignores case, and characters that the older rules of servers fold or remove (RFC 3920).
    func isAccount(of address: String) -> Bool {
        let bare = Substring(address.utf8.prefix { $0 != UInt8(ascii: "/") })
        guard let other = try? AccountAddress(String(bare)) else { return false }
        return LenientAddress.folded(other.user) == LenientAddress.folded(user) && isDomain(other.domain)
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
    var description: String { "\(user)@\(domain)" }
}
