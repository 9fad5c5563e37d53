// A storage in memory: for tests, and for applications that do not resume after a restart.

import Locking
public import XMPPCore

/// Keeps sessions in memory, as long as the storage exists.
///
/// ```swift
/// let storage = MemoryStorage()
/// let store = try storage.open("juliet@example.org")
/// ```
public final class MemoryStorage: StreamManagementStorage {
    private let servesSeveralAccounts: Bool
    private let contents = Lock(Contents())

    private struct Contents {
        var sessions: [JID: StoredSession] = [:]
        var owners: [JID: Owner] = [:]
    }

    /// - Parameter servesSeveralAccounts: Whether streams of several accounts may share the storage.
    public init(servesSeveralAccounts: Bool = false) {
        self.servesSeveralAccounts = servesSeveralAccounts
    }

    public func open(_ account: JID, takingOver: Bool) throws(StorageError) -> any SessionStore {
        let account = account.bare
        let store = Store(account: account, storage: self)
        try contents.withLock { contents throws(StorageError) in
            contents.owners = contents.owners.filter { $0.value.store != nil }
            if contents.owners[account] != nil, !takingOver { throw StorageError.inUse(account: account) }
            if !servesSeveralAccounts, contents.owners.keys.contains(where: { $0 != account }) {
                throw StorageError.servesOneStream(account: account)
            }
            contents.owners[account] = Owner(store: store)
        }
        return store
    }

    /// Returns the stored session of an account.
    public func session(of account: JID) -> StoredSession? { contents.withLock { $0.sessions[account.bare] } }

    private func withSession<Result: Sendable>(
        of store: Store, _ body: (inout StoredSession?) throws -> Result
    ) throws -> Result {
        try contents.withLock { contents in
            guard contents.owners[store.account]?.store === store else {
                throw StorageError.takenOver(account: store.account)
            }
            return try body(&contents.sessions[store.account])
        }
    }

    private func release(_ store: Store) {
        contents.withLock { contents in
            if contents.owners[store.account]?.store === store { contents.owners[store.account] = nil }
        }
    }

    /// A reference to the owner. An owner that releases its store without closing it no longer owns the session.
    private struct Owner {
        weak var store: Store?
    }

    private final class Store: SessionStore {
        let account: JID
        private let storage: MemoryStorage

        init(account: JID, storage: MemoryStorage) {
            self.account = account
            self.storage = storage
        }

        func load() throws -> StoredSession? { try storage.withSession(of: self) { $0 } }

        func write(_ changes: [StorageChange]) throws {
            try storage.withSession(of: self) { session in
                for change in changes { StoredSession.apply(change, to: &session) }
            }
        }

        func close() { storage.release(self) }
    }
}
