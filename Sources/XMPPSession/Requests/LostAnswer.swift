// An answer that no handler is called with: which request it ends, and why.

import Persistence
import StreamManagement
import XMLTree

/// An answer that nobody could handle (rule R40), or that is beyond a limit of the parser (rule R7).
struct LostAnswer: Sendable {
    let id: String
    private let sender: String?
    /// Whether no `from` means that there was none.
    private let isSenderKnown: Bool
    let end: StoredRequest.End
    let rejection: RejectedStanza?

    /// - Returns: `nil` for a stanza that answers nothing.
    init?(notHandled stanza: Element) {
        guard Requests.isAnswer(stanza), let id = stanza["id"] else { return nil }
        self.id = id
        sender = stanza["from"]
        isSenderKnown = true
        end = .notHandled
        rejection = nil
    }

    /// - Returns: `nil` for a stanza that answers nothing, and for one of which too little is known.
    init?(rejected stanza: RejectedStanza) {
        guard stanza.name == "iq", stanza.namespace == "jabber:client",
            stanza.type == "result" || stanza.type == "error", let id = stanza.id
        else { return nil }
        self.id = id
        sender = stanza.from
        isSenderKnown = sender != nil || stanza.isStartTagComplete
        end = .rejected
        rejection = stanza
    }

    /// Whether it comes from whom a request was sent to.
    func answers(requestTo recipient: String?, account: String) -> Bool {
        isSenderKnown && Requests.accepts(from: sender, to: recipient, account: account)
    }
}
