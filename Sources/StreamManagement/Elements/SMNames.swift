// The names of stream management, as strings to build with and as keys to recognize elements by.

import XMLTree

/// Namespaces that the module reads and writes.
enum Namespaces {
    /// XEP-0198.
    static let streamManagement = "urn:xmpp:sm:3"
    /// XEP-0203.
    static let delay = "urn:xmpp:delay"
    /// XEP-0199.
    static let ping = "urn:xmpp:ping"
    /// XEP-0388.
    static let sasl2 = "urn:xmpp:sasl:2"
    /// XEP-0386.
    static let bind2 = "urn:xmpp:bind:0"
    /// XEP-0478.
    static let limits = "urn:xmpp:stream-limits:0"
    /// RFC 6120 §4.9.
    static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
    /// RFC 6120 §8.3.
    static let stanzaErrors = "urn:ietf:params:xml:ns:xmpp-stanzas"
    static let client = "jabber:client"
    static let server = "jabber:server"
}

/// Keys of names: a comparison compares integers and makes no string.
enum Keys {
    static let streamManagement = NameKey(.namespace, Namespaces.streamManagement)
    static let acknowledgement = streamManagement + NameKey(.local, "a")
    static let request = streamManagement + NameKey(.local, "r")
    static let enabled = streamManagement + NameKey(.local, "enabled")
    static let resumed = streamManagement + NameKey(.local, "resumed")
    static let failed = streamManagement + NameKey(.local, "failed")

    static let message = NameKey(.namespace, Namespaces.client) + NameKey(.local, "message")
    static let presence = NameKey(.namespace, Namespaces.client) + NameKey(.local, "presence")
    static let iq = NameKey(.namespace, Namespaces.client) + NameKey(.local, "iq")
    static let serverMessage = NameKey(.namespace, Namespaces.server) + NameKey(.local, "message")
    static let serverPresence = NameKey(.namespace, Namespaces.server) + NameKey(.local, "presence")
    static let serverIQ = NameKey(.namespace, Namespaces.server) + NameKey(.local, "iq")

    static let streamError = NameKey(.namespace, XMLNamespace.stream) + NameKey(.local, "error")

    static let handled = NameKey(.qualified, "h")
    static let maximum = NameKey(.qualified, "max")
}
