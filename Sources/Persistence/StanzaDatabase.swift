// The database that processes share: one SQLite file in WAL mode. In a process, one connection writes and a few read.
//
// OpenFile.swift opens it and defines the options. ChangeWatch.swift detects the changes of other processes.
// The tables are in PromiseTable.swift, RequestTable.swift and SessionTable.swift.

import Dispatch
import Foundation
import GRDB
import Promises
import Synchronization
package import XMPPCore

/// One SQLite database for the data that has to survive the process: promises, requests, sessions.
///
/// Several processes can have it open at once. A transaction waits for those of other processes, at most
/// `PersistenceLimits.busyTimeout`.
///
/// ```swift
/// let database = try await StanzaDatabase.open(at: path)
/// let promises = try await PromiseCenter.start(store: database, role: .consumer)
/// ```
///
/// Functions throw a `StanzaDatabaseError`, and the errors of handlers, promises and session owners that each function
/// documents. An access by a task that is canceled throws `CancellationError` before it begins.
///
/// A transaction makes all of its changes, or none:
///
/// ```swift
/// try await database.write { transaction in
///     try promise.fulfill("published", in: transaction.promises)
///     try transaction.db.execute(sql: "UPDATE avatar SET hash = ?", arguments: ["a1b2"])
/// }
/// ```
public final class StanzaDatabase: Sendable {
    /// The absolute path of the file. If it was opened by a symbolic link, this is the path of the link's target.
    public let path: String
    let options: Options
    /// The signs of life of the owners of stream management's sessions.
    let owners: SessionOwners
    /// Stream management's sessions that this process uses.
    let openSessions = OpenSessions()
    private let connection: Mutex<Connection>
    private let listeners = Listeners()

    /// How long transactions wait for other processes.
    let patience: Patience

    /// Writes by tasks wait here for their turn, in the order of their calls, and so does closing.
    private let writes = DispatchQueue(label: "swift-stanza.writes", qos: .userInitiated)
    /// Reads by tasks run here, a few at once, beside the writes.
    private let reads = OperationQueue()
    /// Distinguishes both queues from others.
    private static let isAccessing = DispatchSpecificKey<ObjectIdentifier>()
    /// The number of accesses that wait.
    private let waiting = Count()

    /// Freezes and unfreezes, one after the other: the last call wins. Both wait for disks, which a task must not.
    private let lifecycle = DispatchQueue(label: "swift-stanza.lifecycle")

    private enum Connection {
        case open(OpenFile, ChangeWatch)
        case frozen
        case closed
    }

    init(path: String, options: Options) throws {
        let path = FilePlace.target(of: FilePlace.absolute(path))
        self.path = path
        self.options = options
        owners = SessionOwners(path: path + ".owners")
        patience = Patience(timeout: options.busyTimeout)
        connection = Mutex(.frozen)
        let queue = DispatchQueue(label: "swift-stanza.reads", qos: .userInitiated, attributes: .concurrent)
        reads.underlyingQueue = queue
        reads.maxConcurrentOperationCount = PersistenceLimits.readers
        for queue in [writes, queue] { queue.setSpecific(key: Self.isAccessing, value: ObjectIdentifier(reads)) }
        try connect(isFirst: true)
    }

    deinit { close() }

    // MARK: Opening

