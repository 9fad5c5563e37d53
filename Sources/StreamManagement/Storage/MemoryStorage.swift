// The storage that forgets: for tests, and for applications that do not resume after a restart.

import Foundation

/// Keeps sessions in memory, as long as it lives itself.
///
///     let storage = MemoryStorage()
///     let store = try storage.open("juliet@example.org")
///
/// Sendable without being checked: everything it holds is read and written under its lock.
public final class MemoryStorage: StreamManagementStorage, @unchecked Sendable {
    private let lock = NSLock()
    private let servesSeveralAccounts: Bool
    private var sessions: [String: StoredSession] = [:]
    private var owners: [String: Owner] = [:]

    /// - Parameter servesSeveralAccounts: Whether streams of several accounts may share the storage.
    public init(servesSeveralAccounts: Bool = false) {
        self.servesSeveralAccounts = servesSeveralAccounts
    }

    public func open(_ account: String, takingOver: Bool) throws -> any SessionStore {
        try lock.withLock {
            owners = owners.filter { $0.value.store != nil }
            if owners[account] != nil, !takingOver { throw StorageError.inUse(account: account) }
            if !servesSeveralAccounts, owners.keys.contains(where: { $0 != account }) {
                throw StorageError.servesOneStream(account: account)
            }
            let store = Store(account: account, storage: self)
            owners[account] = Owner(store: store)
            return store
        }
    }

    /// What is stored for an account.
    public func session(of account: String) -> StoredSession? { lock.withLock { sessions[account] } }

    private func withSession<Result>(
        of store: Store, _ body: (inout StoredSession?) throws -> Result
    ) throws -> Result {
        try lock.withLock {
            guard owners[store.account]?.store === store else { throw StorageError.takenOver(account: store.account) }
            return try body(&sessions[store.account])
        }
    }

    private func release(_ store: Store) {
        lock.withLock {
            if owners[store.account]?.store === store { owners[store.account] = nil }
        }
    }

    /// Who lets go of a store without closing it owns nothing any more.
    private struct Owner {
        weak var store: Store?
    }

    private final class Store: SessionStore {
        let account: String
        private let storage: MemoryStorage

        init(account: String, storage: MemoryStorage) {
            self.account = account
            self.storage = storage
        }

        func load() throws -> StoredSession? { try storage.withSession(of: self) { $0 } }

        func write(_ changes: [StorageChange], _ urgency: StorageUrgency) throws {
            try storage.withSession(of: self) { session in
                for change in changes { session = StoredSession.applying(change, to: session) }
            }
        }

        func flush() throws {}

        func close() { storage.release(self) }
    }
}
