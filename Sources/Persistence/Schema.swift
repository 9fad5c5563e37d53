// The tables. Migrations are only ever added: what has been released is never edited, because databases out there were
// made by it, and other processes may still run it.

import GRDB

enum Schema {
    /// All migrations, the oldest first.
    static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("promises", migrate: addPromises)
        return migrator
    }()

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
}
