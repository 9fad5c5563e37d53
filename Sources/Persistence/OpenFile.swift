// The database's file: one process at a time checks it and brings its tables up to date, while others wait. Two empty
// files beside it are locked: NAME.lock by who opens it, NAME.users by all who have it open.

import Foundation
import GRDB

/// A connection, and what tells others that there is one.
struct OpenFile {
    let queue: DatabaseQueue
    /// `nil` where the file is only looked into.
    private let use: FileLock?

    /// Opens the file; again and again for a moment, if it is there and cannot be opened: the last process that has had
    /// it open may be about to remove what belongs to it.
    ///
    /// - Parameters:
    ///   - path: Where the file is.
    ///   - options: How it is opened.
    ///   - patience: How long its transactions wait for other processes.
    ///   - isFirst: Whether our tables are checked, which takes the longer the more they hold.
    static func open(
        at path: String, options: StanzaDatabase.Options, patience: Patience, isFirst: Bool
    ) throws -> OpenFile {
        let deadline = ContinuousClock.now + .seconds(PersistenceLimits.openingTimeout)
        var attempts = 0
        while true {
            attempts += 1
            do {
                return try OpenFile(at: path, options: options, patience: patience, isFirst: isFirst)
            } catch StanzaDatabaseError.unreadable
                where FileManager.default.isReadableFile(atPath: path)
                && (ContinuousClock.now < deadline || attempts < PersistenceLimits.openingAttempts)
            {
                Thread.sleep(forTimeInterval: PersistenceLimits.openingPause)
            }
        }
    }

    private init(
        at path: String, options: StanzaDatabase.Options, patience: Patience, isFirst: Bool
    ) throws {
        let configuration = Self.configuration(options, patience)
        if options.isInspected {
            queue = try Self.inspectedQueue(at: path, configuration)
            use = nil
            return
        }
        let (queue, use) = try Self.ownQueue(at: path, options, patience, configuration, isFirst: isFirst)
        (self.queue, self.use) = (queue, use)
        if !isFirst { return }
        let identity = Self.identity(of: path)
        do {
            // The check runs without the lock. Processes that open or use the file do not wait for it.
            try queue.read(Self.checkIntegrity)
        } catch {
            close()
            let lock = try Self.lock(path)
            defer { lock.release() }
            // Another process may also have found the damage, moved the file aside and created a new one.
            if identity != Self.identity(of: path) { throw StanzaDatabaseError.corrupt(asideAt: nil) }
            throw try Self.failure(error, at: path)
        }
    }

    private static func lock(_ path: String) throws -> FileLock {
        try FileLock(path: path + ".lock", timeout: PersistenceLimits.busyTimeout)
    }

    /// The file number. It distinguishes a file from a later one at the same path.
    private static func identity(of path: String) -> UInt64? {
        try? FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64
    }

    /// A connection to a file that is ours and has all our tables, and the application's.
    private static func ownQueue(
        at path: String, _ options: StanzaDatabase.Options, _ patience: Patience, _ configuration: Configuration,
        isFirst: Bool
    ) throws -> (DatabaseQueue, FileLock) {
        let lock = try lock(path)
        defer { lock.release() }
        do {
            makePrivateFile(at: path)
            if isFirst { try checkBeforeOpening(path, options, patience) }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { database in
                if try Schema.isForeign(database, to: options.migrations) { throw StanzaDatabaseError.foreign }
                // What is committed must survive the machine, too: a commit is on the disk when it returns. GRDB sets
                // less for WAL mode when it opens, after the configuration has prepared the connection.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                // On Darwin, fsync leaves a commit in the drive's cache. This makes SQLite empty that too, also after
                // checkpoints; other systems ignore it.
                try database.execute(sql: "PRAGMA fullfsync = TRUE")
                if try Schema.isNewer(database) { throw StanzaDatabaseError.newerVersion }
                try Schema.addPrefix(database)
            }
            try migrate(queue, by: Schema.migrator)
            if var migrations = options.migrations {
                // It would erase our tables, too, which it does not know.
                migrations.eraseDatabaseOnSchemaChange = false
                try migrate(queue, by: migrations)
            }
            return (queue, try FileLock(sharing: path + ".users"))
        } catch {
            throw try failure(error, at: path)
        }
    }

    private static func migrate(_ queue: DatabaseQueue, by migrator: DatabaseMigrator) throws {
        if try !queue.read(migrator.hasCompletedMigrations) { try migrator.migrate(queue) }
    }

    /// Converts an error for the caller. Moves a damaged file aside; the caller must hold the lock.
    private static func failure(_ error: any Error, at path: String) throws -> any Error {
        let failure = StanzaDatabaseError(error, path: path) ?? error
        guard case StanzaDatabaseError.corrupt = failure else { return failure }
        return StanzaDatabaseError.corrupt(asideAt: try putAside(path))
    }

