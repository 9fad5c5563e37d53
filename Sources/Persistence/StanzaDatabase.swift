// The database that processes share: one SQLite file in WAL mode, one connection a process.
//
// How it is opened is in StanzaDatabase+Opening.swift and OpenFile.swift, how it hears of others in ChangeWatch.swift. What is stored is
// in the tables: PromiseTable.swift, HandlerTable.swift, SessionTable.swift.

import Dispatch
import Foundation
import GRDB
import Promises
import Synchronization

/// One SQLite database for all that has to survive the process: promises, handlers, sessions.
///
/// Several processes open it at once. A transaction waits for those of others, at most
/// `PersistenceLimits.busyTimeout`.
///
/// ```swift
/// let database = try await StanzaDatabase.open(at: path)
/// let promises = try await PromiseCentre.start(store: database, role: .consumer)
/// ```
///
/// A transaction is all of what happens in it, or nothing:
///
/// ```swift
/// try await database.write { transaction in
///     try promise.fulfil("published", in: transaction.promises)
///     try transaction.database.execute(sql: "UPDATE avatar SET hash = ?", arguments: ["a1b2"])
/// }
/// ```
public final class StanzaDatabase: Sendable {
    /// Where the file is.
    public let path: String
    let options: Options
    /// The signs of life of those who own stream management's sessions.
    let owners: SessionOwners
    /// The sign of life of this database as one who replays parked calls, once it has.
    private let replayer = Mutex<Int64?>(nil)
    /// Handlers that work in hand has claimed.
    let pendingClaims = PendingClaims()
    private let connection: Mutex<Connection>
    private let listeners = Listeners()

    /// Accesses wait here for their turn, in the order in which they were asked for.
    private let accesses = DispatchQueue(label: "swift-stanza.accesses")

    /// Freezes and unfreezes, one after the other: the last wish counts. It waits for disks, too, which a task must not.
    private let lifecycle = DispatchQueue(label: "swift-stanza.lifecycle")

    private enum Connection {
        case open(OpenFile, ChangeWatch)
        case frozen
        case closed
    }

    init(path: String, options: Options) throws {
        self.path = path
        self.options = options
        owners = SessionOwners(path: path + ".owners")
        connection = Mutex(.frozen)
        try connect(isFirst: true)
    }

    deinit { close() }

    // MARK: Transactions