    /// Opens the database, and creates its file if the file does not exist.
    ///
    /// The folder must exist. Only the user that creates the file can read and write it.
    ///
    /// An app can open a file of its own; the package then adds its tables to that file. If the file already has GRDB
    /// migrations, `Options.migrations` must contain them, to identify the app. A file that already has an
    /// `application_id` must have such migrations. The app can set an `application_id` after our tables were added.
    ///
    /// Opening checks our tables, but not the tables of the app. Large tables of the app do not slow it down.
    ///
    /// - Parameters:
    ///   - path: The path of the file. A relative one is completed now, once. `:memory:` and URIs are refused: other
    ///     processes could not open such a database.
    ///   - options: How to open it.
    /// - Throws: `StanzaDatabaseError.newerVersion` if a newer version of the program has written the file, `.foreign`
    ///   if it belongs to another program, `.notADatabase` if the path names no SQLite database; the file then stays
    ///   unchanged. `.corrupt` if the file is damaged. The file is then moved aside, unless another process has it
    ///   open, and the next call creates a new one. `.moved` while another process has a file open that was at this
    ///   path before. Also `.invalidPath`, `.missingFolder`, `.readOnlyVolume`, `.tooManyOpenFiles`, `.busy`,
    ///   `.full`, `.unreadable`. Errors of your migrations other than
    ///   GRDB's are thrown unchanged.
    public static func open(at path: String, options: Options = Options()) async throws -> StanzaDatabase {
        // Opening waits for other processes, which a task must not do.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try StanzaDatabase(path: path, options: options) })
            }
        }
    }

    /// Opens a database to inspect it. It cannot be changed, and processes that use it are not disturbed.
    ///
    /// - Throws: `StanzaDatabaseError.unreadable` if it does not exist, `.newerVersion` or `.olderVersion` if another
    ///   version of the program has written it, `.foreign` if it belongs to another program, `.notADatabase` if the
    ///   path names no SQLite database, `.corrupt`, `.busy`.
    public static func inspect(at path: String) async throws -> StanzaDatabase {
        var options = Options()
        options.isInspected = true
        return try await open(at: path, options: options)
    }

    // MARK: Transactions

    /// Runs `body` as one transaction. Its changes become visible at once when it returns, and are undone when it
    /// throws.
    ///
    /// Transactions of one process that write run one after the other, those of tasks in the order of their calls.
    ///
    /// - Throws: The errors of `body`; a `StanzaDatabaseError`, also for an error of GRDB; `CancellationError`. If
    ///   `body` uses another database, catch the errors of GRDB for it in `body`: here they would look like failures of
    ///   this one.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (DatabaseTransaction) throws -> Result
    ) async throws -> Result {
        let (result, hasChanged) = try await access { [writes] in
            writes.async(execute: $0)
        } _: { connections in
            try connections.use { database in
                let before = database.totalChangesCount
                let result = try database.writing(body)
                return (result, database.totalChangesCount != before)
            }
        }
        if hasChanged { listeners.notify() }
        return result
    }

    /// Runs `body` as one transaction that only reads. It waits for no write, of this process or another one, and none
    /// waits for it. It sees all transactions that ended before its call.
    ///
    /// - Throws: The errors of `body`; a `StanzaDatabaseError`, also for an attempt to write; `CancellationError`.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (DatabaseTransaction) throws -> Result
    ) async throws -> Result {
        try await access { [reads] in
            reads.addOperation($0)
        } _: { connections in
            try connections.read { try body(DatabaseTransaction(db: $0)) }
        }
    }

    /// Waits for an access, also in a task that is canceled during the wait. A canceled access of GRDB may leave the
    /// connection read-only, so that all later writes fail.
    ///
    /// It waits on a queue of this object: code on GRDB's queues must not release the last reference to a connection.
    private func access<Result: Sendable>(
        on enqueue: (@escaping @Sendable () -> Void) -> Void,
        _ body: @escaping @Sendable (any DatabaseWriter) throws -> Result
    ) async throws -> Result {
        try await UncommittedBatch.current?.commit()
        while true {
            let connections = try connections()
            try Task.checkCancellation()
            do {
                return try await withCheckedThrowingContinuation { continuation in
                    enqueue { [waiting] in
                        waiting.value.withLock { $0 -= 1 }
                        continuation.resume(with: Swift.Result { try body(connections) })
                    }
                    // A caller that sees the count finds the access in the queue.
                    waiting.value.withLock { $0 += 1 }
                }
            } catch  where error.isOfAClosedConnection && (try? self.connections()) !== connections {
                // Closed just now. Another connection may be open by now.
            } catch {
                throw translated(error)
            }
        }
    }

    /// The number of accesses by tasks that wait for their turn.
    package var waitingCount: Int { waiting.value.withLock(\.self) }

    /// Whether the file is neither frozen nor closed, nor about to be.
    package var isOpen: Bool { (try? connections()) != nil }

    /// Runs one transaction for stream management's threads, which may wait. Does not notify listeners in this process:
    /// such changes come with every stanza, and concern only the session that makes them.
    ///
    /// - Parameters:
    ///   - account: The account whose session the transaction serves.
    ///   - body: The transaction.
    func writeWaiting<Result>(
        for account: JID, _ body: (DatabaseTransaction) throws -> Result
    ) throws -> Result {
        try accessWaiting(for: account) { try $0.writing(body) }
    }

    /// Like `writeWaiting(for:_:)`, for changes that a stream cannot do without: tries again while other processes hold
    /// the database.
    func writePatiently<Result>(
        for account: JID, _ body: (DatabaseTransaction) throws -> Result
    ) throws -> Result {
        for _ in 1..<PersistenceLimits.busyAttempts {
            do {
                return try writeWaiting(for: account, body)
            } catch StanzaDatabaseError.busy where patience.isLeft(for: account) {}
        }
        return try writeWaiting(for: account, body)
    }

    /// Like `writeWaiting(for:_:)`, for a transaction that only reads.
    func readWaiting<Result>(
        for account: JID, _ body: (DatabaseTransaction) throws -> Result
    ) throws -> Result {
        try accessWaiting(for: account) { try $0.reading(body) }
    }

    private func accessWaiting<Result>(
        for account: JID, _ body: (Database) throws -> Result
    ) throws -> Result {
        while true {
            let connections = try connections()
            do {
                return try connections.use { database in try patience.run(for: account) { try body(database) } }
            } catch  where error.isOfAClosedConnection && (try? self.connections()) !== connections {
                // Closed just now. Another connection may be open by now.
            } catch {
                throw translated(error)
            }
        }
    }

    /// Limits the waits for other processes to a moment, because the caller that suspends a session, or freezes the
    /// database, has no more time. The limit holds until it is removed. Unfreezing removes the one
    /// that was set with `nil`.
    ///
    /// - Parameters:
    ///   - account: The account whose session the limited accesses serve; `nil` for all accesses.
    ///   - end: The moment; `nil` removes the limit.
    package func limitWaiting(for account: JID?, until end: ContinuousClock.Instant?) {
        patience.limit(account, until: end)
    }

    /// Notifies the listeners of `changes()`.
    func notifyListeners() { listeners.notify() }

    private func connections() throws(StanzaDatabaseError) -> any DatabaseWriter {
        let state: Result<any DatabaseWriter, StanzaDatabaseError> = connection.withLock { connection in
            switch connection {
            case .open(let file, _): .success(file.connections)
            case .frozen: .failure(.frozen)
            case .closed: .failure(.closed)
            }
        }
        return try state.get()
    }

    private func translated(_ error: any Error) -> any Error {
        guard let failure = StanzaDatabaseError(error, path: path) else { return error }
        // A connection that was closed in between reports a misuse.
        do throws(StanzaDatabaseError) {
            _ = try connections()
            return failure
        } catch {
            return error
        }
    }

    // MARK: Changes

    /// Yields after transactions, of this process and of others, that may have changed something. Changes that this
    /// process's streams store in their sessions do not count.
    public func changes() -> AsyncStream<Void> { listeners.add() }

    // MARK: Freezing

    /// Waits for the transactions that were requested before, and closes the file.
    ///
    /// Afterwards the process holds no lock, so no other process waits for it while it is suspended. You need not
    /// freeze any other part of this package. A task that waits for a promise keeps waiting; every other access fails
    /// with `StanzaDatabaseError.frozen`.
    ///
    /// If `freeze()` and `unfreeze()` overlap, the last call wins. You can call `freeze()` repeatedly.
    public func freeze() async {
        await inTurn { database in
            database.disconnect(to: .frozen)
            database.owners.freeze()
        }
    }

    /// Opens the file again. `changes()` yields, because other processes may have written. Does not check the whole
    /// file again, as the first opening does.
    ///
    /// - Throws: The errors of opening, for example `StanzaDatabaseError.moved`, or `.corrupt` if the file at the path
    ///   was moved or replaced. The database then stays frozen. You can call `unfreeze()` again.
    public func unfreeze() async throws {
        try await inTurn { database throws(any Error) in
            database.patience.limit(nil, until: nil)
            try database.connect(isFirst: false)
            database.owners.unfreeze()
            database.listeners.notify()
        }
    }

    private func inTurn<Failure>(
        _ body: @escaping @Sendable (StanzaDatabase) throws(Failure) -> Void
    ) async throws(Failure) {
        let result = await withCheckedContinuation { continuation in
            lifecycle.async { continuation.resume(returning: Result { () throws(Failure) in try body(self) }) }
        }
        try result.get()
    }

    /// Closes the file for good.
    public func close() {
        disconnect(to: .closed)
        listeners.finish()
    }

    private func connect(isFirst: Bool) throws {
        guard connection.withLock({ if case .frozen = $0 { true } else { false } }) else { return }
        let file = try OpenFile.open(at: path, options: options, patience: patience, isFirst: isFirst)
        let watch = ChangeWatch(path: path, connections: file.connections, listeners: listeners, options: options)
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
        // Closing waits for all waiting accesses. If an access released the last reference to this object, none waits.
        let isAccessing = DispatchQueue.getSpecific(key: Self.isAccessing) == ObjectIdentifier(reads)
        if isAccessing { return file.close() }
        reads.waitUntilAllOperationsAreFinished()
        writes.sync { file.close() }
    }
}

