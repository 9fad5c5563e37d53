// The place of a server that is known after it has begun.

import Synchronization

/// A server's port, which its script knows after it has begun.
final class Ports: Sendable {
    private let state = Mutex<UInt16>(0)

    var value: UInt16 {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
