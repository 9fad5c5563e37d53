// The limits of the database, each with its reason.

import Foundation

/// Limits of the database.
public enum PersistenceLimits {
    /// Seconds that a transaction waits for other processes: longer than any transaction of this package on a slow
    /// disk, shorter than a user's patience.
    public static let busyTimeout: TimeInterval = 5
    /// How often the database tries a stream's changes, each time for `busyTimeout`, while other processes hold it. A
    /// stream that cannot store an urgent change ends, and the next one begins when it is stored.
    public static let busyAttempts = 3
    /// Seconds for which opening tries again while the file exists and cannot be opened: longer than any process takes
    /// to close it.
    public static let openingTimeout: TimeInterval = 1
    /// The least number of attempts to open: on a busy machine the first attempt may take all that time.
    static let openingAttempts = 10
    /// Seconds between two attempts to open the file.
    static let openingPause: TimeInterval = 0.01
    /// Pages in the log from which on commits copy them to the file: SQLite's own number, which is quick to search.
    static let logPages = 1000
    /// Transactions that read at the same time, each on its own connection: more than the cores of a phone that work at
    /// once. Each connection needs a few file descriptors.
    public static let readers = 4
    /// Seconds between two checks for commits of other processes if the system reports nothing: half of the median time
    /// that an outcome may take to arrive.
    public static let pollInterval: TimeInterval = 0.05
    /// Seconds between two checks if the system reports commits: a guard for those of other programs.
    public static let watchedPollInterval: TimeInterval = 1
    /// The time for which a session's owner need not write: longer than a slow disk takes for a transaction, shorter
    /// than a user waits for an app whose extension has crashed. The owner renews its lease when a third has passed.
    public static let leaseTime = Duration.seconds(15)
    /// Handled stanzas of an account that the database keeps to find repetitions: more than servers store for an
    /// offline client.
    public static let handledStanzas = 10_000
    /// Seconds for which it keeps them: longer than a client is usually offline.
    public static let handledStanzaAge: TimeInterval = 30 * 86_400
    /// Held stanzas of an account: more than a program of an older version meets in a night. Strangers can send them.
    public static let heldStanzas = 1000
    /// Bytes of an account's held stanzas from which on it holds no more, for the same reason.
    public static let heldStanzaBytes = 32 << 20
    /// The largest number of bytes in a stored column: records are small, and a damaged file must not use up all
    /// memory.
    public static let columnLength = 4 << 20
    /// The largest stored number of seconds: more than an app can pass as `Int64`, and so few that a `Duration` holds
    /// the difference of two times.
    static let longestSeconds: TimeInterval = 1e19
    /// With this many free bytes, neither a database nor its disk counts as full. The effects of a stanza are a few
    /// records, their indexes, and their part of the log.
    static let stanzaRoom = 4 * columnLength
}
