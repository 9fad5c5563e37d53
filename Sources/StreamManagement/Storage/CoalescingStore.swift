// Holds back deferrable changes, so that many small changes become few writes.
//
// `WritePolicy` names further changes to hold back, and the cost of a crash. CoalescedChanges.swift combines the
// changes.

import Locking
public import XMLTree

/// A store around another one. It writes deferrable changes together with the next other one, or on `flush()`.
///
/// With the default policy it holds back only the removal of acknowledged stanzas, and the handled count before it is
/// sent (D49). A stanza, and a handled count, are durable before the session sends them.
///
/// Its functions throw the errors of the store that it writes to.
///
/// Tasks that write at the same time wait for each other, so that the store keeps the order of changes.
public final class CoalescingStore: SessionStore {
    private let store: any SessionStore
    private let policy: WritePolicy
    private let held = Lock(CoalescedChanges())

    public init(_ store: any SessionStore, policy: WritePolicy = .durable) {
        self.store = store
        self.policy = policy
    }

    public func load() throws -> StoredSession? {
        try flush()
        return try store.load()
    }

    public func check() throws { try store.check() }

    public func checkCanStore(_ stanza: Element) throws { try store.checkCanStore(stanza) }

    public func write(_ changes: [StorageChange], _ urgency: StorageUrgency) throws {
        try held.withLock { held in
            let isDue =
                held.count + changes.count >= policy.maximumChanges
                || (urgency > .deferrable && !changes.allSatisfy(policy.defers))
            if isDue { try write(changes, &held) } else { held.add(changes) }
        }
    }

    /// Holds changes back that the storage cannot make for now, whatever the policy (D51). The next attempt to store
    /// them comes with a change that is not deferrable, with `flush()`, or with the policy's number of further changes.
    package func hold(_ changes: [StorageChange]) {
        held.withLock { held in
            held.add(changes)
            held.countAnew()
        }
    }

    /// Commits effects and changes in the store that this one writes to. The held changes commit in the same
    /// transaction, before the new ones.
    ///
    /// - Parameters:
    ///   - effects: The changes of the app.
    ///   - inner: The store that this one writes to.
    ///   - changes: See ``TransactionalStore/write(with:_:)``.
    /// - Throws: `StorageError.takesNoEffects` if this store does not write to `inner`; the errors of `inner`.
    public func write<Store: TransactionalStore>(
        with effects: Store.Effects, in inner: Store, _ changes: () throws -> [StorageChange]
    ) throws {
        guard inner === store else { throw StorageError.takesNoEffects }
        try held.withLock { held in
            let before = held
            do {
                try inner.write(with: effects) {
                    held.add(try changes())
                    return held.take()
                }
            } catch {
                held = before
                throw error
            }
        }
    }

    /// Whether this store writes to `other`.
    func writes(to other: some SessionStore) -> Bool { other === store }

    public func flush() throws {
        try held.withLock { try write([], &$0) }
    }

    /// Writes the held changes and new ones. If the store fails, it has made none of them, and the held changes stay
    /// held.
    private func write(_ changes: [StorageChange], _ held: inout CoalescedChanges) throws {
        let before = held
        held.add(changes)
        let all = held.take()
        if all.isEmpty { return }
        do {
            try store.write(all, .immediate)
        } catch {
            held = before
            throw error
        }
    }

    public func close() {
        store.close()
    }
}

/// The changes that a store may write late, and so lose when the process is killed.
public struct WritePolicy: Hashable, Sendable {
    /// Whether new outgoing stanzas may be written late. A kill can lose the last stanzas that were passed to be sent.
    /// If they were sent already, they may not be sent again when they should be.
    public var defersStanzas: Bool
    /// Whether the handled count may be written after it was sent to the server. After a kill, the next `<resume/>` may
    /// then carry a lower count than an earlier acknowledgement. A server that takes this for a violation ends the
    /// session.
    public var defersHandledCount: Bool
    /// The largest number of held changes.
    public var maximumChanges: Int

    public init(defersStanzas: Bool = false, defersHandledCount: Bool = false, maximumChanges: Int = 100) {
        self.defersStanzas = defersStanzas
        self.defersHandledCount = defersHandledCount
        self.maximumChanges = maximumChanges
    }

    /// Loses no change (D49).
    public static let durable = WritePolicy()

    /// May lose the last stanzas before a kill. For stanzas that the app can request or send again, such as presence
    /// and queries.
    public static let relaxed = WritePolicy(defersStanzas: true, defersHandledCount: true)

    func defers(_ change: StorageChange) -> Bool {
        switch change {
        case .append, .hold, .identify, .withdraw: defersStanzas
        case .handled: defersHandledCount
        case .acknowledge, .blameSent, .lastDisconnect, .handlingAttempts, .replace, .begin, .remove, .sendWaiting,
            .release, .greeted, .unansweredResumptions:
            false
        }
    }
}
