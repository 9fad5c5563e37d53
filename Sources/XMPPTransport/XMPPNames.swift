// The namespaces of connections, and helpers for elements.

import Foundation
import XMLTree

/// The namespaces that a connection uses.
enum Namespaces {
    static let client = "jabber:client"
    /// RFC 6120 §5.
    static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
    /// RFC 6120 §6.
    static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    /// RFC 6120 §7.
    static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
    static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
    static let stanzaErrors = "urn:ietf:params:xml:ns:xmpp-stanzas"
    /// XEP-0388.
    static let sasl2 = "urn:xmpp:sasl:2"
    /// XEP-0440.
    static let channelBinding = "urn:xmpp:sasl-cb:0"
    /// XEP-0386.
    static let bind2 = "urn:xmpp:bind:0"
    /// XEP-0199.
    static let ping = "urn:xmpp:ping"
}

extension Element {
    func isNamed(_ name: String, _ namespace: String) -> Bool {
        self.name.utf8.elementsEqual(name.utf8) && (self.namespace ?? "").utf8.elementsEqual(namespace.utf8)
    }

    /// The bytes of the element in a client's stream.
    var streamBytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, in: .clientStream)
        return bytes
    }
}

/// Bytes in the form of SASL elements: base64, `=` for no bytes at all (RFC 6120 §6.4.2).
enum SASLText {
    static func encode(_ bytes: [UInt8]) -> String { bytes.isEmpty ? "=" : Data(bytes).base64EncodedString() }

    /// `nil` for text that is not base64.
    static func decode(_ text: String?) -> [UInt8]? {
        guard let text, !text.isEmpty, text != "=" else { return [] }
        return Data(base64Encoded: text).map { Array($0) }
    }
}
