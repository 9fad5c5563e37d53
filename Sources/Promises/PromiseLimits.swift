// The limits of a promise's content. Any program may have written the files that records are read from.

import Foundation

/// Limits of stored promises.
public enum PromiseLimits {
    /// Bytes of a payload, which is data for a user interface and not a file.
    public static let payloadLength = 1 << 20
    /// Bytes of a stable key, a type's name, an error's code and an account.
    public static let codeLength = 1024
    /// Bytes of an error's message.
    public static let messageLength = 8192
    /// Bytes of the stanza in a rejection: the size that servers accept as one stanza.
    public static let stanzaLength = 1 << 18
    /// Promises of one transaction when many are due, so that other processes wait only briefly.
    public static let batch = 256
    /// The most seconds that count between two runs of the machine. It is less than `PromiseCenter.retention`, so that
    /// a wrong clock at the start removes no promise with this retention.
    public static let longestPause: TimeInterval = 3 * 86_400
    /// Seconds between two stored moments (`PromiseTransaction.note(_:)`). When the machine restarts, a change of the
    /// time of day matters only if it was made after the last stored moment.
    public static let noteInterval: TimeInterval = 3600
    /// Seconds between two sweeps of a long-lived process.
    public static let sweepInterval: TimeInterval = 60
}
