// When a stream was last written to, and which of the elements that come answers a ping.

import Synchronization
import XMLTree

/// What keep-alive knows of a stream: how much was written, and the ping that is on its way.
final class StreamPulse: Sendable {
    private struct State {
        var written: UInt64 = 0
        var ping: String?
    }

    private let state = Mutex(State())

    var written: UInt64 { state.withLock { $0.written } }

    func noteWritten() { state.withLock { $0.written &+= 1 } }

    func notePing(_ id: String) { state.withLock { $0.ping = id } }

    /// Notes an element, and says whether it answers our ping: a result, or the error of a server that knows no pings.
    func noteRead(_ element: Element) -> Bool {
        state.withLock { state in
            guard let ping = state.ping, element.isNamed("iq", Namespaces.client), element["id"] == ping,
                element["type"] == "result" || element["type"] == "error"
            else { return false }
            state.ping = nil
            return true
        }
    }
}
