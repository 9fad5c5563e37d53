// An answer that no handler gets: the request that it ends, and the reason.

public import Handlers
import Persistence
import StreamManagement
import XMLTree
import XMPPCore

/// An answer that no handler could handle (rule R40), or that the parser rejected (rule R7).
struct LostAnswer: Sendable {
    let id: String
    private let sender: String?
    /// The `to` of the answer.
    private let asker: String?
    /// Whether a missing `sender` means that the answer had no `from`.
    private let isSenderKnown: Bool
    let end: StoredRequest.End
    let rejection: RejectedStanza?

    /// - Returns: `nil` for a stanza that is not an answer.
    init?(notHandled stanza: Element) {
        guard Requests.isAnswer(stanza), let id = stanza["id"] else { return nil }
        self.id = id
        sender = stanza["from"]
        asker = stanza["to"]
        isSenderKnown = true
        end = .notHandled
        rejection = nil
    }

    /// - Returns: `nil` for a stanza that is not an answer, and for one of which too little is known.
    init?(rejected stanza: RejectedStanza) {
        guard stanza.name == "iq", stanza.namespace == Namespaces.client,
            stanza.type == "result" || stanza.type == "error", let id = stanza.id
        else { return nil }
        self.id = id
        sender = stanza.from
        asker = stanza.to
        isSenderKnown = sender != nil || stanza.isStartTagComplete
        end = .rejected
        rejection = stanza
    }

    /// Whether the answer comes from the recipient of a request.
    func answers(requestTo recipient: String?, account: JID) -> Bool {
        isSenderKnown && Requests.accepts(from: sender, at: asker, to: recipient, account: account)
    }
}

extension InvalidationReason {
    /// Handling the answer has failed too often, and the session has dead-lettered it (rule R40).
    public static let answerNotHandled = InvalidationReason(rawValue: "answer-not-handled")

    /// The parser has skipped the answer: it is beyond a limit, or not namespace-well-formed (rule R7).
    public static let answerRejected = InvalidationReason(rawValue: "answer-rejected")
}

extension StanzaDatabase {
    /// Notes that no handler gets an answer, so that this process or the next one ends its request.
    func note(_ answer: LostAnswer, of account: JID) throws {
        try endRequest(answer.id, of: account, because: answer.end) { request in
            answer.answers(requestTo: request.recipient, account: account)
        }
    }
}
