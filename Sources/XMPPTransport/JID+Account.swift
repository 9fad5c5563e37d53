// The address of an account, beside the addresses that a server sends.

import XMPPCore

extension JID {
    /// Whether an address, with any resource or without one, is this account's.
    func isAccount(of address: String) -> Bool { JID(String(address.prefix { $0 != "/" })) == self }

    /// - Throws: ``XMPPConnectionError/wrongAccount(_:expected:)``.
    func check(bound address: String) throws(XMPPConnectionError) {
        if !isAccount(of: address) { throw .wrongAccount(address, expected: description) }
    }

    /// Whether this is the account's domain, in Unicode or in its form for DNS (RFC 5890).
    func isDomain(_ name: String) -> Bool { (try? JID(domain: name)) == server }
}
