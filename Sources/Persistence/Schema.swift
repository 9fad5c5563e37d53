// The tables. All names begin with `stanza_`, which leaves every other name to the application. The article Tables.md
// lists them.

import GRDB

enum Schema {
    /// The number of this schema. Raise it with each change of the tables.
    static let version = 3

    /// SQLite's `application_id` of our files: `Stnz`.
    static let mark = 0x5374_6E7A

    /// The tables of this package. A process checks them when it opens a file.
    static let tables = [
        "stanza_schema", "stanza_promise", "stanza_clock", "stanza_sessionOwner", "stanza_session", "stanza_outgoing",
        "stanza_request", "stanza_mechanism", "stanza_handled", "stanza_held",
    ]

    /// Checks that this program may add its tables to the file, or use those that the file has.
    ///
    /// An app may have created the file, and its own tables, before ours are added. Its migrations identify the app:
    /// the file is foreign if it has a migration that `application` lacks. A file without migrations is foreign if it
    /// has a mark.
    ///
    /// - Throws: `StanzaDatabaseError.newerVersion`, `.olderVersion` or `.foreign`.
    static func check(_ database: Database, for application: DatabaseMigrator?) throws {
        if let found = try version(of: database) {
            if found != version { throw found > version ? StanzaDatabaseError.newerVersion : .olderVersion }
            return
        }
        let migrations = try DatabaseMigrator().appliedIdentifiers(database)
        // Versions before the first release had migrations of these names.
        if !migrations.isDisjoint(with: ["stanza.promises", "stanza.handlers"]) {
            throw StanzaDatabaseError.olderVersion
        }
        let mark = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        if mark == Self.mark { return }
        let isForeign =
            if let application, !migrations.isEmpty {
                !migrations.isSubset(of: application.migrations)
            } else {
                mark != 0 || !migrations.isEmpty
            }
        if isForeign { throw StanzaDatabaseError.foreign }
    }

    /// The number of the schema of the file; `nil` if it has no table of this package.
    static func version(of database: Database) throws -> Int? {
        guard try database.tableExists("stanza_schema") else { return nil }
        return try Int.fetchOne(database, sql: "SELECT version FROM stanza_schema")
    }

    /// Creates all tables, in the transaction of the caller, and sets our mark unless the application has set its own.
    static func create(in database: Database) throws {
        for group in [promises, sessions, requests, stanzas] { try database.execute(sql: group) }
        try database.execute(
            sql: "CREATE TABLE stanza_schema (version INTEGER NOT NULL) STRICT; INSERT INTO stanza_schema VALUES (?)",
            arguments: [version])
        if try Int.fetchOne(database, sql: "PRAGMA application_id") == 0 {
            try database.execute(sql: "PRAGMA application_id = \(mark)")
        }
    }

    /// Promises, and one point of their time, in one row. The texts of a rejection are bytes, because they may have NUL
    /// characters.
    private static let promises = """
        CREATE TABLE stanza_promise (
            id BLOB NOT NULL PRIMARY KEY,
            key TEXT UNIQUE,
            type TEXT NOT NULL,
            created REAL NOT NULL,
            timeout REAL,
            retention REAL NOT NULL,
            state INTEGER NOT NULL,
            resolved REAL,
            payload BLOB,
            code BLOB,
            message BLOB,
            stanza BLOB,
            account BLOB,
            acknowledged REAL,
            deadline REAL AS (CASE WHEN state = 0 THEN created + timeout END) VIRTUAL,
            expiry REAL NOT NULL
        ) STRICT;
        CREATE INDEX stanza_promiseDeadline ON stanza_promise (deadline) WHERE state = 0;
        CREATE INDEX stanza_promiseExpiry ON stanza_promise (expiry);
        CREATE INDEX stanza_promiseCreated ON stanza_promise (created) WHERE state = 0;
        CREATE TABLE stanza_clock (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            time REAL NOT NULL,
            date REAL NOT NULL,
            uptime REAL NOT NULL,
            boot TEXT
        ) STRICT;
        """

    /// Streams with their owners (SessionOwner.swift), and the mechanisms that authenticated their accounts. All data
    /// of a stanza is in one row of one tree, with the account in its key. So a sent or acknowledged stanza changes one
    /// page besides its session's.
    private static let sessions = """
        CREATE TABLE stanza_sessionOwner (
            account TEXT NOT NULL PRIMARY KEY,
            token INTEGER NOT NULL,
            process TEXT NOT NULL,
            boot TEXT,
            leaseEnd REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE stanza_session (
            account TEXT NOT NULL PRIMARY KEY,
            resumptionID TEXT,
            maximum INTEGER,
            location TEXT,
            address TEXT,
            lastDisconnect REAL,
            handledByClient INTEGER NOT NULL DEFAULT 0,
            handledByServer INTEGER NOT NULL DEFAULT 0,
            handlingAttempts INTEGER NOT NULL DEFAULT 0,
            unansweredResumptions INTEGER NOT NULL DEFAULT 0,
            isGreeted INTEGER NOT NULL DEFAULT 1,
            awaitsGreeting INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE stanza_outgoing (
            account TEXT NOT NULL,
            place INTEGER NOT NULL,
            position INTEGER NOT NULL,
            number INTEGER NOT NULL,
            id TEXT,
            element BLOB NOT NULL,
            firstSent REAL,
            isSent INTEGER NOT NULL,
            losses INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, place, position)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE stanza_mechanism (
            account TEXT NOT NULL PRIMARY KEY,
            strongest TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Requests, each with the stored bytes of its handler. An app may use the `id` of a request again once that has
    /// ended; `serial` is never used again. `session` is the resumable session that a request was sent in; without one
    /// the request ends with the stream. After the clock was set back, `timeout` bounds the wait. `endReason` is a
    /// `StoredRequest.End`. A row with a `deferralReason` has ended, and waits for a program that can load its handler.
    /// Each run tries it again; `attempts` counts those that no process has survived.
    private static let requests = """
        CREATE TABLE stanza_request (
            serial INTEGER PRIMARY KEY AUTOINCREMENT,
            account TEXT NOT NULL,
            id TEXT NOT NULL,
            recipient TEXT,
            kind TEXT NOT NULL,
            handler BLOB NOT NULL,
            deadline REAL,
            timeout REAL,
            session TEXT,
            endReason INTEGER,
            deferralReason TEXT,
            deferredAnswer BLOB,
            deferredSince REAL,
            attempts INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE UNIQUE INDEX stanza_requestID ON stanza_request (account, id) WHERE deferralReason IS NULL;
        CREATE INDEX stanza_requestEnded ON stanza_request (account)
            WHERE endReason IS NOT NULL AND deferralReason IS NULL;
        CREATE INDEX stanza_requestDeferred ON stanza_request (account) WHERE deferralReason IS NOT NULL;
        CREATE INDEX stanza_requestTimed ON stanza_request (account) WHERE deadline IS NOT NULL;
        """

    /// The identifiers of handled stanzas, which a server may deliver again, and stanzas that no route took.
    private static let stanzas = """
        CREATE TABLE stanza_handled (
            account TEXT NOT NULL,
            number INTEGER NOT NULL,
            sender TEXT NOT NULL,
            id TEXT NOT NULL,
            handled REAL NOT NULL,
            PRIMARY KEY (account, number),
            UNIQUE (account, sender, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX stanza_handledTime ON stanza_handled (handled);
        CREATE TABLE stanza_held (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            account TEXT NOT NULL,
            element BLOB NOT NULL,
            held REAL NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX stanza_heldAccount ON stanza_held (account);
        """
}
