// One account's session in the database, as the stream that owns it sees it. The rows are SessionTable.swift's.

import StreamManagement
import Synchronization
public import XMLTree

/// A session in the database, owned by one stream.
///
/// Each write is one transaction, which is on the disk when `write` returns. Whoever runs the core without
/// `StreamSession` can commit its changes together with other things, in their transaction:
///
/// ```swift
/// try await database.collect { work in
///     try await handlers.call(handler, ["stanza": stanza, "work": work])
///     try session.write([.handled(counter)], in: work)
/// }
/// ```
///
/// It does not work while the database is frozen: suspend the stream before.
public final class DatabaseSession: SessionStore {
    public let account: String
    private let database: StanzaDatabase
    /// Who the table of owners has to name for this to be the owner.
    package let token: Int64
    /// Whether the owner before this one did not give the session up: its process has perhaps been killed while it
    /// handled a batch.
    package let followsUncleanEnd: Bool
    private let isOpen = Mutex(true)

    init(account: String, database: StanzaDatabase, token: Int64, followsUncleanEnd: Bool) {
        self.account = account
        self.database = database
        self.token = token
        self.followsUncleanEnd = followsUncleanEnd
    }

    deinit {
        // Nobody can close it any more. Its row stays, and names somebody who does not live.
        if isOpen.withLock(\.self) { database.owners.remove(token) }
    }

    public func load() throws -> StoredSession? {
        try database.readWaiting(for: account) { transaction in
            try check(transaction)
            return try transaction.sessions.session(of: account)
        }
    }

    public func check() throws { try database.readWaiting(for: account) { try check($0) } }

    /// Makes changes in a transaction of their own, and waits until they are on the disk; both urgencies are the same
    /// here. Do not call it inside of another transaction of the database: there is `write(_:in:)` for that.
    public func write(_ changes: [StorageChange], _ urgency: StorageUrgency) throws {
        if changes.isEmpty { return }
        try database.writePatiently(for: account) { try write(changes, in: $0) }
    }

    /// - Throws: `StanzaDatabaseError.recordTooLarge`, or `XMLParseError` for a stanza that could not be read back,
    ///   such as one that is too deep.
    public func checkCanStore(_ stanza: Element) throws { try stanza.checkCanBeStored() }

    /// Makes changes as a part of a transaction.
    ///
    /// - Throws: `StorageError.takenOver` if another stream owns the session by now. Let the transaction fail then:
    ///   what it has done because of a stanza will be done by the other owner.
    public func write(_ changes: [StorageChange], in transaction: DatabaseTransaction) throws {
        try check(transaction)
        for change in changes { try transaction.sessions.apply(change, to: account) }
    }

    /// Makes changes together with what a handler collects, or not at all.
    public func write(_ changes: [StorageChange], in work: DatabaseWork) throws {
        try work.add { try self.write(changes, in: $0) }
    }

    /// Nothing is held back here.
    public func flush() throws {}

    public func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if !wasOpen { return }
        // If this fails, whoever comes next finds an owner that does not live.
        try? database.writeWaiting(for: account) { transaction in
            let owner = try transaction.sessions.owner(of: account)
            if owner == token { try transaction.sessions.giveUp(account, by: token) }
        }
        database.owners.remove(token)
    }

    fileprivate func check(_ transaction: DatabaseTransaction) throws {
        guard isOpen.withLock(\.self), try transaction.sessions.owner(of: account) == token else {
            throw StorageError.takenOver(account: account)
        }
    }
}

extension DatabaseSession: TransactionalStore {
    /// Commits the changes that works have collected, and changes of the session, in one transaction. Each of several
    /// works has a savepoint of its own.
    ///
    /// - Returns: Why the work after the committed ones failed: an error that one of its steps threw, unless the
    ///   database could not do it.
    /// - Throws: `StorageError.takesNoEffects` for work of another database; what the database throws.
    public func write(
        with works: [DatabaseWork], _ changes: (_ count: Int) throws -> [StorageChange]
    ) throws -> EffectsError? {
        guard works.allSatisfy({ $0.database === database }) else { throw StorageError.takesNoEffects }
        do {
            let failure = try database.writeWaiting(for: account) { transaction in
                try check(transaction)
                let (count, failure) = try perform(works, in: transaction)
                try write(changes(count), in: transaction)
                return failure
            }
            database.tellOfChanges()
            return failure
        } catch let error as FirstWorkFailed {
            return error.failure
        }
    }

    /// Makes the changes of works until one fails.
    private func perform(
        _ works: [DatabaseWork], in transaction: DatabaseTransaction
    ) throws -> (count: Int, failure: EffectsError?) {
        for (count, work) in works.enumerated() {
            do {
                // The transaction itself rolls back a single work.
                if works.count == 1 {
                    try work.performAsOne(in: transaction)
                } else {
                    try work.performInSavepoint(of: transaction)
                }
            } catch let error as EffectsError {
                if count == 0 { throw FirstWorkFailed(failure: error) }
                // A statement with `ON CONFLICT ROLLBACK` has undone the works before, too.
                guard transaction.database.isInsideTransaction else { throw error.underlying }
                return (count, error)
            }
        }
        return (works.count, nil)
    }
}

/// Rolls back a transaction of which nothing is to be committed.
private struct FirstWorkFailed: Error {
    let failure: EffectsError
}

extension StanzaDatabase: TransactionalStorage {
    public func openStore(of account: String) -> DatabaseSession? { openSessions.session(of: account) }

    /// Claims the session of an account for a stream of this process. One database keeps the sessions of any number of
    /// accounts.
    ///
    /// An owner whose process has ended, or whose database is frozen, is passed over without being asked. If it comes
    /// back, it hears `StorageError.takenOver` with its next write.
    ///
    /// It waits for other transactions and for the disk, so do not call it where a task must not be held up;
    /// `StreamSession` has a thread for that.
    ///
    /// - Throws: `StorageError.inUse` if another stream, or another process, has it and is not to be taken over from; a
    ///   `StanzaDatabaseError`.
    public func openSession(_ account: String, takingOver: Bool = false) throws -> DatabaseSession {
        let token = try owners.add()
        let former: Int64?
        do {
            former = try writePatiently(for: account) { transaction in
                let owner = try transaction.sessions.owner(of: account)
                if !takingOver, let owner, try owners.lives(owner) { throw StorageError.inUse(account: account) }
                try transaction.sessions.setOwner(of: account, to: token)
                return owner
            }
        } catch {
            owners.remove(token)
            throw error
        }
        // An owner that gives a session up leaves its token negative.
        let session = DatabaseSession(
            account: account, database: self, token: token, followsUncleanEnd: former.map { $0 > 0 } ?? false)
        openSessions.note(session)
        return session
    }

    public func open(_ account: String, takingOver: Bool) throws -> any SessionStore {
        try openSession(account, takingOver: takingOver)
    }
}

/// The sessions that this process has opened on a database, each until nothing uses it.
final class OpenSessions: Sendable {
    private struct Opened {
        weak var session: DatabaseSession?
    }

    private let sessions = Mutex<[String: Opened]>([:])

    /// The session of that account which was opened last.
    func session(of account: String) -> DatabaseSession? { sessions.withLock { $0[account]?.session } }

    func note(_ session: DatabaseSession) {
        sessions.withLock { sessions in
            sessions = sessions.filter { $0.value.session != nil }
            sessions[session.account] = Opened(session: session)
        }
    }
}
