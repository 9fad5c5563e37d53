// Opening: one process at a time checks the file and brings its tables up to date, while others wait.

import Foundation
import GRDB

extension StanzaDatabase {
    /// How a database is opened.
    public struct Options: Sendable {
        /// The largest size of the file in pages of 4,096 bytes; `nil` for what the disk holds.
        public var maximumPageCount: Int?
        /// Whether it is only looked into: nothing is made, brought up to date or put aside.
        var isInspected = false
        /// Called for each statement before it runs and after it has run. For tests that kill the process there.
        package var statementObserver: (@Sendable (StatementMoment) -> Void)?

        public init(maximumPageCount: Int? = nil) { self.maximumPageCount = maximumPageCount }
    }

    /// A moment in the life of a statement.
    package enum StatementMoment: Sendable {
        case before(String)
        case after(String)
    }

    /// Opens the database, which is made if there is none. Its folder has to be there.
    ///
    /// - Throws: `StanzaDatabaseError.newerVersion` if a newer version of the program has written it; nothing is changed
    ///   then. `.corrupt` if the file is damaged; it was put aside then, and opening again begins a new one. `.busy`,
    ///   `.full`, `.unreadable`.
    public static func open(at path: String, options: Options = Options()) async throws -> StanzaDatabase {
        // Opening waits for other processes, which a task must not do.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try StanzaDatabase(path: path, options: options) })
            }
        }
    }

    /// Opens a database to look into it. Nothing can be changed, and processes that use it are not disturbed.
    ///
    /// - Throws: `StanzaDatabaseError.unreadable` if there is none, `.newerVersion` or `.olderVersion` if it was not
    ///   written by this version of the program, `.corrupt`, `.busy`.
    public static func inspect(at path: String) async throws -> StanzaDatabase {
        var options = Options()
        options.isInspected = true
        return try await open(at: path, options: options)
    }

    static func openQueue(at path: String, options: Options) throws -> DatabaseQueue {
        if options.isInspected { return try inspectedQueue(at: path, options: options) }
        let lock = try FileLock(path: path + ".lock", timeout: PersistenceLimits.busyTimeout)
        defer { lock.release() }
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration(options))
            try queue.writeWithoutTransaction { database in
                // What is committed must survive the machine, too: a commit is on the disk when it returns. GRDB sets
                // less for WAL mode when it opens, after the configuration has prepared the connection.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                try checkIntegrity(database)
            }
            if try queue.read(Schema.migrator.hasBeenSuperseded) { throw StanzaDatabaseError.newerVersion }
            if try !queue.read(Schema.migrator.hasCompletedMigrations) { try Schema.migrator.migrate(queue) }
            return queue
        } catch {
            let failure = StanzaDatabaseError(error, path: path) ?? error
            guard case StanzaDatabaseError.corrupt = failure else { throw failure }
            throw StanzaDatabaseError.corrupt(asideAt: try putAside(path))
        }
    }

    private static func inspectedQueue(at path: String, options: Options) throws -> DatabaseQueue {
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration(options))
            if try queue.read(Schema.migrator.hasBeenSuperseded) { throw StanzaDatabaseError.newerVersion }
            if try !queue.read(Schema.migrator.hasCompletedMigrations) { throw StanzaDatabaseError.olderVersion }
            return queue
        } catch {
            throw StanzaDatabaseError(error, path: path) ?? error
        }
    }

    private static func configuration(_ options: Options) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = options.isInspected
        if !options.isInspected { configuration.journalMode = .wal }
        configuration.busyMode = .timeout(PersistenceLimits.busyTimeout)
        configuration.label = "swift-stanza"
        configuration.prepareDatabase { database in
            if let count = options.maximumPageCount {
                try database.execute(sql: "PRAGMA max_page_count = \(count)")
            }
            if let observer = options.statementObserver { observe(database, observer) }
        }
        return configuration
    }

    private static func observe(_ database: Database, _ observer: @escaping @Sendable (StatementMoment) -> Void) {
        database.trace(options: [.statement, .profile]) { event in
            switch event {
            case .statement(let statement): observer(.before(statement.sql))
            case .profile(let statement, _): observer(.after(statement.sql))
            }
        }
    }

    private static func checkIntegrity(_ database: Database) throws {
        let words = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
        if words != "ok" { throw StanzaDatabaseError.corrupt(asideAt: nil) }
    }

    /// Moves a damaged file out of the way, with what belongs to it. Returns where it is now.
    private static func putAside(_ path: String) throws -> String {
        var number = 1
        while FileManager.default.fileExists(atPath: "\(path).damaged-\(number)") { number += 1 }
        let aside = "\(path).damaged-\(number)"
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
        }
        return aside
    }
}
