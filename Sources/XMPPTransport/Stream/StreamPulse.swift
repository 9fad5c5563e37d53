// The writes of a stream, and the arriving element that answers a ping.

import Locking
import StreamManagement
import XMLTree

/// The state of keep-alive on a stream: the number of writes, and the pending ping.
final class StreamPulse: Sendable {
    private struct State {
        var written: UInt64 = 0
        var ping: String?
    }

    private let state = Lock(State())

    var written: UInt64 { state.withLock { $0.written } }

    func noteWritten() { state.withLock { $0.written &+= 1 } }

    func notePing(_ id: String?) { state.withLock { $0.ping = id } }

    /// Notes an element, and returns whether it answers our ping.
    func noteRead(_ element: Element) -> Bool {
        state.withLock { state in
            guard let ping = state.ping, Ping.isAnswer(element, to: ping) else { return false }
            state.ping = nil
            return true
        }
    }
}
