// What one task tells another.

import Synchronization

/// Something that has happened, or not yet.
final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock(\.self) }

    func set() { state.withLock { $0 = true } }
}
