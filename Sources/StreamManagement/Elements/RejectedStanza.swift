// A stanza that the parser passed over because it is beyond a limit: what stream management makes of it (rule R7).

public import XMLTree

/// A well-formed stanza beyond a limit of the parser, with what is known of it. A transport throws it in place of the
/// stanza; the stream continues.
public typealias RejectedStanza = XMLStreamParser.RejectedStanza

extension XMLStreamParser.RejectedStanza: Error {}

extension RejectedStanza {
    /// Whether it counts (rule R1).
    var isStanza: Bool {
        (namespace == Namespaces.client || namespace == Namespaces.server)
            && ["iq", "message", "presence"].contains(name)
    }

    /// The error that answers an `iq` of type `get` or `set` (RFC 6120 §8.2.3); `nil` for other stanzas, and if what is
    /// to be repeated in the answer is unknown or long.
    ///
    /// `policy-violation` is the condition for what breaks a policy of the recipient, which a limit is, and of type
    /// `modify`, because a smaller request may succeed. `not-acceptable` would judge what the request says, and nobody
    /// has read that.
    var refusal: Element? {
        guard isStanza, name == "iq", type == "get" || type == "set", let id, id.utf8.count <= Self.longestID,
            from != nil || isStartTagComplete, (from ?? "").utf8.count <= Self.longestAddress
        else { return nil }
        let errors = ElementNamespace.uri(Namespaces.stanzaErrors)
        return try? MutableElement(
            "iq", namespace: .uri(Namespaces.client), attributes: ["type": "error", "id": id, "to": from]
        ) {
            try MutableElement("error", attributes: ["type": "modify"]) {
                try MutableElement("policy-violation", namespace: errors)
                try MutableElement(
                    "text", namespace: errors, attributes: ["xml:lang": "en"],
                    text: "the request is beyond a limit of the recipient's parser")
            }
        }.freeze()
    }

    /// A stranger chooses both, and must not make us send what a server takes for too large.
    private static let longestID = 1024
    /// Three parts of at most 1,023 bytes, and two separators (RFC 7622 §3.1).
    private static let longestAddress = 3071
}
