// The database that processes share: one SQLite file in WAL mode, one connection a process.
//
// How it is opened is in StanzaDatabase+Opening.swift and OpenFile.swift, how it hears of others in ChangeWatch.swift.
// What is stored is in the tables: PromiseTable.swift, HandlerTable.swift, SessionTable.swift.

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
    /// Stream management's sessions that this process uses.
    let openSessions = OpenSessions()
    /// The sign of life of this database as one who replays parked calls, once it has.
    private let replayer = Mutex<Int64?>(nil)
    /// Handlers that work in hand has claimed.
    let pendingClaims = PendingClaims()
    private let connection: Mutex<Connection>
    private let listeners = Listeners()

    /// How long transactions wait for other processes.
    let patience: Patience

    /// The accesses of tasks wait here for their turn, in the order in which they were asked for, and so does closing.
    private let accesses = DispatchQueue(label: "swift-stanza.accesses")
    /// Tells the queue of accesses from others.
    private static let isAccessing = DispatchSpecificKey<ObjectIdentifier>()
    /// How many of them wait.
    private let waiting = Count()

    /// Freezes and unfreezes, one after the other: the last wish counts. It waits for disks, too, which a task must
    /// not.
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
        patience = Patience(timeout: options.busyTimeout)
        connection = Mutex(.frozen)
        accesses.setSpecific(key: Self.isAccessing, value: ObjectIdentifier(accesses))
        try connect(isFirst: true)
    }

    deinit { close() }

    // MARK: Transactions

    /// Runs `body` as one transaction. All that it does becomes visible at once when it returns, or is undone when it
    /// throws.
    ///
    /// Transactions of one process run one after the other, those of tasks in the order in which they were asked for.
    ///
    /// - Throws: What `body` throws, or a `StanzaDatabaseError`.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (DatabaseTransaction) throws -> Result
    ) async throws -> Result {
        let (result, hasChanged) = try await access { database in
            let before = database.totalChangesCount
            let result = try database.writing(body)
            return (result, database.totalChangesCount != before)
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
        try await access { try $0.reading(body) }
    }

    /// Waits for an access, also in a task that is cancelled meanwhile: an access of GRDB's that is cancelled may leave
    /// the connection so that it only reads, and everything that is written next fails.
    ///
    /// It waits on a queue of its own: who is on GRDB's queue must not be the last who lets the connection go.
    private func access<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await UncommittedBatch.commit?()
        while true {
            let queue = try queue()
            try Task.checkCancellation()
            do {
                return try await withCheckedThrowingContinuation { continuation in
                    accesses.async { [waiting] in
                        waiting.value.withLock { $0 -= 1 }
                        continuation.resume(with: Swift.Result { try queue.use(body) })
                    }
                    // Who counts it finds it in the queue.
                    waiting.value.withLock { $0 += 1 }
                }
            } catch is ConnectionIsClosed {
                // Just now. Another one may be open by now.
            } catch {
                throw translated(error)
            }
        }
    }

    /// How many accesses of tasks wait for their turn.
    package var waitingCount: Int { waiting.value.withLock(\.self) }

    /// Whether the file is neither frozen nor closed, nor about to be.
    package var isOpen: Bool { (try? queue()) != nil }

    /// One transaction for stream management's threads, which wait. Nobody in this process is told of the changes: they
    /// concern only who makes them, and come with every single stanza.
    ///
    /// - Parameters:
    ///   - account: Whose session it is for.
    ///   - body: The transaction.
    func writeWaiting<Result>(
        for account: String, _ body: (DatabaseTransaction) throws -> Result
    ) throws -> Result {
        try accessWaiting(for: account) { try $0.writing(body) }
    }

    /// The same for changes without which a stream has to end: it is tried again while others hold the database.
    func writePatiently<Result>(
        for account: String, _ body: (DatabaseTransaction) throws -> Result
    ) throws -> Result {
        for _ in 1..<PersistenceLimits.busyAttempts {
            do {
                return try writeWaiting(for: account, body)
            } catch StanzaDatabaseError.busy where patience.isLeft(for: account) {}
        }
        return try writeWaiting(for: account, body)
    }

    /// The same for a transaction that only reads.
    func readWaiting<Result>(
        for account: String, _ body: (DatabaseTransaction) throws -> Result
    ) throws -> Result {
        try accessWaiting(for: account) { try $0.reading(body) }
    }

    private func accessWaiting<Result>(
        for account: String, _ body: (Database) throws -> Result
    ) throws -> Result {
        while true {
            let queue = try queue()
            do {
                return try queue.use { database in try patience.run(for: account) { try body(database) } }
            } catch is ConnectionIsClosed {
                // Just now. Another one may be open by now.
            } catch {
                throw translated(error)
            }
        }
    }

    /// Lets nobody wait for other processes beyond a moment, or nothing that is done for the session of an account:
    /// whoever lays it aside has no more time. It counts until it is taken back, or the database is unfrozen.
    ///
    /// - Parameters:
    ///   - account: The account; `nil` for everything that is done.
    ///   - end: The moment; `nil` takes it back.
    package func limitWaiting(for account: String?, until end: ContinuousClock.Instant?) {
        patience.limit(account, until: end)
    }

    /// Tells those who listen to `changes()`.
    func tellOfChanges() { listeners.tell() }

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

    /// Waits for the transactions that were requested before, and closes the file.
    ///
    /// Afterwards the process holds no lock, so no other process waits for it while it is suspended. You need not
    /// freeze any other part of this package. A task that waits for a promise keeps waiting; every other access fails
    /// with `StanzaDatabaseError.frozen`.
    ///
    /// If `freeze()` and `unfreeze()` overlap, the last call wins. You can call `freeze()` repeatedly.
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
            database.patience.limit(nil, until: nil)
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
        let file = try OpenFile.open(at: path, options: options, patience: patience, isFirst: isFirst)
        let watch = ChangeWatch(path: path, queue: file.queue, listeners: listeners, options: options)
        let isWanted = connection.withLock { connection in
            guard case .frozen = connection else { return false }
            connection = .open(file, watch)
            return true
        }
        // The database was closed.
        if !isWanted {
            watch.stop()
            file.close()
        }
    }

    private func disconnect(to state: Connection) {
        let before = connection.withLock { connection in
            defer {
                if case .closed = connection {} else { connection = state }
            }
            return connection
        }
        guard case .open(let file, let watch) = before else { return }
        watch.stop()
        // Behind all that waits for its turn; unless an access was the last who knew this object, for then nobody
        // waits.
        let isAccessing = DispatchQueue.getSpecific(key: Self.isAccessing) == ObjectIdentifier(accesses)
        if isAccessing { file.close() } else { accesses.sync { file.close() } }
    }
}

private final class Count: Sendable {
    let value = Mutex(0)
}

/// The connection was closed between the moment when it was found and its use.
private struct ConnectionIsClosed: Error {}

extension DatabaseQueue {
    /// Not everything of GRDB's looks whether the connection is open still.
    fileprivate func use<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try inDatabase { database in
            guard database.sqliteConnection != nil else { throw ConnectionIsClosed() }
            return try body(database)
        }
    }
}

extension Database {
    fileprivate func writing<Result>(_ body: (DatabaseTransaction) throws -> Result) throws -> Result {
        try transaction(.immediate, body)
    }

    fileprivate func reading<Result>(_ body: (DatabaseTransaction) throws -> Result) throws -> Result {
        try readOnly { try transaction(.deferred, body) }
    }

    private func transaction<Result>(
        _ kind: TransactionKind, _ body: (DatabaseTransaction) throws -> Result
    ) throws -> Result {
        // Nobody sees this: a transaction that is not made throws.
        var result = Swift.Result<Result, any Error>.failure(ConnectionIsClosed())
        try inTransaction(kind) {
            result = .success(try body(DatabaseTransaction(database: self)))
            return .commit
        }
        return try result.get()
    }
}
