// The open file of a database, and the accesses that use it. Freezing interrupts them; closing waits for them.

import Dispatch
import Foundation
import GRDB
import Locking

/// The connections between an opening of the file and its end.
///
/// An access begins before it uses the connections, also while it waits for its turn. No connection closes before all
/// accesses have ended.
final class OpenConnection: Sendable {
    let writer: any DatabaseWriter
    let watch: ChangeWatch
    /// Tasks that use the file until its end.
    let upkeep = Lock<[Task<Void, Never>]>([])
    private let running = DispatchGroup()
    private let logLength: Lock<Int>

    private struct State {
        var isInterrupted = false
        /// The threads that run an access.
        var threads: Set<ObjectIdentifier> = []
        /// The connections that run the body of a transaction.
        var bodies: Set<UInt> = []
        /// SQLite's count of commits at the last check.
        var version: Int?
    }

    private let state = Lock(State())

    init(_ writer: any DatabaseWriter, _ watch: ChangeWatch) {
        self.writer = writer
        self.watch = watch
        logLength = writer.writeWithoutTransaction { SQLiteCalls.noteLogLength(of: $0.sqliteConnection) }
        _ = writer.writeWithoutTransaction { hasCommitOfOthers($0) }
    }

    // MARK: Accesses

    /// Each call needs one of `end()`. The caller makes sure that the connection is not being closed.
    func begin() { running.enter() }

    func end() { running.leave() }

    /// Throws if the file is being frozen: the access must not begin, or not commit.
    func check() throws(StanzaDatabaseError) { if isInterrupted { throw .frozen } }

    /// Whether the file is being frozen.
    var isInterrupted: Bool { state.withLock(\.isInterrupted) }

    /// Runs an access that has begun.
    ///
    /// - Throws: `StanzaDatabaseError.frozen` instead of any other error if the file is being frozen; the errors of
    ///   `body`.
    func run<Result>(_ body: (any DatabaseWriter) throws -> Result) throws -> Result {
        try check()
        let thread = ObjectIdentifier(Thread.current)
        state.withLock { _ = $0.threads.insert(thread) }
        defer { state.withLock { _ = $0.threads.remove(thread) } }
        do {
            return try body(writer)
        } catch {
            try check()
            throw error
        }
    }

    /// Runs the body of a transaction, which a freeze interrupts. It does not interrupt the statements that begin and
    /// end the transaction: an interrupted ROLLBACK would leave it open, and GRDB would end the process.
    func run<Result>(bodyOn database: Database, _ body: () throws -> Result) throws -> Result {
        let connection = UInt(bitPattern: database.sqliteConnection)
        state.withLock { _ = $0.bodies.insert(connection) }
        defer { state.withLock { _ = $0.bodies.remove(connection) } }
        return try body()
    }

    /// Copies a long log to the file after a commit: a freeze can interrupt that, but not a COMMIT. If it fails, the
    /// next commit tries again.
    func copyLog(of database: Database) {
        if logLength.withLock(\.self) < PersistenceLimits.logPages { return }
        try? run(bodyOn: database) { try database.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
    }

    /// Whether this thread runs an access.
    var isInAccess: Bool { state.withLock { $0.threads.contains(ObjectIdentifier(Thread.current)) } }

    /// Whether another connection has committed since the last call. For the writing connection, the commits of this
    /// process do not count.
    func hasCommitOfOthers(_ database: Database) -> Bool {
        // If this fails, the database is damaged. The next access reports that.
        guard let now = try? Int.fetchOne(database, sql: "PRAGMA data_version") else { return false }
        return state.withLock { state in
            defer { state.version = now }
            return state.version.map { $0 != now } ?? false
        }
    }

    // MARK: The end

    /// Waits for all accesses, and closes the file.
    func close() {
        running.wait()
        for task in upkeep.withLock(\.self) { task.cancel() }
        watch.stop()
        OpenFile.close(writer)
    }

    /// Lets all accesses fail that have not begun to commit.
    func interrupt() { state.withLock { $0.isInterrupted = true } }

    /// Interrupts the running statements of transactions.
    func interruptStatements() {
        state.withLock { state in
            for connection in state.bodies { SQLiteCalls.interrupt(OpaquePointer(bitPattern: connection)) }
        }
    }

    /// Interrupts all accesses, and closes the file. Transactions that have not begun to commit change nothing.
    func interruptAndClose() {
        interrupt()
        // An interruption ends the running statements only, and an access may run several.
        repeat { interruptStatements() } while running.wait(timeout: .now() + .milliseconds(1)) == .timedOut
        // This keeps SQLite from copying the log to the file when the last connection closes, which takes time. The
        // next process reads the log.
        writer.interrupt()
        close()
    }
}
