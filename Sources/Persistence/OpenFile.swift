// The database's file. One process at a time checks it and migrates its tables, while others wait for NAME.lock
// (OpeningLock.swift).

import Foundation
import GRDB
package import XMPPCore

/// Opens the database's file.
enum OpenFile {
    /// Opens the file. If the file exists and cannot be opened, or another one replaces it, tries again for a moment:
    /// the last process that had it open may be about to remove its log.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - options: How to open it.
    ///   - patience: How long its transactions wait for other processes.
    ///   - isFirst: Whether to check this package's tables. The time grows with their size.
    /// - Returns: Connections to the file. One writes, and several read beside it. An inspected file has one.
    static func open(
        at path: String, options: StanzaDatabase.Options, patience: Patience, isFirst: Bool
    ) throws -> any DatabaseWriter {
        let deadline = ContinuousClock.now + .seconds(PersistenceLimits.openingTimeout)
        var attempts = 0
        while true {
            attempts += 1
            do {
                return try connections(to: path, options, patience, isFirst: isFirst)
            } catch let error as StanzaDatabaseError
                where mayPass(error, at: path) && patience.isLeft(for: nil)
                && (ContinuousClock.now < deadline || attempts < PersistenceLimits.openingAttempts)
            {
                Thread.sleep(forTimeInterval: PersistenceLimits.openingPause)
            }
        }
    }

    private static func mayPass(_ error: StanzaDatabaseError, at path: String) -> Bool {
        switch error {
        case .moved: true
        case .unreadable: FileManager.default.isReadableFile(atPath: path)
        default: false
        }
    }

    private static func connections(
        to path: String, _ options: StanzaDatabase.Options, _ patience: Patience, isFirst: Bool
    ) throws -> any DatabaseWriter {
        if options.isInspected { return try inspectedQueue(at: path, configuration(options, patience)) }
        let place = FilePlace(path)
        try place.check()
        let pool = try ownPool(at: place, options, patience)
        if !isFirst { return pool }
        let file = place.file()
        do {
            // The check runs without the lock. Processes that open or use the file do not wait for it.
            try pool.read(checkIntegrity)
            return pool
        } catch {
            close(pool)
            let lock = try OpeningLock(of: path, patience)
            defer { lock.release() }
            // Another process may also have found the damage, moved the file aside and created a new one.
            if file?.identity != place.file()?.identity { throw StanzaDatabaseError.corrupt(asideAt: nil) }
            throw try failure(error, at: place)
        }
    }

    /// Connections to a file of this package that has all tables, this package's and the application's.
    private static func ownPool(
        at place: FilePlace, _ options: StanzaDatabase.Options, _ patience: Patience
    ) throws -> DatabasePool {
        let path = place.path
        let lock = try OpeningLock(of: path, patience)
        defer { lock.release() }
        do {
            let found = place.file()
            let former = place.record
            try place.putStrayLogAside(from: found, former)
            let isKnown = try isReadableAndOurs(place, options, patience) || found?.size ?? 0 == 0 || former != nil
            let isNew = place.makePrivateFile()
            guard let file = place.file()?.identity else { throw StanzaDatabaseError.unreadable(path) }
            if !isNew && file != found?.identity { throw StanzaDatabaseError.moved }
            // Before SQLite writes: the record shows whose file this is if the machine fails before the header is on
            // the disk. And if the process is killed, the record does not describe former files.
            if isKnown { lock.write(place.record(of: file)) }
            let configuration = configuration(options, patience) { database in
                // SQLite has opened the file, and has read and written nothing.
                try check(database, isOf: file, at: place)
                SQLiteCalls.removeLogAtClose(database.sqliteConnection)
            }
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.writeWithoutTransaction { database in
                // A commit must survive a crash of the machine: it is on the disk when it returns. In WAL mode GRDB
                // lowers this when it opens the file, after the configuration has prepared the connection.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                // On Darwin, fsync leaves a commit in the drive's cache. This makes SQLite empty that cache, too, also
                // after checkpoints. Other systems ignore it.
                try database.execute(sql: "PRAGMA fullfsync = TRUE")
                try Schema.check(database, for: options.migrations)
            }
            if var migrations = options.migrations {
                // It would erase this package's tables, too, which it does not know.
                migrations.eraseDatabaseOnSchemaChange = false
                if try !pool.read(migrations.hasCompletedMigrations) { try migrations.migrate(pool) }
            }
            try pool.writeWithoutTransaction { database in
                // The application's migrations come first: if one fails, none of these tables exists.
                if try Schema.version(of: database) == nil {
                    try database.inTransaction(.immediate) {
                        try Schema.create(in: database)
                        return .commit
                    }
                }
                try check(database, isOf: file, at: place)
            }
            lock.write(place.record(of: file))
            return pool
        } catch {
            throw try failure(error, at: place)
        }
    }

