// Counts across tasks.

import Synchronization

final class Counter: Sendable {
    private let state = Mutex(0)

    var value: Int { state.withLock { $0 } }

    @discardableResult
    func next() -> Int {
        state.withLock { count in
            count += 1
            return count
        }
    }
}

/// A server's port, which its script knows after it has begun.
final class Ports: Sendable {
    private let state = Mutex<UInt16>(0)

    var value: UInt16 {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
