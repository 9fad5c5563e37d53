// Requests that end before they are sent.

import Persistence
import Synchronization
import XMLTree

/// Requests that are not to be sent any more if they wait for it.
final class Withdrawals: Sendable {
    private let requests = Mutex<[StoredRequest]>([])

    func add(_ added: [StoredRequest]) { requests.withLock { $0 += added } }

    /// Whether a stanza that waits is not to be sent.
    func contain(_ stanza: Element) -> Bool {
        requests.withLock { $0.contains { Requests.isRequest(stanza, id: $0.id, to: $0.recipient) } }
    }
}
