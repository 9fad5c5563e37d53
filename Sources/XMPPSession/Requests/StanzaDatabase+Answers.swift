// What is noted of answers on the thread of the stream that they come on.

import Persistence
import XMLTree

extension StanzaDatabase {
    /// Notes that nobody could handle an answer, so that whatever process is next ends its request.
    func setAside(_ answer: Element, of account: String) throws {
        guard let id = answer["id"] else { return }
        try setAsideRequest(id, of: account) { request in
            Requests.accepts(from: answer["from"], to: request.recipient, account: account)
        }
    }
}
