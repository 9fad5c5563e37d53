// The port of a server for its own script.

import Synchronization

/// A server's port, which exists only after the server has started with its script.
final class Ports: Sendable {
    private let state = Mutex<UInt16>(0)

    var value: UInt16 {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