    /// Checks that a connection has the file open that is at the path, and that this file is the expected one.
    private static func check(_ database: Database, isOf file: FilePlace.Identity, at place: FilePlace) throws {
        if SQLiteCalls.hasMoved(database.sqliteConnection) || place.file()?.identity != file {
            throw StanzaDatabaseError.moved
        }
    }

    /// Converts an error for the caller. Moves a damaged file aside, unless a connection has it open, which would
    /// continue to write to the moved file. The caller must hold the lock.
    private static func failure(_ error: any Error, at place: FilePlace) throws -> any Error {
        let failure = StanzaDatabaseError(error, at: place) ?? error
        guard case StanzaDatabaseError.corrupt(nil) = failure else { return failure }
        if SQLiteCalls.isInUse(place.path) { return failure }
        return StanzaDatabaseError.corrupt(asideAt: try place.putAside())
    }

    static func close(_ connections: any DatabaseWriter) {
        // If the file has moved, SQLite leaves the log, and the next opening moves it aside. Writing it to the file
        // would damage the file if another process has opened it at its new path.
        //
        // Only the writer may remove the log, so it closes last.
        (connections as? DatabasePool)?.invalidateReadOnlyConnections()
        // This fails only if the connections are closed already.
        try? connections.close()
    }

    private static func inspectedQueue(at path: String, _ configuration: Configuration) throws -> DatabaseQueue {
        let place = FilePlace(path)
        try place.check()
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.read { database in
                try Schema.check(database, for: nil)
                if try Schema.version(of: database) == nil { throw StanzaDatabaseError.foreign }
            }
            return queue
        } catch {
            throw StanzaDatabaseError(error, at: place) ?? error
        }
    }

    /// - Parameter prepare: Called before the first statement.
    private static func configuration(
        _ options: StanzaDatabase.Options, _ patience: Patience,
        preparing prepare: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = options.isInspected
        if !options.isInspected { configuration.journalMode = .wal }
        configuration.maximumReaderCount = PersistenceLimits.readers
        // The app's user may wait for each access.
        configuration.qos = .userInitiated
        configuration.busyMode = .callback { patience.goesOn(after: $0) }
        configuration.label = "swift-stanza"
        configuration.prepareDatabase { database in
            try prepare(database)
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

    /// Checks whose file it is before it is opened for writing, which would change its journal mode.
    ///
    /// - Returns: `false` if the file is missing, or can only be opened for writing.
    private static func isReadableAndOurs(
        _ place: FilePlace, _ options: StanzaDatabase.Options, _ patience: Patience
    ) throws -> Bool {
        var looking = options
        looking.isInspected = true
        looking.statementObserver = nil
        do {
            try DatabaseQueue(path: place.path, configuration: configuration(looking, patience))
                .read { try Schema.check($0, for: options.migrations) }
            return true
        } catch let error as DatabaseError {
            let failure = StanzaDatabaseError(error, at: place)
            if case .unreadable = failure { return false }
            throw failure ?? error
        }
    }

    /// Checks this package's tables. The application's may be large, and are not checked.
    private static func checkIntegrity(_ database: Database) throws {
        for table in Schema.tables {
            let words = try String.fetchOne(database, sql: "PRAGMA quick_check(\(table))")
            if words != "ok" { throw StanzaDatabaseError.corrupt(asideAt: nil) }
        }
    }
}

extension StanzaDatabase {
    /// How a database is opened.
    public struct Options: Sendable {
        /// The largest size of the file, in pages of 4,096 bytes. With `nil`, the package sets no limit.
        public var maximumPageCount: Int?
        /// The migrations of the application's own tables. Opening the file runs them before this package's, while
        /// other processes that open it wait. Opening ignores `eraseDatabaseOnSchemaChange`, which would erase this
        /// package's tables.
        public var migrations: DatabaseMigrator?
        /// Whether the file is only inspected: opening it migrates and moves nothing. SQLite may create an empty log
        /// and its index.
        var isInspected = false
        /// Called for each statement before it runs and after it has run. For tests that kill the process there.
        package var statementObserver: (@Sendable (StatementMoment) -> Void)?
        /// For tests that must not wait long.
        package var busyTimeout = PersistenceLimits.busyTimeout
        package var leaseTime = PersistenceLimits.leaseTime
        /// For tests of waking: a long interval keeps the timer from reporting a change first.
        package var watchedPollInterval = PersistenceLimits.watchedPollInterval
        /// The clock of the leases.
        package var clock: any MachineClock = SystemClock()

        public init(maximumPageCount: Int? = nil, migrations: DatabaseMigrator? = nil) {
            self.maximumPageCount = maximumPageCount
            self.migrations = migrations
        }
    }

    /// A moment before or after a statement.
    package enum StatementMoment: Sendable {
        case before(String)
        case after(String)
    }
}
