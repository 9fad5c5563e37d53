// Notes lost answers, on the thread of the stream that received them.

import Persistence
import XMPPCore

extension StanzaDatabase {
    /// Notes that no handler gets an answer, so that this process or the next one ends its request.
    func note(_ answer: LostAnswer, of account: JID) throws {
        try endRequest(answer.id, of: account, because: answer.end) { request in
            answer.answers(requestTo: request.recipient, account: account)
        }
    }
}
