// When a stream was last heard of and last written to, and what is done when that is long ago.

import Synchronization
import XMLTree

/// What keep-alive knows of a stream: how much was written and read, and the ping that is on its way.
final class StreamPulse: Sendable {
    private struct State {
        var written: UInt64 = 0
        var read: UInt64 = 0
        var ping: String?
    }

    private let state = Mutex(State())

    var written: UInt64 { state.withLock { $0.written } }
    var read: UInt64 { state.withLock { $0.read } }
    /// Whether a ping is without an answer.
    var isWaiting: Bool { state.withLock { $0.ping != nil } }

    func noteWritten() { state.withLock { $0.written &+= 1 } }

    func notePing(_ id: String) { state.withLock { $0.ping = id } }

    /// Notes an element, and says whether it answers our ping: a result, or the error of a server that knows no pings.
    func noteRead(_ element: Element) -> Bool {
        state.withLock { state in
            state.read &+= 1
            guard let ping = state.ping, element.isNamed("iq", Namespaces.client), element["id"] == ping,
                element["type"] == "result" || element["type"] == "error"
            else { return false }
            state.ping = nil
            return true
        }
    }
}
