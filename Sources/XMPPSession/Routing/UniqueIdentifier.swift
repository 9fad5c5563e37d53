// The identifiers of XEP-0359, and which of them a client may trust.

import XMLTree
import XMPPCore

/// An identifier of a stanza over several sessions. It counts for its sender only, so no other sender can make a stanza
/// look repeated.
struct UniqueIdentifier: Hashable {
    let sender: String
    let id: String

    /// Bytes of an identifier. Servers and clients send a few dozen.
    static let maximumLength = 1024

    /// - Returns: `nil` for a stanza without an identifier, and with a longer one.
    init?(of stanza: Element, account: JID) {
        let id = Self.stanzaID(of: stanza, account: account) ?? Self.originID(of: stanza)
        guard let id, id.utf8.count <= Self.maximumLength else { return nil }
        self.id = id
        sender = stanza["from"] ?? account.description
    }

    /// The identifier that the account's server gave, or the room of a group chat. Others may be forged (XEP-0359 §6).
    private static func stanzaID(of stanza: Element, account: JID) -> String? {
        // Servers remove forged identifiers, but perhaps not those with another spelling of an address.
        let room =
            stanza["type"] == "groupchat" ? stanza["from"].map { $0.utf8.prefix { $0 != UInt8(ascii: "/") } } : nil
        let trusted = [account.description.utf8[...]] + (room.map { [$0] } ?? [])
        // They append their own one.
        let identifier = stanza.children.filter { child in
            guard child.name == "stanza-id", child.namespace == namespace, let source = child["by"] else {
                return false
            }
            return trusted.contains { $0.elementsEqual(source.utf8) }
        }.last
        return identifier?["id"].map { "stanza " + $0 }
    }

    /// The identifier that the sender gave.
    private static func originID(of stanza: Element) -> String? {
        stanza.child("origin-id", namespace: .uri(namespace))?["id"].map { "origin " + $0 }
    }

    private static let namespace = "urn:xmpp:sid:0"
}
