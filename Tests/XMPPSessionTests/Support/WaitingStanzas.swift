// Stanzas that have come and wait for the handler before them.

@testable import StreamManagement
@testable import XMPPSession

extension DurableSession {
    var waitingCount: Int { get async { await stream.received.count } }
}