    func close() {
        // It fails only where it was closed before.
        try? queue.close()
        use?.release()
    }

    private static func inspectedQueue(at path: String, _ configuration: Configuration) throws -> DatabaseQueue {
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            if try queue.read({ try Schema.isForeign($0, to: nil) }) { throw StanzaDatabaseError.foreign }
            if try queue.read(Schema.isNewer) { throw StanzaDatabaseError.newerVersion }
            if try !queue.read(Schema.migrator.hasCompletedMigrations) {
                let isOthers = try queue.read(Schema.hasOnlyOthersTables)
                throw isOthers ? StanzaDatabaseError.foreign : .olderVersion
            }
            return queue
        } catch {
            throw StanzaDatabaseError(error, path: path) ?? error
        }
    }

    private static func configuration(_ options: StanzaDatabase.Options, _ patience: Patience) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = options.isInspected
        if !options.isInspected { configuration.journalMode = .wal }
        configuration.busyMode = .callback { patience.goesOn(after: $0) }
        configuration.label = "swift-stanza"
        configuration.prepareDatabase { database in
            if let count = options.maximumPageCount {
                try database.execute(sql: "PRAGMA max_page_count = \(count)")
            }
            if let observer = options.statementObserver { observe(database, observer) }
        }
        return configuration
    }

    private static func observe(
        _ database: Database, _ observer: @escaping @Sendable (StanzaDatabase.StatementMoment) -> Void
    ) {
        database.trace(options: [.statement, .profile]) { event in
            switch event {
            case .statement(let statement): observer(.before(statement.sql))
            case .profile(let statement, _): observer(.after(statement.sql))
            }
        }
    }

    /// Looks whose file it is: to open it for writing would change how it keeps its transactions. A file that cannot be
    /// looked into needs whoever opens it for writing.
    private static func checkBeforeOpening(
        _ path: String, _ options: StanzaDatabase.Options, _ patience: Patience
    ) throws {
        var looking = options
        looking.isInspected = true
        looking.statementObserver = nil
        let isForeign = try? DatabaseQueue(path: path, configuration: configuration(looking, patience))
            .read { try Schema.isForeign($0, to: options.migrations) }
        if isForeign == true { throw StanzaDatabaseError.foreign }
    }

    /// Checks our tables. Those of the application may be large, and are its own business.
    private static func checkIntegrity(_ database: Database) throws {
        for table in Schema.tables {
            let words = try String.fetchOne(database, sql: "PRAGMA quick_check(\(table))")
            if words != "ok" { throw StanzaDatabaseError.corrupt(asideAt: nil) }
        }
    }

    /// Moves a damaged file out of the way, with what belongs to it. Returns where it is now; `nil` if others have it
    /// open: they would go on to write where nobody looks.
    private static func putAside(_ path: String) throws -> String? {
        // A program that this process starts has its files open for a moment: that is waited for.
        guard let lock = try? FileLock(path: path + ".users", timeout: PersistenceLimits.useTimeout) else { return nil }
        defer { lock.release() }
        var number = 1
        while FileManager.default.fileExists(atPath: "\(path).damaged-\(number)") { number += 1 }
        let aside = "\(path).damaged-\(number)"
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
        }
        return aside
    }
}

extension StanzaDatabase {
    /// How a database is opened.
    public struct Options: Sendable {
        /// The largest size of the file, in pages of 4,096 bytes. With `nil`, the package sets no limit.
        public var maximumPageCount: Int?
        /// The migrations of the application's own tables. They are made when the file is opened, after ours and while
        /// other processes that open it wait. Their identifiers must not begin with `stanza.`. Its
        /// `eraseDatabaseOnSchemaChange` does not count: it would erase our tables.
        public var migrations: DatabaseMigrator?
        /// Whether it is only looked into: nothing is made, brought up to date or put aside.
        var isInspected = false
        /// Called for each statement before it runs and after it has run. For tests that kill the process there.
        package var statementObserver: (@Sendable (StatementMoment) -> Void)?
        /// For tests that do not want to wait.
        package var busyTimeout = PersistenceLimits.busyTimeout
        /// For tests of the file watch: a long interval keeps the timer from reporting a change first.
        package var watchedPollInterval = PersistenceLimits.watchedPollInterval

        public init(maximumPageCount: Int? = nil, migrations: DatabaseMigrator? = nil) {
            self.maximumPageCount = maximumPageCount
            self.migrations = migrations
        }
    }

    /// A moment in the life of a statement.
    package enum StatementMoment: Sendable {
        case before(String)
        case after(String)
    }
}