private final class Count: Sendable {
    let value = Mutex(0)
}

/// The connection was closed after it was found, and before its use.
private struct ConnectionIsClosed: Error {}

extension Error {
    /// Whether the connection was closed before its use. GRDB reports that as a misuse.
    fileprivate var isOfAClosedConnection: Bool {
        self is ConnectionIsClosed || (self as? DatabaseError)?.resultCode == .SQLITE_MISUSE
    }
}

extension DatabaseWriter {
    /// Uses the connection that writes. Checks that it is still open, which not all of GRDB does.
    fileprivate func use<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try writeWithoutTransaction { database in
            guard database.sqliteConnection != nil else { throw ConnectionIsClosed() }
            return try body(database)
        }
    }
}

extension Database {
    fileprivate func writing<Result>(_ body: (DatabaseTransaction) throws -> Result) throws -> Result {
        try transaction(.immediate) { transaction in
            // A commit to a deleted file would be lost, and no other process would read it.
            if SQLiteCalls.hasMoved(sqliteConnection) { throw StanzaDatabaseError.moved }
            return try body(transaction)
        }
    }

    fileprivate func reading<Result>(_ body: (DatabaseTransaction) throws -> Result) throws -> Result {
        try readOnly { try transaction(.deferred, body) }
    }

    private func transaction<Result>(
        _ kind: TransactionKind, _ body: (DatabaseTransaction) throws -> Result
    ) throws -> Result {
        // No caller gets this error: a transaction that does not commit throws.
        var result = Swift.Result<Result, any Error>.failure(ConnectionIsClosed())
        try inTransaction(kind) {
            result = .success(try body(DatabaseTransaction(db: self)))
            return .commit
        }
        return try result.get()
    }
}
