// Errors of stanzas (RFC 6120 §8.3): read from answers, and sent in answers.

public import Foundation
import SafeText
public import XMLTree

/// The error in a stanza of type `error`: the reason why a request was refused.
public struct StanzaError: Error, Sendable, Hashable {
    /// The defined condition, such as `forbidden`; `undefined-condition` if the error names none.
    public let condition: String
    /// How the sender may react: `auth`, `cancel`, `continue`, `modify` or `wait`; `nil` if the error has no type.
    public let type: String?
    /// The text for the user.
    public let text: String?
    /// The answer that contains the error; `nil` for an error that this program made.
    public let stanza: Element?

    /// Creates an error for an answer.
    public init(_ condition: String, type: String, text: String? = nil) {
        self.condition = condition
        self.type = type
        self.text = text
        stanza = nil
    }

    /// Reads the error of a stanza of type `error`; `nil` for any other stanza.
    public init?(_ stanza: Element) {
        guard stanza["type"] == "error" else { return nil }
        let error = stanza.child("error")
        let children = error?.children.filter { $0.namespace == Namespaces.stanzaErrors } ?? []
        condition = children.first { $0.name != "text" }?.name ?? "undefined-condition"
        type = error?["type"]
        text = children.first { $0.name == "text" }?.text
        self.stanza = stanza
    }

    /// The answer to an `iq` without a type that RFC 6120 defines (§8.2.3).
    package static let badRequest = StanzaError("bad-request", type: "modify")

    /// The answer to an `iq` that matches no route (RFC 6120 §8.4).
    package static let serviceUnavailable = StanzaError("service-unavailable", type: "cancel")

    /// Makes the stanza that answers `stanza` with this error, in the same namespace.
    ///
    /// A client's answer has no `from`, which its server adds (RFC 6120 §8.1.2.1). That of a server or a component has
    /// the address that `stanza` was sent to.
    ///
    /// - Throws: `XMLTreeError` for a condition, type or text that XML cannot hold.
    public func reply(to stanza: Element) throws(XMLTreeError) -> Element {
        let error = try MutableElement("error", attributes: ["type": type ?? "cancel"])
        error.add(try MutableElement(condition, namespace: .uri(Namespaces.stanzaErrors)))
        if let text { error.add(try MutableElement("text", namespace: .uri(Namespaces.stanzaErrors), text: text)) }
        let attributes: AttributeValues = [
            "type": "error", "id": stanza["id"], "to": stanza["from"],
            "from": Namespaces.needSender(stanza.namespace) ? stanza["to"] : nil,
        ]
        return try MutableElement(
            stanza.name, namespace: .uri(stanza.namespace ?? Namespaces.client), attributes: attributes,
            children: [error]
        ).freeze()
    }
}

extension StanzaError: CustomStringConvertible, LocalizedError {
    /// One line of bounded length, whatever the sender has written.
    public var description: String {
        "the request was refused: \(condition.excerpt())" + (text.map { " (\($0.excerpt()))" } ?? "")
    }

    public var errorDescription: String? { description }
}
