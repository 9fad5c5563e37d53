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
    public init(_ condition: XMLName, type: String, text: String? = nil) {
        self.condition = condition.description
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

    /// Makes the stanza that answers another one with this error.
    package func answer(to stanza: some ReadableElement) -> Element {
        let answer = stanza.answer(type: "error", id: stanza["id"])
        let error = answer.addChild("error", attributes: ["type": type ?? "cancel"])
        error.addChild(XMLName(known: condition), namespace: .uri(Namespaces.stanzaErrors))
        if let text { error.addChild("text", namespace: .uri(Namespaces.stanzaErrors), text: text) }
        return answer.freeze()
    }
}

extension ReadableElement {
    /// Makes the answer to this stanza with an error, with its `id` and in its namespace (RFC 6120 §8.3).
    ///
    /// ```swift
    /// let answer = request.error(StanzaError("forbidden", type: "auth", text: "Only owners may do that."))
    /// ```
    ///
    /// Its addresses are those of `reply()`.
    ///
    /// - Returns: `nil` for an error, and for an `iq` of type `result`: no answer is allowed.
    public func error(_ error: StanzaError) -> Element? {
        let type = self["type"]
        return type == "error" || name == "iq" && type == "result" ? nil : error.answer(to: self)
    }
}

extension StanzaError: CustomStringConvertible, LocalizedError {
    /// One line of bounded length, whatever the sender has written.
    public var description: String {
        "the request was refused: \(condition.excerpt())" + (text.map { " (\($0.excerpt()))" } ?? "")
    }

    public var errorDescription: String? { description }
}
