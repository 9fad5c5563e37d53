// One account's session in the database, as its owner, a stream, uses it. SessionTable.swift has the rows.

import Foundation
import Locking
public import StreamManagement
public import XMLTree
public import XMPPCore

/// A session in the database, owned by one stream.
///
/// Each write is one transaction, which is on the disk when `write` returns. A runner of the core other than
/// `StreamSession` can commit the core's changes in the transaction of others (``write(_:in:)``).
///
/// Its methods fail while the database is frozen: suspend the stream first.
public final class DatabaseSession: SessionStore {
    /// The bare address.
    public let account: JID
    private let database: StanzaDatabase
    /// This owner's token in the table of owners.
    package let token = Int64.random(in: 1 ... .max)
    /// The tokens of the sessions that this process uses.
    private static let open = Lock<Set<Int64>>([])

    /// Whether this process uses the session of a token.
    static func isOpen(_ token: Int64) -> Bool { open.withLock { $0.contains(token) } }

    fileprivate init(account: JID, database: StanzaDatabase) {
        self.account = account
        self.database = database
        Self.open.withLock { _ = $0.insert(token) }
    }

    // No code can close the session any more. Its lease ends.
    deinit { Self.open.withLock { _ = $0.remove(token) } }

    /// Returns the stored session; `nil` if none is stored.
    ///
    /// - Throws: `StorageError.takenOver` if another stream owns the session now; a `StanzaDatabaseError`.
    public func load() throws -> StoredSession? {
        try database.readWaiting(for: account) { transaction in
            try check(transaction)
            return try transaction.sessions.session(of: account)
        }
    }

    /// Makes changes in their own transaction, and waits until they are on the disk. Without changes, it checks the
    /// owner. Do not call it within another transaction of the database: use `write(_:in:)` there.
    ///
    /// - Throws: `StorageError.takenOver` if another stream owns the session now; a `StanzaDatabaseError`.
    public func write(_ changes: [StorageChange]) throws {
        if changes.isEmpty { return _ = try database.readWaiting(for: account) { try check($0) } }
        try database.writePatiently(for: account) { try write(changes, in: $0) }
    }

    /// - Throws: `StanzaDatabaseError.recordTooLarge`; `XMLParseError` for a stanza that could not be read back, such
    ///   as one that is too deep.
    public func checkCanStore(_ stanza: Element) throws { try stanza.checkCanBeStored() }

    /// Makes changes as a part of a transaction.
    ///
    /// - Throws: `StorageError.takenOver` if another stream owns the session now; let the transaction fail then,
    ///   because the other owner handles the stanza. Also `StanzaDatabaseError.recordTooLarge`, and errors of GRDB.
    public func write(_ changes: [StorageChange], in transaction: DatabaseTransaction) throws {
        try checkAndRenew(in: transaction)
        for change in changes { try transaction.sessions.apply(change, to: account) }
    }

    public func close() {
        if Self.open.withLock({ $0.remove(token) }) == nil { return }
        // If this fails, other processes wait until the lease has ended.
        try? database.writeWaiting(for: account) { try $0.sessions.setLeaseEnd(0, of: account, token) }
    }

    /// Checks the owner.
    ///
    /// - Returns: Whether its lease is due for renewal: a third has passed, or the clock went backwards.
    @discardableResult
    func check(_ transaction: DatabaseTransaction) throws -> Bool {
        guard Self.isOpen(token), let end = try transaction.sessions.leaseEnd(of: account, token) else {
            throw StorageError.takenOver(account: account)
        }
        return Lease(boot: nil, end: end).isDue(by: database.options.clock, for: database.options.leaseTime)
    }

    /// Checks the owner, and renews its lease if that is due.
    func checkAndRenew(in transaction: DatabaseTransaction) throws {
        guard try check(transaction) else { return }
        try transaction.sessions.setLeaseEnd(database.newLease.end, of: account, token)
    }
}

extension DatabaseSession {
    /// Commits the changes that work has collected, and changes of the session, in one transaction.
    fileprivate func write(with work: DatabaseWork, _ changes: () throws -> [StorageChange]) throws {
        guard work.database === database else { throw StorageError.takesNoEffects }
        do {
            try database.writeWaiting(for: account, notifies: true) { transaction in
                try check(transaction)
                try work.performAsOne(in: transaction)
                try write(changes(), in: transaction)
            }
        } catch let error as EffectsError {
            throw EffectsError(StanzaDatabaseError.ofStep(error.underlying))
        }
    }
}

extension DatabaseWork: StorageEffects {
    /// - Throws: `EffectsError` if a step throws, unless the database could not do it. It holds
    ///   `StanzaDatabaseError.failed` for an error of GRDB. Also `StorageError.takesNoEffects` for a session of another
    ///   database; `StorageError.takenOver` if another stream owns the session now; the errors of `changes`; a
    ///   `StanzaDatabaseError`.
    public func commit(in store: any SessionStore, _ changes: () throws -> [StorageChange]) throws {
        guard let session = store as? DatabaseSession else { throw StorageError.takesNoEffects }
        try session.write(with: self, changes)
    }
}

