// The numbers that bound how long the database makes anybody wait, and how much it takes.

import Foundation

/// Limits of the database.
public enum PersistenceLimits {
    /// Seconds that a transaction waits for other processes: longer than any transaction of ours takes on a slow disk,
    /// shorter than what people wait for.
    public static let busyTimeout: TimeInterval = 5
    /// How often a stream's changes are tried while other processes hold the database for longer than that: a stream
    /// that cannot store them has to end.
    public static let busyAttempts = 3
    /// Seconds that whoever finds the file damaged waits for others to close it: less than those wait who want to open
    /// it.
    public static let useTimeout: TimeInterval = 2
    /// Seconds for which opening is tried again while the file is there and cannot be opened: longer than any process
    /// takes to close it.
    public static let openingTimeout: TimeInterval = 1
    /// How often opening is tried at least: on a busy machine that time may be over with the first attempt.
    static let openingAttempts = 10
    /// Seconds between two attempts to open the file.
    static let openingPause: TimeInterval = 0.01
    /// Seconds between two looks at whether another process has written, where nothing tells: half of what outcomes may
    /// take to arrive in the median.
    public static let pollInterval: TimeInterval = 0.05
    /// Seconds between two looks where the file system tells of writes; only against words that were lost.
    public static let watchedPollInterval: TimeInterval = 1
    /// Seconds from the word that a file is being written to the second look: what the fastest disks need for a commit.
    static let firstPursuitDelay: TimeInterval = 0.002
    /// Each look comes after twice as long as the one before, up to this: slow disks take so long.
    static let lastPursuitDelay: TimeInterval = 0.5
    /// Handled stanzas that the database keeps to find repetitions: more than servers store for an offline client.
    public static let handledStanzas = 10_000
    /// Seconds for which it keeps them: longer than a client is usually offline.
    public static let handledStanzaAge: TimeInterval = 30 * 86_400
    /// Bytes of one stored column: records are small, and a damaged file must not make us take all memory.
    public static let columnLength = 4 << 20
    /// Bytes that a database and its disk have left at least when nobody takes them for full: what comes of a stanza is
    /// a few records, their indexes, and what the log needs to hold them.
    static let stanzaRoom = 4 * columnLength
    /// Ended handlers that each end removes: more than one, so that their number falls, and few, so that no call waits.
    static let endedBatch = 8
}
