// Counts and answers a stanza that the parser skipped: it is beyond a limit, or not namespace-well-formed (rule R7).

public import Foundation
import SafeText
public import XMLTree
import XMPPCore

/// A well-formed stanza that is beyond a limit of the parser or not namespace-well-formed, with the parts that the
/// parser has read. A transport throws it in place of the stanza; the stream continues.
public typealias RejectedStanza = XMLStreamParser.RejectedStanza

extension XMLStreamParser.RejectedStanza: LocalizedError, CustomStringConvertible {
    /// One line of bounded length, whatever the sender has written.
    public var description: String { "the parser skipped the stanza '\(name.excerpt())': \(error)" }

    public var errorDescription: String? { description }
}

extension RejectedStanza {
    /// Whether stream management counts the stanza (rule R1).
    var isStanza: Bool {
        (namespace == Namespaces.client || namespace == Namespaces.server)
            && ["iq", "message", "presence"].contains(name)
    }

    /// The error that answers an `iq` of type `get` or `set` (RFC 6120 §8.2.3); `nil` for other stanzas, and if the
    /// `id` or the sender is unknown or long.
    ///
    /// A limit is a policy of the recipient, so a request beyond one gets `policy-violation`. One that is not
    /// namespace-well-formed gets `not-acceptable` (§11.3). The type is `modify`, because another request may succeed.
    var refusal: Element? {
        guard isStanza, name == "iq", type == "get" || type == "set", let id, id.utf8.count <= Self.longestID,
            from != nil || isStartTagComplete, (from ?? "").utf8.count <= Self.longestAddress
        else { return nil }
        let errors = ElementNamespace.uri(Namespaces.stanzaErrors)
        let (condition, reason): (XMLName, String) =
            isBeyondLimit
            ? ("policy-violation", "the request is beyond a limit of the recipient's parser")
            : ("not-acceptable", "the request is not namespace-well-formed")
        return MutableElement(
            "iq", namespace: .uri(Namespaces.client), attributes: ["type": "error", "id": id, "to": from]
        ) {
            MutableElement("error", attributes: ["type": "modify"]) {
                MutableElement(condition, namespace: errors)
                MutableElement("text", namespace: errors, attributes: ["xml:lang": "en"], text: reason)
            }
        }.freeze()
    }

    /// The requester chooses `id` and `from`, and must not make us send an answer that a server rejects as too large.
    private static let longestID = 1024
    /// Three parts of at most 1,023 bytes, and two separators (RFC 7622 §3.1).
    private static let longestAddress = 3071
}
