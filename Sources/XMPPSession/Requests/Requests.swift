// Requests and their answers, as elements: identifiers, and who may answer what.

import DataForms
import Foundation
import XMLTree

/// What the handler of a request is called with. The raw values are stored.
enum RequestKind: String {
    /// The answer.
    case iq
    /// The items of a node, or the error.
    case pubsubItems = "pubsub-items"
}

enum Requests {
    static func isAnswer(_ stanza: Element) -> Bool {
        stanza.name == "iq" && (stanza["type"] == "result" || stanza["type"] == "error")
    }

    /// A request with an `id`.
    static func identified(_ iq: Element) throws -> (iq: Element, id: String) {
        guard iq.name == "iq", iq.namespace == "jabber:client", iq["type"] == "get" || iq["type"] == "set" else {
            throw RequestError.notARequest
        }
        if let id = iq["id"], !id.isEmpty { return (iq, id) }
        let id = UUID().uuidString
        let copy = iq.thaw()
        try copy.setAttribute("id", to: id)
        return (copy.freeze(), id)
    }

    /// Whether a stanza is the request of that `id`.
    static func isRequest(_ stanza: Element, id: String, to recipient: String?) -> Bool {
        stanza.name == "iq" && !isAnswer(stanza) && isEqual(stanza["id"], id) && isEqual(stanza["to"], recipient)
    }

    private static func isEqual(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.utf8.elementsEqual(other.utf8)
    }

    /// Whether an answer comes from whom the request was sent to (RFC 6120 §8.1.2.1): nobody else may answer, or
    /// anybody who guesses an `id` could.
    ///
    /// What is sent to the own account is answered by the server on the account's behalf, without `from` or with the
    /// account's address, its domain, or the full address that asked.
    static func accepts(from sender: String?, to recipient: String?, account: String) -> Bool {
        let own = Address(account)
        let wanted = recipient.flatMap(Address.init)
        if recipient == nil || (wanted != nil && (wanted == own || wanted == own?.domainAddress)) {
            guard let sender else { return true }
            guard let address = Address(sender) else { return false }
            if recipient != nil, wanted != own { return address == wanted }
            return address.bare == own || address == own?.domainAddress
        }
        guard let sender else { return false }
        if let wanted, let address = Address(sender) { return address == wanted }
        return recipient.map { $0.utf8.elementsEqual(sender.utf8) } ?? false
    }
}
