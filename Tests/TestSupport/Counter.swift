// Counts across tasks.

import Locking

/// Counts from 1.
public final class Counter: Sendable {
    private let state = Lock(0)

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
