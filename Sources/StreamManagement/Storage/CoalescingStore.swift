// Holds back what may be stored late, so that many small changes become few writes.
//
// The policy says what else may be late, and what a crash can cost then. What many changes come to is
// CoalescedChanges.swift.

import Synchronization
public import XMLTree

/// A store around another one that writes deferrable changes together with the next immediate one, or on `flush()`.
///
/// Without a laxer policy this concerns the removal of acknowledged stanzas and the handled count before it is told
/// (D49): a stanza that is sent, and a count that is told, are durable before.
///
/// Of several tasks that write at once each waits for the other, so that changes are stored in their order.
public final class CoalescingStore: SessionStore {
    private let store: any SessionStore
    private let policy: WritePolicy
    private let held = Mutex(CoalescedChanges())

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
            for change in changes { held.add(change) }
            let isDue =
                held.count >= policy.maximumChanges || (urgency == .immediate && !changes.allSatisfy(policy.defers))
            if isDue { try writeAll(&held) }
        }
    }

    /// Commits effects and changes in the store that this one writes to. The held changes commit first.
    ///
    /// - Parameters:
    ///   - effects: The effects of a batch, in order.
    ///   - inner: The store that this one writes to.
    ///   - changes: See ``TransactionalStore/write(with:_:)``.
    /// - Returns: Why the effects after the committed ones failed.
    /// - Throws: `StorageError.takesNoEffects` for another store than that one; what that one throws.
    public func write<Store: TransactionalStore>(
        with effects: [Store.Effects], in inner: Store, _ changes: (_ count: Int) throws -> [StorageChange]
    ) throws -> EffectsError? {
        guard inner === store else { throw StorageError.takesNoEffects }
        return try held.withLock { held in
            let before = held
            do {
                return try inner.write(with: effects) { count in
                    for change in try changes(count) { held.add(change) }
                    return held.take()
                }
            } catch {
                held = before
                throw error
            }
        }
    }

    /// Whether this store writes to that one.
    func writes(to other: some SessionStore) -> Bool { other === store }

    public func flush() throws {
        try held.withLock { try writeAll(&$0) }
    }

    private func writeAll(_ held: inout CoalescedChanges) throws {
        let before = held
        let changes = held.take()
        if changes.isEmpty { return }
        do {
            try store.write(changes, .immediate)
        } catch {
            // None of them was made: they are still to be.
            held = before
            throw error
        }
    }

    public func close() {
        store.close()
    }
}

/// What may be stored late, and so be lost when the process is killed.
public struct WritePolicy: Hashable, Sendable {
    /// New outgoing stanzas may be late: those that were given to be sent just before a kill may be lost, or, if they
    /// were sent, not be sent again when they should be.
    public var defersStanzas: Bool
    /// The handled count may be late although the server was told: then the next `<resume/>` tells it less than it
    /// knows, and a server that takes this for a violation ends the session.
    public var defersHandledCount: Bool
    /// How many changes are held back at most.
    public var maximumChanges: Int

    public init(defersStanzas: Bool = false, defersHandledCount: Bool = false, maximumChanges: Int = 100) {
        self.defersStanzas = defersStanzas
        self.defersHandledCount = defersHandledCount
        self.maximumChanges = maximumChanges
    }

    /// Nothing is lost (D49).
    public static let durable = WritePolicy()

    /// The last stanzas before a kill may be lost. For what can be had again, such as presence and queries.
    public static let relaxed = WritePolicy(defersStanzas: true, defersHandledCount: true)

    func defers(_ change: StorageChange) -> Bool {
        switch change {
        case .append, .identify, .withdraw: defersStanzas
        case .handled: defersHandledCount
        case .acknowledge, .blameSent, .lastDisconnect, .handlingAttempts, .replace, .remove, .sendWaiting: false
        }
    }
}
