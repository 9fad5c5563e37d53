// The state that all copies of a handler share in this process: whether it was invalidated or its only call was taken.
//
// A table finds the state by identity, so a decoded copy shares the state of the existing copies.

import Foundation
import Synchronization

/// The event that ended a handler.
public enum HandlerMark: Sendable, Hashable {
    /// It is single-shot, and a call won.
    case called
    /// It was invalidated.
    case invalidated(InvalidationReason)
}

/// The state of one identity in this process.
final class HandlerState: Sendable {
    let id: UUID
    private let current = Mutex<HandlerMark?>(nil)

    private init(id: UUID) { self.id = id }

    deinit {
        // This may release the last reference to a newer state, whose own deinit takes the lock: release it outside.
        _ = Self.table.withLock { $0.removeEnded(id) }
    }

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

// MARK: By identity

extension HandlerState {
    /// The states that are alive in this process. The references are weak: a state ends with its last handler.
    private struct Table {
        private struct Entry {
            weak var state: HandlerState?
        }

        private var entries: [UUID: Entry] = [:]

        func state(of id: UUID) -> HandlerState? { entries[id]?.state }

        mutating func insert(_ state: HandlerState) { entries[state.id] = Entry(state: state) }

        /// Removes the entry of a state that has ended. Keeps a newer state of the same identity, and returns it.
        mutating func removeEnded(_ id: UUID) -> HandlerState? {
            guard let entry = entries[id] else { return nil }
            let newer = entry.state
            if newer == nil { entries[id] = nil }
            return newer
        }
    }

    private static let table = Mutex(Table())

    /// Returns the state of an identity: the one that is alive, or a new one.
    static func shared(by id: UUID) -> HandlerState {
        table.withLock { table in
            if let state = table.state(of: id) { return state }
            let state = HandlerState(id: id)
            table.insert(state)
            return state
        }
    }
}
