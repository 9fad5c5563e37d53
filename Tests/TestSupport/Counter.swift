// Counts across tasks.

import Synchronization

/// Counts from 1.
public final class Counter: Sendable {
    private let state = Mutex(0)

    public init() {}

    public var value: Int { state.withLock { $0 } }

    @discardableResult
    public func next() -> Int {
        state.withLock { count in
            count += 1
            return count
        }
    }
}
