// The state that all copies of a handler share: whether it was invalidated, or its only call was taken.

import Synchronization

/// The event that ended a handler.
public enum HandlerMark: Sendable, Hashable {
    /// It is single-shot, and a call won.
    case called
    /// It was invalidated.
    case invalidated(InvalidationReason)
}

/// The state of one handler.
final class HandlerState: Sendable {
    private let current = Mutex<HandlerMark?>(nil)

    var mark: HandlerMark? { current.withLock { $0 } }

    /// Sets the mark unless one is set. Exactly one of several callers gets true.
    func settle(_ mark: HandlerMark) -> Bool {
        current.withLock { current in
            guard current == nil else { return false }
            current = mark
            return true
        }
    }
}
