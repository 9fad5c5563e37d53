// Requests that end before they are sent.

import Persistence
import Synchronization
import XMLTree

/// Requests that the stream must not send any more.
final class Withdrawals: Sendable {
    private let requests = Mutex<[StoredRequest]>([])

    func add(_ added: [StoredRequest]) { requests.withLock { $0 += added } }

    /// Whether a waiting stanza is one of them.
    func contain(_ stanza: Element) -> Bool {
        requests.withLock { $0.contains { Requests.isRequest(stanza, id: $0.id, to: $0.recipient) } }
    }
}