    /// Runs `body` as one transaction. All that it does becomes visible at once when it returns, or is undone when it
    /// throws.
    ///
    /// Transactions of one process run one after the other, in the order in which they were asked for.
    ///
    /// - Throws: What `body` throws, or a `StanzaDatabaseError`.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (DatabaseTransaction) throws -> Result
    ) async throws -> Result {
        let (result, hasChanged) = try await access { queue in
            try queue.write { database in
                let before = database.totalChangesCount
                let result = try body(DatabaseTransaction(database: database))
                return (result, database.totalChangesCount != before)
            }
        }
        if hasChanged { listeners.tell() }
        return result
    }

    /// Runs `body` as one transaction that only reads. Other processes neither wait for it nor make it wait, even when
    /// this one is suspended meanwhile.
    ///
    /// - Throws: What `body` throws, or a `StanzaDatabaseError`; an attempt to write is one.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (DatabaseTransaction) throws -> Result
    ) async throws -> Result {
        try await access { queue in
            try queue.read { try body(DatabaseTransaction(database: $0)) }
        }
    }

    /// Waits for an access, also in a task that is cancelled meanwhile: an access of GRDB's that is cancelled may leave the
    /// connection so that it only reads, and everything that is written next fails.
    ///
    /// It waits on a queue of its own: who is on GRDB's queue must not be the last who lets the connection go.
    private func access<Result: Sendable>(
        _ body: @escaping @Sendable (DatabaseQueue) throws -> Result
    ) async throws -> Result {
        let queue = try queue()
        try Task.checkCancellation()
        do {
            return try await withCheckedThrowingContinuation { continuation in
                accesses.async { continuation.resume(with: Swift.Result { try body(queue) }) }
            }
        } catch {
            throw translated(error)
        }
    }

    /// One transaction for stream management's threads, which wait. Nobody in this process is told of the changes: they
    /// concern only who makes them, and come with every single stanza.
    func writeWaiting<Result>(_ body: (DatabaseTransaction) throws -> Result) throws -> Result {
        let queue = try queue()
        do {
            return try queue.write { try body(DatabaseTransaction(database: $0)) }
        } catch {
            throw translated(error)
        }
    }

    /// The same for changes without which a stream has to end: it is tried again while others hold the database.
    func writePatiently<Result>(_ body: (DatabaseTransaction) throws -> Result) throws -> Result {
        for _ in 1..<PersistenceLimits.busyAttempts {
            do { return try writeWaiting(body) } catch StanzaDatabaseError.busy {}
        }
        return try writeWaiting(body)
    }

    /// Tells those who listen to `changes()`.
    func tellOfChanges() { listeners.tell() }

    /// The same for a transaction that only reads.
    func readWaiting<Result>(_ body: (DatabaseTransaction) throws -> Result) throws -> Result {
        let queue = try queue()
        do {
            return try queue.read { try body(DatabaseTransaction(database: $0)) }
        } catch {
            throw translated(error)
        }
    }

    private func queue() throws(StanzaDatabaseError) -> DatabaseQueue {
        let state: Result<DatabaseQueue, StanzaDatabaseError> = connection.withLock { connection in
            switch connection {
            case .open(let file, _): .success(file.queue)
            case .frozen: .failure(.frozen)
            case .closed: .failure(.closed)
            }
        }
        return try state.get()
    }

    private func translated(_ error: any Error) -> any Error {
        guard let failure = StanzaDatabaseError(error, path: path) else { return error }
        // A connection that was closed meanwhile says that it was misused.
        do throws(StanzaDatabaseError) {
            _ = try queue()
            return failure
        } catch {
            return error
        }
    }

    /// What tells others that whoever replays calls here still lives.
    func replayToken() throws(StanzaDatabaseError) -> Int64 {
        let owners = owners
        return try replayer.withLock { token throws(StanzaDatabaseError) in
            if let token, try owners.lives(token) { return token }
            let new = try owners.add()
            token = new
            return new
        }
    }

    // MARK: Changes

    /// Yields after transactions that may have changed something, of this process and of others. What this process's
    /// streams store of their sessions does not count.
    public func changes() -> AsyncStream<Void> { listeners.add() }

    // MARK: Freezing

    /// Waits for the transactions that have begun, and closes the file: afterwards no lock is held, and a process that
    /// is suspended makes nobody wait. If `unfreeze()` is called meanwhile, the last wish counts. Call it again freely.
    public func freeze() async throws {
        try await inTurn { database in
            database.disconnect(to: .frozen)
            database.owners.freeze()
        }
    }

    /// Opens the file again. `changes()` yields, because others may have written. The file is not checked as a whole
    /// again: that is done when it is opened first.
    /// - Throws: As opening does.
    public func unfreeze() async throws {
        try await inTurn { database in
            try database.connect(isFirst: false)
            database.owners.unfreeze()
            database.listeners.tell()
        }
    }

    private func inTurn(_ body: @escaping @Sendable (StanzaDatabase) throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            lifecycle.async { continuation.resume(with: Result { try body(self) }) }
        }
    }

    /// Closes the file for good.
    public func close() {
        disconnect(to: .closed)
        listeners.finish()
    }

    private func connect(isFirst: Bool) throws {
        guard connection.withLock({ if case .frozen = $0 { true } else { false } }) else { return }
        let file = try OpenFile.open(at: path, options: options, isFirst: isFirst)
        let watch = ChangeWatch(path: path, queue: file.queue, listeners: listeners, options: options)
        let isWanted = connection.withLock { connection in
            guard case .frozen = connection else { return false }
            connection = .open(file, watch)
            return true
        }
        // The database was closed.
        if !isWanted { Self.disconnect(file, watch) }
    }

    private func disconnect(to state: Connection) {
        let before = connection.withLock { connection in
            defer {
                if case .closed = connection {} else { connection = state }
            }
            return connection
        }
        if case .open(let file, let watch) = before { Self.disconnect(file, watch) }
    }

    /// Waits for what has begun.
    private static func disconnect(_ file: OpenFile, _ watch: ChangeWatch) {
        watch.stop()
        file.close()
    }
}
