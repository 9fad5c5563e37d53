// Namespaces that several modules read and write.

import XMLTree

package enum Namespaces {
    package static let client = XMLNamespace.client
    package static let server = "jabber:server"
    /// XEP-0114.
    package static let component = "jabber:component:accept"
    /// RFC 6120 §4.9.
    package static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
    /// RFC 6120 §5.
    package static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
    /// RFC 6120 §6.
    package static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    /// RFC 6120 §7.
    package static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
    /// RFC 6120 §8.3.
    package static let stanzaErrors = "urn:ietf:params:xml:ns:xmpp-stanzas"
    /// XEP-0198.
    package static let streamManagement = "urn:xmpp:sm:3"
    /// XEP-0199.
    package static let ping = "urn:xmpp:ping"
    /// XEP-0203.
    package static let delay = "urn:xmpp:delay"
    package static let roomUser = "http://jabber.org/protocol/muc#user"
    /// XEP-0386.
    package static let bind2 = "urn:xmpp:bind:0"
    /// XEP-0388.
    package static let sasl2 = "urn:xmpp:sasl:2"
    /// XEP-0440.
    package static let channelBinding = "urn:xmpp:sasl-cb:0"
    /// XEP-0478.
    package static let limits = "urn:xmpp:stream-limits:0"
}
