// The tables. Only add migrations, and never edit a released one: existing databases were made by it, and other
// processes may still run it.

import GRDB
import XMPPCore

enum Schema {
    /// All migrations, the oldest first. An app may have migrations of its own in the same file. A prefix distinguishes
    /// ours from them.
    static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        for step in steps {
            // Do not check the foreign keys of the application's tables: the time grows with their size.
            migrator.registerMigration(prefix + step.key, foreignKeyChecks: .immediate, migrate: step.value)
        }
        return migrator
    }()

    private static let prefix = "stanza."

    /// Deferred calls have an older name in the file: `parkedCall`, `parkingReason`, `parkedSince`, `parkedRequests`.
    private static let steps: KeyValuePairs<String, @Sendable (Database) throws -> Void> = [
        "promises": addPromises, "handlers": addHandlers, "sessions": addSessions, "replays": addReplays,
        "requests": addRequests, "parkedRequests": addDeferredRequests, "mark": addMark,
        "requestTimeouts": addRequestTimeouts, "mechanisms": addMechanisms, "losses": addLosses,
        "promiseMoment": addPromiseMoment, "acknowledgements": addAcknowledgements, "ends": addEnds,
        "requestSerials": addRequestSerials, "handledStanzas": addHandledStanzas, "greetings": addGreetings,
        "accounts": normalizeAccounts, "indexes": addIndexes, "holding": addHolding,
    ]

    /// The tables that these migrations create. A process checks them when it opens a file.
    static let tables = [
        "promise", "handler", "handlerNesting", "handlerMark", "parkedCall", "streamOwner", "streamSession",
        "outgoingStanza", "request", "mechanism", "promiseMoment", "handledStanza", "heldStanza",
    ]

    /// SQLite's `application_id` of our files: `Stnz`.
    static let mark = 0x5374_6E7A

    /// Whether the file is clearly the database of another program.
    ///
    /// A file with our mark is ours. So is a file with our first migration: older versions set no mark, and an app may
    /// set its own. A file with a `promise` table but without our first migration is foreign.
    ///
    /// An app may have created the file, and its own tables, before ours are added. Its migrations identify the app:
    /// the file is foreign if it has a migration that `application` lacks. A file without migrations is foreign if it
    /// has a mark.
    static func isForeign(_ database: Database, to application: DatabaseMigrator?) throws -> Bool {
        let mark = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        if mark == Self.mark { return false }
        let migrations = try migrator.appliedIdentifiers(database)
        let hasPromises = try database.tableExists("promise")
        if hasPromises { return migrations.isDisjoint(with: ["promises", prefix + "promises"]) }
        if let application, !migrations.isEmpty { return !migrations.isSubset(of: application.migrations) }
        return mark != 0 || !migrations.isEmpty
    }

    /// Whether a newer version of this package has migrated the file. Migrations without our prefix do not count.
    static func isNewer(_ database: Database) throws -> Bool {
        let known = Set(migrator.migrations)
        return try migrator.appliedIdentifiers(database).contains { $0.hasPrefix(prefix) && !known.contains($0) }
    }

    /// Adds the prefix to the migrations of a database that was made before they had one. They are ours if our tables
    /// exist.
    static func addPrefix(_ database: Database) throws {
        let applied = try migrator.appliedIdentifiers(database)
        guard try database.tableExists("promise"), !applied.contains(prefix + "promises") else { return }
        try database.inTransaction {
            for step in steps where applied.contains(step.key) {
                try database.execute(
                    sql: "UPDATE grdb_migrations SET identifier = ? WHERE identifier = ?",
                    arguments: [prefix + step.key, step.key])
            }
            return .commit
        }
    }

    /// Whether the file has tables, but no table of this package.
    static func hasOnlyOthersTables(_ database: Database) throws -> Bool {
        if try database.tableExists("promise") { return false }
        let others = """
            SELECT EXISTS (SELECT 1 FROM sqlite_master
                WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'grdb_migrations')
            """
        return try Bool.fetchOne(database, sql: others) ?? false
    }

    /// Sets our mark, unless the application has set its own.
    private static func addMark(_ database: Database) throws {
        if try Int.fetchOne(database, sql: "PRAGMA application_id") == 0 {
            try database.execute(sql: "PRAGMA application_id = \(mark)")
        }
    }

    private static func addPromises(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE promise (
                    id BLOB NOT NULL PRIMARY KEY,
                    key TEXT UNIQUE,
                    type TEXT NOT NULL,
                    created REAL NOT NULL,
                    timeout REAL,
                    retention REAL NOT NULL,
                    state INTEGER NOT NULL,
                    resolved REAL,
                    payloadVersion INTEGER,
                    payload BLOB,
                    code TEXT,
                    message TEXT,
                    stanza TEXT,
                    account TEXT,
                    consumer BLOB,
                    consumed REAL,
                    deadline REAL AS (CASE WHEN state = 0 THEN created + timeout END) VIRTUAL,
                    expiry REAL NOT NULL
                ) STRICT;
                CREATE INDEX promiseDeadline ON promise (deadline) WHERE state = 0;
                CREATE INDEX promiseExpiry ON promise (expiry);
                """)
    }

    private static func addHandlers(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE handler (
                    id BLOB NOT NULL PRIMARY KEY,
                    description TEXT NOT NULL,
                    data BLOB NOT NULL,
                    parkingReason TEXT,
                    parkedSince REAL
                ) STRICT;
                CREATE TABLE handlerNesting (
                    outer BLOB NOT NULL REFERENCES handler (id) ON DELETE CASCADE,
                    position INTEGER NOT NULL,
                    inner BLOB NOT NULL,
                    PRIMARY KEY (outer, position)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX handlerNestingInner ON handlerNesting (inner);
                CREATE TABLE handlerMark (
                    id BLOB NOT NULL PRIMARY KEY,
                    isCall INTEGER NOT NULL,
                    reason TEXT
                ) STRICT;
                CREATE TABLE parkedCall (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    handler BLOB NOT NULL REFERENCES handler (id) ON DELETE CASCADE,
                    call BLOB NOT NULL
                ) STRICT;
                CREATE INDEX parkedCallHandler ON parkedCall (handler);
                """)
    }

    /// All data of a stanza is in one row of one tree, with the account in its key. So a sent or acknowledged stanza
    /// changes one page besides its session's.
    private static func addSessions(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE streamOwner (
                    account TEXT NOT NULL PRIMARY KEY,
                    token INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE streamSession (
                    account TEXT NOT NULL PRIMARY KEY,
                    resumptionID TEXT,
                    maximum INTEGER,
                    location TEXT,
                    address TEXT,
                    lastDisconnect REAL,
                    handledByClient INTEGER NOT NULL DEFAULT 0,
                    handledByServer INTEGER NOT NULL DEFAULT 0,
                    handlingAttempts INTEGER NOT NULL DEFAULT 0
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE outgoingStanza (
                    account TEXT NOT NULL,
                    isUndecided INTEGER NOT NULL,
                    position INTEGER NOT NULL,
                    number INTEGER NOT NULL,
                    id TEXT,
                    element BLOB NOT NULL,
                    firstSent REAL,
                    isSent INTEGER NOT NULL,
                    PRIMARY KEY (account, isUndecided, position)
                ) STRICT, WITHOUT ROWID;
                """)
    }

    /// The token of the database that replays a handler's deferred calls: a sign of life, like that of a session's
    /// owner.
    private static func addReplays(_ database: Database) throws {
        try database.execute(sql: "ALTER TABLE handler ADD COLUMN replayer INTEGER")
    }

    /// Requests that wait for their answers. `session` is the resumable session that a request was sent in; without one
    /// the request ends with the stream.
    private static func addRequests(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE request (
                    account TEXT NOT NULL,
                    id TEXT NOT NULL,
                    recipient TEXT,
                    kind TEXT NOT NULL,
                    handler BLOB NOT NULL,
                    deadline REAL,
                    session TEXT,
                    isLost INTEGER NOT NULL DEFAULT 0,
                    PRIMARY KEY (account, id)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX requestDeadline ON request (account, deadline);
                """)
    }

    /// Whether the deferred calls of a handler come from requests: then each is an occasion of its own.
    private static func addDeferredRequests(_ database: Database) throws {
        try database.execute(sql: "ALTER TABLE handler ADD COLUMN servesRequests INTEGER NOT NULL DEFAULT 0")
    }

    /// How long a request waits at most: after the clock was set back, its deadline may be later.
    private static func addRequestTimeouts(_ database: Database) throws {
        try database.execute(sql: "ALTER TABLE request ADD COLUMN timeout REAL")
    }

    /// The strongest mechanism that authenticated each account.
    private static func addMechanisms(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE mechanism (
                    account TEXT NOT NULL PRIMARY KEY,
                    strongest TEXT NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    }

    /// How often the server ended a stream with a stanza in flight.
    private static func addLosses(_ database: Database) throws {
        try database.execute(sql: "ALTER TABLE outgoingStanza ADD COLUMN losses INTEGER NOT NULL DEFAULT 0")
    }

    /// A point of the promises' time, in one row.
    private static func addPromiseMoment(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE promiseMoment (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    time REAL NOT NULL,
                    date REAL NOT NULL,
                    uptime REAL NOT NULL,
                    boot TEXT
                ) STRICT;
                """)
    }

    /// When outcomes were acknowledged. Before this migration, taking an outcome also acknowledged it.
    private static func addAcknowledgements(_ database: Database) throws {
        try database.execute(
            sql: """
                ALTER TABLE promise ADD COLUMN acknowledged REAL;
                UPDATE promise SET acknowledged = consumed;
                """)
    }

    /// The times when handlers ended. Those that ended before this migration count as ended now.
    private static func addEnds(_ database: Database) throws {
        try database.execute(
            sql: """
                ALTER TABLE handlerMark ADD COLUMN ended REAL NOT NULL DEFAULT 0;
                UPDATE handlerMark SET ended = CAST(strftime('%s', 'now') AS REAL);
                CREATE INDEX handlerMarkEnded ON handlerMark (ended);
                """)
    }

    /// Whether the app has greeted a session, by presence for example. Older versions did not record that.
    private static func addGreetings(_ database: Database) throws {
        try database.execute(sql: "ALTER TABLE streamSession ADD COLUMN isGreeted INTEGER NOT NULL DEFAULT 1")
    }

    /// Handled stanzas, which a server may deliver again.
    private static func addHandledStanzas(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE handledStanza (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    account TEXT NOT NULL,
                    sender TEXT NOT NULL,
                    id TEXT NOT NULL,
                    handled REAL NOT NULL,
                    UNIQUE (account, sender, id)
                ) STRICT;
                CREATE INDEX handledStanzaTime ON handledStanza (handled);
                """)
    }

    /// A serial number identifies a request. An app may use the `id` of a request again once that has ended.
    private static func addRequestSerials(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE numberedRequest (
                    serial INTEGER PRIMARY KEY AUTOINCREMENT,
                    account TEXT NOT NULL,
                    id TEXT NOT NULL,
                    recipient TEXT,
                    kind TEXT NOT NULL,
                    handler BLOB NOT NULL,
                    deadline REAL,
                    session TEXT,
                    isLost INTEGER NOT NULL DEFAULT 0,
                    timeout REAL,
                    UNIQUE (account, id)
                ) STRICT;
                INSERT INTO numberedRequest (account, id, recipient, kind, handler, deadline, session, isLost, timeout)
                    SELECT account, id, recipient, kind, handler, deadline, session, isLost, timeout FROM request
                    ORDER BY account, id;
                DROP TABLE request;
                ALTER TABLE numberedRequest RENAME TO request;
                CREATE INDEX requestDeadline ON request (account, deadline);
                """)
    }

    /// The indexes of the statements that run for each answer, each new request and each sweep of promises.
    private static func addIndexes(_ database: Database) throws {
        try database.execute(
            sql: """
                DROP INDEX requestDeadline;
                CREATE INDEX requestHandler ON request (handler);
                CREATE INDEX requestLost ON request (account) WHERE isLost <> 0;
                CREATE INDEX requestTimed ON request (account) WHERE deadline IS NOT NULL;
                CREATE INDEX promiseCreated ON promise (created) WHERE state = 0;
                """)
    }

    /// The account of each deferred call of a request, held stanzas, the attempts to handle both that no process has
    /// survived, and a bound of handled stanzas for each account. A pending promise without a timeout does not expire.
    /// Of a session: how many attempts in a row to resume it its server left unanswered, and whether stanzas wait for
    /// its greeting.
    private static func addHolding(_ database: Database) throws {
        try database.execute(
            sql: """
                ALTER TABLE parkedCall ADD COLUMN account TEXT;
                ALTER TABLE parkedCall ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
                CREATE INDEX parkedCallAccount ON parkedCall (account);
                CREATE TABLE heldStanza (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    account TEXT NOT NULL,
                    element BLOB NOT NULL,
                    held REAL NOT NULL,
                    attempts INTEGER NOT NULL DEFAULT 0
                ) STRICT;
                CREATE INDEX heldStanzaAccount ON heldStanza (account);
                CREATE TABLE numberedStanza (
                    account TEXT NOT NULL,
                    number INTEGER NOT NULL,
                    sender TEXT NOT NULL,
                    id TEXT NOT NULL,
                    handled REAL NOT NULL,
                    PRIMARY KEY (account, number),
                    UNIQUE (account, sender, id)
                ) STRICT, WITHOUT ROWID;
                INSERT INTO numberedStanza
                    SELECT account, row_number() OVER (PARTITION BY account ORDER BY number), sender, id, handled
                    FROM handledStanza;
                DROP TABLE handledStanza;
                ALTER TABLE numberedStanza RENAME TO handledStanza;
                CREATE INDEX handledStanzaTime ON handledStanza (handled);
                UPDATE promise SET expiry = 9e999 WHERE state = 0 AND timeout IS NULL;
                ALTER TABLE streamSession ADD COLUMN unansweredResumptions INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE streamSession ADD COLUMN awaitsGreeting INTEGER NOT NULL DEFAULT 0;
                """)
    }

    /// Brings accounts into the form of ``JID/key``: older versions stored them as the app wrote them. A text that is
    /// not an address stays.
    ///
    /// Of several spellings of one account, one with a stored session gets the key, the key itself first. The session
    /// of another one cannot continue, so its requests are lost: their handlers are invalidated.
    private static func normalizeAccounts(_ database: Database) throws {
        let tables = ["streamOwner", "streamSession", "outgoingStanza", "request", "handledStanza"]
        let accounts = tables.map { "SELECT account FROM \($0)" }.joined(separator: " UNION ")
        let isTaken = """
            SELECT EXISTS (SELECT 1 FROM streamSession WHERE account = ?2) OR (
                NOT EXISTS (SELECT 1 FROM streamSession WHERE account = ?1) AND ?2 IN (\(accounts)))
            """
        let sessionsFirst = "ORDER BY account IN (SELECT account FROM streamSession) DESC, account"
        for (text, key) in try spellings(in: "SELECT account FROM (\(accounts)) \(sessionsFirst)", database) {
            if try Bool.fetchOne(database, sql: isTaken, arguments: [text, key]) == true {
                try loseRequests(of: text, for: key, database)
            } else {
                try loseRequests(of: key, for: key, database)
                for table in ["streamOwner", "outgoingStanza"] {
                    try database.execute(sql: "DELETE FROM \(table) WHERE account = ?", arguments: [key])
                }
                for table in ["streamOwner", "streamSession", "outgoingStanza", "request"] {
                    try database.execute(
                        sql: "UPDATE \(table) SET account = ?2 WHERE account = ?1", arguments: [text, key])
                }
            }
            // A stanza without a sender is the account's own.
            for column in ["sender", "account"] {
                try database.execute(
                    sql: "UPDATE OR IGNORE handledStanza SET \(column) = ?2 WHERE account = ?1 AND \(column) = ?1",
                    arguments: [text, key])
            }
        }
        // This table has always had its own form of the accounts, in lower case.
        for (text, key) in try spellings(in: "SELECT account FROM mechanism", database) {
            try database.execute(
                sql: "UPDATE OR IGNORE mechanism SET account = ?2 WHERE account = ?1", arguments: [text, key])
        }
    }

    /// The texts of a query that are addresses in another spelling than their key, with the key.
    private static func spellings(in sql: String, _ database: Database) throws -> [(text: String, key: String)] {
        try String.fetchAll(database, sql: sql).compactMap { text in
            // Strings are also equal in other normalization forms, which are other texts for SQLite.
            guard let key = JID(text)?.key, !key.utf8.elementsEqual(text.utf8) else { return nil }
            return (text, key)
        }
    }

    /// No answer finds these requests any more, so their ids only need to differ.
    private static func loseRequests(of text: String, for key: String, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE request SET account = ?2, isLost = MAX(isLost, 1), id = id || ' ' || serial WHERE account = ?1
                """, arguments: [text, key])
    }
}
