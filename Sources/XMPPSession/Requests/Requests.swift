// Requests and their answers as elements: identifiers, and the senders that may answer.

import Foundation
import Persistence
import XMLTree
import XMPPCore

enum Requests {
    static func isAnswer(_ stanza: Element) -> Bool {
        stanza.name == "iq" && (stanza["type"] == "result" || stanza["type"] == "error")
    }

    static func isRequest(_ iq: Element) -> Bool { iq["type"] == "get" || iq["type"] == "set" }

    /// The request with its `id`, or with a new one.
    static func identified(_ iq: Element) throws -> (iq: Element, id: String) {
        guard iq.name == "iq", iq.namespace == Namespaces.client, isRequest(iq) else {
            throw RequestError.notARequest
        }
        if let id = iq["id"], !id.isEmpty { return (iq, id) }
        let id = UUID().uuidString
        let copy = iq.thaw()
        copy["id"] = id
        return (copy.freeze(), id)
    }

    /// Whether a stanza sends one of the requests.
    static func isOne(of requests: [StoredRequest], _ stanza: Element) -> Bool {
        stanza.name == "iq" && !isAnswer(stanza)
            && requests.contains { isEqual(stanza["id"], $0.id) && isEqual(stanza["to"], $0.recipient) }
    }

    private static func isEqual(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.utf8.elementsEqual(other.utf8)
    }

    /// Whether an answer comes from the recipient of its request (RFC 6120 §8.1.2.1). Otherwise any entity that guesses
    /// an `id` could answer.
    ///
    /// The server answers requests to the user's own account: without `from`, or with the account's address, its
    /// domain, or the full address that asked. Another session of the account may not answer them.
    ///
    /// - Parameter asker: The `to` of the answer. The server delivers a stanza to a full address only to the session
    ///   that is bound to it.
    static func accepts(from sender: String?, at asker: String?, to recipient: String?, account: JID) -> Bool {
        let own = LenientAddress(account.description)
        let wanted = recipient.flatMap(LenientAddress.init)
        if recipient == nil || (wanted != nil && (wanted == own || wanted == own?.server)) {
            guard let sender else { return true }
            guard let address = LenientAddress(sender) else { return false }
            if recipient != nil, wanted != own { return address == wanted }
            if address.resource == nil { return address == own || address == own?.server }
            return address.bare == own && address == asker.flatMap(LenientAddress.init)
        }
        guard let sender else { return false }
        if let wanted, let address = LenientAddress(sender) { return address == wanted }
        return recipient.map { $0.utf8.elementsEqual(sender.utf8) } ?? false
    }
}
