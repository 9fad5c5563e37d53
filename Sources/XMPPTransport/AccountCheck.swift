// An account beside the addresses that servers send, which may have other spellings than RFC 7622 allows.

import XMPPCore

extension JID {
    /// Whether an address, with or without a resource, is this account's.
    ///
    /// It ignores case, and characters that the older rules of servers fold or remove (RFC 3920).
    func isAccount(of address: String) -> Bool {
        let other = LenientAddress(String(Substring(address.utf8.prefix { $0 != UInt8(ascii: "/") })))
        guard let other, let user = other.localpart, let localpart else { return false }
        return LenientAddress.folded(user) == LenientAddress.folded(localpart)
            && other.server == LenientAddress(domain)
    }

    /// - Throws: ``XMPPConnectionError/wrongAccount(_:expected:)``.
    func check(bound address: String) throws(XMPPConnectionError) {
        if !isAccount(of: address) { throw .wrongAccount(address, expected: bare.description) }
    }

    /// Whether this is the account's domain, in any case of letters or in its DNS form (RFC 5890).
    func isDomain(_ name: String) -> Bool { LenientAddress(name).map { $0 == LenientAddress(domain) } ?? false }
}
