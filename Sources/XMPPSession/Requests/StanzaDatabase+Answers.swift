// What is noted of answers on the thread of the stream that they come on.

import Persistence

extension StanzaDatabase {
    /// Notes that no handler is called with an answer, so that whatever process is next ends its request.
    func note(_ answer: LostAnswer, of account: String) throws {
        try endRequest(answer.id, of: account, because: answer.end) { request in
            answer.answers(requestTo: request.recipient, account: account)
        }
    }
}
