// Answers to stanzas (RFC 6120 §8): their names, namespaces and addresses.

extension ReadableElement {
    /// Makes an answer to this stanza, in its namespace and to its sender, without content.
    ///
    /// ```swift
    /// let reply = message.reply()
    /// reply?.addChild("body", text: "Neither, fair saint, if either thee dislike.")
    /// ```
    ///
    /// The answer to an `iq` is a `result` with its `id` (RFC 6120 §8.2.3). A message keeps type and thread, and in a
    /// room goes to the room (RFC 6121 §5.2, XEP-0045 §7.4). Messages and presences get no `id`.
    ///
    /// A client's answer has no `from`, which its server adds (RFC 6120 §8.1.2.1). That of a server or a component has
    /// the address that the stanza was sent to.
    ///
    /// - Returns: `nil` if no answer is allowed: for errors, for an `iq` of another type than `get` and `set`, and for
    ///   an element that is not a stanza.
    public func reply() -> MutableElement? {
        let type = self["type"]
        if type == "error" { return nil }
        switch name {
        case "iq": return type == "get" || type == "set" ? answer(type: "result", id: self["id"]) : nil
        case "message":
            let reply = answer(type: type, id: nil)
            if type == "groupchat" { reply["to"] = self["from"]?.withoutResource }
            if let thread = child("thread")?.text { reply.addChild("thread", text: thread) }
            return reply
        case "presence": return answer(type: nil, id: nil)
        default: return nil
        }
    }

    /// Makes a stanza to the sender of this one, with its name and namespace.
    package func answer(type: String?, id: String?) -> MutableElement {
        let sender = XMLNamespace.needsSender(namespace) ? self["to"] : nil
        return MutableElement(
            XMLName(known: name), namespace: .uri(namespace ?? XMLNamespace.client),
            attributes: ["type": type, "id": id, "to": self["from"], "from": sender])
    }
}

extension XMLNamespace {
    /// Whether a stanza of that namespace needs a `from`. The server of a client adds it (RFC 6120 §8.1.2).
    package static func needsSender(_ namespace: String?) -> Bool { namespace != nil && namespace != client }
}

extension String {
    /// The address up to the first slash, after which the resource begins. A slash counts even if a character after it
    /// combines with it.
    package var withoutResource: String { String(unicodeScalars.prefix { $0 != "/" }) }
}