extension StanzaDatabase: StreamManagementStorage {
    /// Claims the session of an account for a stream of this process. One database keeps the sessions of any number of
    /// accounts.
    ///
    /// Takes the session from another process that has ended, or whose lease has, also without `takingOver`. An owner
    /// renews its lease while its database is open; a frozen one lets it end (`PersistenceLimits.leaseTime`). If that
    /// owner continues, its next access throws `StorageError.takenOver`. Within a process, only closing the session
    /// and `takingOver` end its use.
    ///
    /// Waits for other transactions and for the disk, so do not call it where it would block a task. `StreamSession`
    /// calls it on its own thread.
    ///
    /// - Throws: `StorageError.inUse` if another stream or process owns the session, and `takingOver` is `false`; a
    ///   `StanzaDatabaseError`.
    public func openSession(_ account: JID, takingOver: Bool = false) throws -> DatabaseSession {
        let account = account.bare
        let session = DatabaseSession(account: account, database: self)
        // A former owner checks its session after each change.
        try writePatiently(for: account, notifies: true) { transaction in
            if !takingOver, let owner = try transaction.sessions.owner(of: account),
                owner.holds(by: options.clock, options.leaseTime, isOpenHere: DatabaseSession.isOpen)
            {
                throw StorageError.inUse(account: account)
            }
            try transaction.sessions.setOwner(
                of: account,
                to: SessionOwner(token: session.token, process: ProcessName.current, lease: newLease))
        }
        openSessions.note(session)
        return session
    }

    /// A lease that begins now.
    fileprivate var newLease: Lease { Lease(from: options.clock, for: options.leaseTime) }

    public func open(_ account: JID, takingOver: Bool) throws -> any SessionStore {
        try openSession(account, takingOver: takingOver)
    }
}

/// The sessions that this process has opened on a database, as long as they are in use.
final class OpenSessions: Sendable {
    private struct Opened {
        weak var session: DatabaseSession?
    }

    private let sessions = Lock<[JID: Opened]>([:])

    var all: [DatabaseSession] { sessions.withLock { $0.values.compactMap(\.session) } }

    /// Returns the session of the account that was opened last.
    func session(of account: JID) -> DatabaseSession? { sessions.withLock { $0[account.bare]?.session } }

    func note(_ session: DatabaseSession) {
        sessions.withLock { sessions in
            sessions = sessions.filter { $0.value.session != nil }
            sessions[session.account] = Opened(session: session)
        }
    }
}

extension Element {
    /// Checks that the stanza can be stored and read back. A stanza that the app built, or that quotes another one, may
    /// be larger or deeper than the parser accepts.
    ///
    /// - Throws: `StanzaDatabaseError.recordTooLarge`, or the `XMLParseError` that reading the stanza back would throw.
    package func checkCanBeStored() throws {
        let bytes = xmlBytes(in: .clientStream)
        let maximum = PersistenceLimits.columnLength
        guard bytes.count <= maximum else {
            throw StanzaDatabaseError.recordTooLarge(table: "stanza_outgoing", maximum: maximum)
        }
        _ = try Element(parsing: bytes, in: .clientStream, limits: ParserLimits(bytes: maximum))
    }
}

extension StanzaDatabase {
    // MARK: Requests, for the thread of the stream that receives their answers

    /// Stores why no handler is called with the answer to a request, unless another process owns the account's session
    /// now. Waits for the disk.
    ///
    /// - Parameters:
    ///   - id: The request's `id`.
    ///   - account: The account.
    ///   - end: Why the request ends.
    ///   - isAnswered: Whether the answer belongs to the stored request.
    package func endRequest(
        _ id: String, of account: JID, because end: StoredRequest.End, if isAnswered: (StoredRequest) -> Bool
    ) throws {
        try writePatiently(for: account, notifies: true) { transaction in
            guard let session = openSessions.session(of: account) else { return }
            do { _ = try session.check(transaction) } catch StorageError.takenOver { return }
            guard let request = try transaction.requests.request(id, of: account), isAnswered(request) else { return }
            try transaction.requests.end(request.serial, because: end)
        }
    }

    /// Forgets the stored session that was closed, and gives up its requests. Does nothing if another owner has had the
    /// account's session since: that owner may have suspended it.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - last: The last owner of the closed session (`DatabaseSession.token`).
    /// - Returns: The requests that have ended by now. Requests that are stored later belong to another owner.
    package func forgetClosed(_ account: JID, of last: Int64) async throws -> [StoredRequest] {
        try await write { transaction in
            // A removed account has no owner.
            guard try transaction.sessions.owner(of: account)?.token == last else { return [] }
            try transaction.sessions.apply(.remove, to: account)
            try transaction.requests.lose(of: account, sentIn: nil)
            return try transaction.requests.lost(of: account)
        }
    }
}
