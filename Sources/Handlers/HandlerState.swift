// What all copies of a handler share in this process: whether it was invalidated, or its only call was taken.
//
// Copies are found by their identity: one that is decoded shares the state of those that are alive. What outlives the
// process is the store's; HandlerCentre keeps both in step.

import Foundation
import Synchronization

/// What ended a handler.
public enum HandlerMark: Sendable, Hashable {
    /// It is single-shot, and a call won.
    case called
    /// It was invalidated.
    case invalidated(InvalidationReason)
}

/// The state of one identity in this process.
final class HandlerState: Sendable {
    let id: UUID
    private let current = Mutex<(mark: HandlerMark, isKept: Bool)?>(nil)
    private let wasStored = Atomic(false)

    private init(id: UUID) { self.id = id }

    deinit {
        // Another state of this identity may end here: not inside of the lock, which its own end takes.
        _ = Self.table.withLock { $0.removeEnded(id) }
    }

    /// Whether a store has it, or has had it: then it ends when it is removed there.
    var isStored: Bool { wasStored.load(ordering: .acquiring) }

    /// A store has it.
    func noteStored() { wasStored.store(true, ordering: .releasing) }

    var mark: HandlerMark? { current.withLock { $0?.mark } }

    /// Whether there is a mark that will not be taken away any more.
    var hasKeptMark: Bool { current.withLock { $0?.isKept == true } }

    /// Sets the mark unless there is one. Of several callers exactly one gets true.
    ///
    /// - Parameters:
    ///   - mark: The mark.
    ///   - isKept: Whether the store has it already; what is only claimed may come to nothing.
    func settle(_ mark: HandlerMark, isKept: Bool = true) -> Bool {
        current.withLock { current in
            guard current == nil else { return false }
            current = (mark, isKept)
            return true
        }
    }

    /// Sets the mark that somebody else has left before.
    func end(_ mark: HandlerMark) { current.withLock { $0 = (mark, true) } }

    /// The store has the mark that was claimed.
    func keep() {
        current.withLock { current in
            if let mark = current?.mark { current = (mark, true) }
        }
    }

    /// Takes the mark away again: what was claimed was rolled back.
    func reopen() { current.withLock { $0 = nil } }
}

// MARK: By identity

extension HandlerState {
    /// The states that are alive in this process. Weak: they end with their last handler.
    private struct Table {
        private struct Entry {
            weak var state: HandlerState?
        }

        private var entries: [UUID: Entry] = [:]

        func state(of id: UUID) -> HandlerState? { entries[id]?.state }

        mutating func insert(_ state: HandlerState) { entries[state.id] = Entry(state: state) }

        /// Leaves a newer state of the same identity alone, and returns it.
        mutating func removeEnded(_ id: UUID) -> HandlerState? {
            guard let entry = entries[id] else { return nil }
            let newer = entry.state
            if newer == nil { entries[id] = nil }
            return newer
        }
    }

    private static let table = Mutex(Table())

    /// The state of an identity: the one that is alive, or a new one.
    static func shared(by id: UUID) -> HandlerState {
        table.withLock { table in
            if let state = table.state(of: id) { return state }
            let state = HandlerState(id: id)
            table.insert(state)
            return state
        }
    }

    /// The state of an identity, if a handler in this process has it.
    static func alive(_ id: UUID) -> HandlerState? { table.withLock { $0.state(of: id) } }
}
