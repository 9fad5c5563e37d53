// The database that processes share: one SQLite file in WAL mode. In a process, one connection writes and a few read.
//
// OpenFile.swift opens it and defines the options. OpenConnection.swift has the accesses to the open file, and
// ChangeWatch.swift wakes other processes.
// The tables are in PromiseTable.swift, RequestTable.swift and SessionTable.swift.

import Dispatch
import Foundation
import GRDB
import Handlers
import Locking
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
    /// Stream management's sessions that this process uses.
    let openSessions = OpenSessions()
    private let state = Lock<(wanted: Wanted, connection: OpenConnection?)>((.open, nil))
    private let listeners = Listeners()

    /// How long transactions wait for other processes.
    let patience: Patience

    /// Writes by tasks wait here for their turn, in the order of their calls.
    private let writes = DispatchQueue(label: "swift-stanza.writes", qos: .userInitiated)
    /// Reads by tasks run here, a few at once, beside the writes.
    private let reads = OperationQueue()
    /// The number of accesses that wait for their turn.
    private let waiting = Lock(0)

    /// Opens and freezes the file, one after the other: the last call wins.
    private let lifecycle = DispatchQueue(label: "swift-stanza.lifecycle")

    /// The state that the last call has requested.
    private enum Wanted {
        case open, frozen, closed
    }

    init(path: String, options: Options) throws {
        let path = FilePlace.target(of: FilePlace.absolute(path))
        self.path = path
        self.options = options
        patience = Patience(timeout: options.busyTimeout)
        reads.qualityOfService = .userInitiated
        reads.maxConcurrentOperationCount = PersistenceLimits.readers
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
        try await runBlocking {
            try StanzaDatabase(path: path, options: options)
        } on: {
            DispatchQueue.global().async(execute: $0)
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
        try await accessWriter { try $1.writing($0, notifies: true, body) }
    }

    private func accessWriter<Result: Sendable>(
        _ body: @escaping @Sendable (OpenConnection, Database) throws -> Result
    ) async throws -> Result {
        try await access { [writes] in
            writes.async(execute: $0)
        } _: { connection in
            try connection.writer.writeWithoutTransaction { try body(connection, $0) }
        }
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
        } _: { connection in
            try connection.writer.read { database in
                try connection.run(bodyOn: database) { try body(DatabaseTransaction(db: database)) }
            }
        }
    }

    /// Waits for an access, also in a task that is canceled during the wait. A canceled access of GRDB may leave the
    /// connection read-only, so that all later writes fail.
    private func access<Result: Sendable>(
        on enqueue: (@escaping @Sendable () -> Void) -> Void,
        _ body: @escaping @Sendable (OpenConnection) throws -> Result
    ) async throws -> Result {
        try await EarlierChanges.current?.commit()
        try Task.checkCancellation()
        let connection = try begin()
        return try await runBlocking { [self] in
            waiting.withLock { $0 -= 1 }
            defer { connection.end() }
            return try perform(connection) { _ in try body(connection) }
        } on: { run in
            enqueue(run)
            // A caller that sees the count finds the access in the queue.
            waiting.withLock { $0 += 1 }
        }
    }

    /// Begins an access to the open file. The caller ends it.
    private func begin() throws(StanzaDatabaseError) -> OpenConnection {
        let result: Result<OpenConnection, StanzaDatabaseError> = state.withLock { state in
            guard state.wanted == .open, let connection = state.connection, !connection.isInterrupted else {
                return .failure(state.wanted == .closed ? .closed : .frozen)
            }
            connection.begin()
            return .success(connection)
        }
        return try result.get()
    }

    /// Runs an access that has begun, and converts its errors.
    private func perform<Result>(
        _ connection: OpenConnection, _ body: (any DatabaseWriter) throws -> Result
    ) throws -> Result {
        do { return try connection.run(body) } catch { throw StanzaDatabaseError(error, path: path) ?? error }
    }

    /// The number of accesses by tasks that wait for their turn.
    package var waitingCount: Int { waiting.withLock(\.self) }

    /// Whether the file is neither frozen nor closed, nor about to be.
    package var isOpen: Bool { state.withLock { $0.wanted == .open && $0.connection?.isInterrupted == false } }

    /// Runs one transaction for stream management's threads, which may wait.
    ///
    /// - Parameters:
    ///   - account: The account whose session the transaction serves.
    ///   - notifies: Whether to notify listeners. A change that comes with every stanza concerns only the session
    ///     that makes it.
    ///   - body: The transaction.
    func writeWaiting<Result>(
        for account: JID, notifies: Bool = false, _ body: (DatabaseTransaction) throws -> Result
    ) throws -> Result {
        try accessWaiting(for: account) { try $1.writing($0, notifies: notifies, body) }
    }

    /// Like `writeWaiting(for:_:)`, for changes that a stream cannot do without: tries again while other processes hold
    /// the database.
    func writePatiently<Result>(
        for account: JID, notifies: Bool = false, _ body: (DatabaseTransaction) throws -> Result
    ) throws -> Result {
        for _ in 1..<PersistenceLimits.busyAttempts {
            do {
                return try writeWaiting(for: account, notifies: notifies, body)
            } catch StanzaDatabaseError.busy where patience.isLeft(for: account) {}
        }
        return try writeWaiting(for: account, notifies: notifies, body)
    }

    /// Like `writeWaiting(for:_:)`, for a transaction that only reads.
    func readWaiting<Result>(
        for account: JID, _ body: (DatabaseTransaction) throws -> Result
    ) throws -> Result {
        try accessWaiting(for: account) { try $1.reading($0, body) }
    }

    private func accessWaiting<Result>(
        for account: JID, _ body: (OpenConnection, Database) throws -> Result
    ) throws -> Result {
        let connection = try begin()
        defer { connection.end() }
        return try perform(connection) { writer in
            try writer.writeWithoutTransaction { database in
                try patience.run(for: account) { try body(connection, database) }
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

    // MARK: Changes

    /// Yields after transactions, of this process and of others, that may have changed something. Changes that streams
    /// store in their sessions do not count.
    public func changes() -> AsyncStream<Void> { listeners.add() }

    /// Begins the work that an open file needs, now and from time to time.
    private func keep(_ connection: OpenConnection) {
        let interval = connection.watch.isNotified ? options.watchedPollInterval : PersistenceLimits.pollInterval
        let tasks = [
            // Finds commits of programs that do not touch the lock's file.
            repeatEach(.seconds(interval)) { database, connection, sqlite in
                if connection.hasCommitOfOthers(sqlite) { database.listeners.notify() }
            },
            // A session that commits renews its lease itself. This renews those of idle ones, also after a freeze.
            repeatEach(options.leaseTime / 3) { database, connection, sqlite in
                let due = database.openSessions.all.filter { (try? $0.check(DatabaseTransaction(db: sqlite))) ?? false }
                if due.isEmpty { return }
                try sqlite.writing(connection) { transaction in
                    // Another owner may have come in between.
                    for session in due { try? session.checkAndRenew(in: transaction) }
                }
            },
        ]
        connection.upkeep.withLock { $0 = tasks }
    }

    private func repeatEach(
        _ interval: Duration, _ body: @escaping @Sendable (StanzaDatabase, OpenConnection, Database) throws -> Void
    ) -> Task<Void, Never> {
        Task.detached { [weak self, clock = options.clock] in
            while !Task.isCancelled {
                // The next access does what this one cannot. Nothing keeps the database between them.
                do {
                    guard let self else { return }
                    try await accessWriter { [self] in try body(self, $0, $1) }
                } catch StanzaDatabaseError.closed {
                    return
                } catch {}
                try? await clock.sleep(until: clock.uptime + interval)
            }
        }
    }

    // MARK: Freezing

    /// Interrupts the running statements once. Freezing does that again and again.
    package func interruptStatements() { state.withLock(\.connection)?.interruptStatements() }

    /// Closes the file at once. Afterwards the process has no file of the database open and holds no lock, so the
    /// system may suspend it.
    ///
    /// You can call it at any moment. Transactions that have not begun to commit change nothing, and throw
    /// `StanzaDatabaseError.frozen`, like every access until ``unfreeze()``. A task that waits for a promise keeps
    /// waiting. The call waits for a running commit, and for code of a transaction that runs no statement. You need not
    /// freeze any other part of this package. Another process can have this process's sessions when their leases have
    /// ended (`PersistenceLimits.leaseTime`), or at once if it takes them over.
    ///
    /// If `freeze()` and `unfreeze()` overlap, the last call wins. You can call `freeze()` repeatedly.
    ///
    /// - Precondition: No transaction of this database calls it, which would wait for itself.
    public func freeze() {
        dispatchPrecondition(condition: .notOnQueue(lifecycle))
        end(with: .frozen)
        // An opening, or another freeze, ends first.
        lifecycle.sync { closeInterrupted() }
    }

    /// Opens the file again. `changes()` yields, because other processes may have written. Does not check the whole
    /// file again, as the first opening does.
    ///
    /// - Throws: The errors of opening, for example `StanzaDatabaseError.notADatabase`, or `.corrupt` if the file at
    ///   the path was moved or replaced. The database then stays frozen. You can call `unfreeze()` again.
    public func unfreeze() async throws {
        state.withLock { if $0.wanted == .frozen { $0.wanted = .open } }
        try await runBlocking { [self] in
            try connect(isFirst: false)
        } on: {
            lifecycle.async(execute: $0)
        }
    }

    /// Waits for all accesses, and closes the file for good.
    ///
    /// - Precondition: No transaction of this database calls it, which would wait for itself.
    public func close() {
        end(with: .closed)
        state.withLock { $0.connection.take() }?.close()
        // The report of the last commit may be late.
        listeners.notify()
        listeners.finish()
    }

    private func connect(isFirst: Bool) throws {
        closeInterrupted()
        let opens = state.withLock { state in
            if state.wanted == .open { patience.limit(nil, until: nil) }
            return state.wanted == .open && state.connection == nil
        }
        if !opens { return }
        let connection: OpenConnection
        do {
            let writer = try OpenFile.open(at: path, options: options, patience: patience, isFirst: isFirst)
            connection = OpenConnection(writer, ChangeWatch(path: path, listeners: listeners))
        } catch {
            // A call of `freeze()` ends the opening.
            if state.withLock({ $0.wanted != .open }) { return }
            throw error
        }
        let isWanted = state.withLock { state in
            if state.wanted == .open { state.connection = connection }
            return state.wanted == .open
        }
        if !isWanted { return connection.interruptAndClose() }
        keep(connection)
        listeners.notify()
    }

    /// Lets no further access begin. Before a freeze, also interrupts the others.
    private func end(with wanted: Wanted) {
        let isInside = state.withLock(\.connection)?.isInAccess ?? false
        precondition(!isInside, "a transaction must not freeze or close its database, which waits for the transaction")
        state.withLock { state in
            if state.wanted == .closed { return }
            state.wanted = wanted
            if wanted == .closed { return }
            state.connection?.interrupt()
            patience.limit(nil, until: .now)
        }
    }

    private func closeInterrupted() {
        let connection = state.withLock { state in
            state.connection?.isInterrupted == true ? state.connection.take() : nil
        }
        connection?.interruptAndClose()
    }
}

extension Database {
    fileprivate func writing<Result>(
        _ connection: OpenConnection, notifies: Bool = false, _ body: (DatabaseTransaction) throws -> Result
    ) throws -> Result {
        let before = totalChangesCount
        let result = try transaction(.immediate, connection) { transaction in
            // A commit to a deleted file would be lost, and no other process would read it.
            if SQLiteCalls.hasMoved(sqliteConnection) { throw StanzaDatabaseError.moved }
            let result = try body(transaction)
            // A commit waits for the disk.
            try connection.check()
            return result
        }
        // Before the end of the access: a freeze that comes now closes the file after it.
        if notifies, totalChangesCount != before { connection.watch.touch() }
        if !connection.isInterrupted { connection.copyLog(of: self) }
        return result
    }

    fileprivate func reading<Result>(
        _ connection: OpenConnection, _ body: (DatabaseTransaction) throws -> Result
    ) throws -> Result {
        try readOnly { try transaction(.deferred, connection, body) }
    }

    private func transaction<Result>(
        _ kind: TransactionKind, _ connection: OpenConnection, _ body: (DatabaseTransaction) throws -> Result
    ) throws -> Result {
        // No caller gets this error: a transaction that does not commit throws.
        var result = Swift.Result<Result, any Error>.failure(StanzaDatabaseError.closed)
        try inTransaction(kind) {
            result = .success(try connection.run(bodyOn: self) { try body(DatabaseTransaction(db: self)) })
            return .commit
        }
        return try result.get()
    }
}
