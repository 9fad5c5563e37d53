// The limits of a promise's content: records are read back from files that any program may have written.

import Foundation

/// Limits of stored promises.
public enum PromiseLimits {
    /// Bytes of a payload: it is data for a user interface, not a file.
    public static let payloadLength = 1 << 20
    /// Bytes of a stable key, a type's name, an error's code and an account.
    public static let codeLength = 1024
    /// Bytes of an error's message.
    public static let messageLength = 8192
    /// Bytes of the stanza in a rejection: the size that servers accept as one stanza.
    public static let stanzaLength = 1 << 18
    /// Promises that are handled in one transaction when many are due, so that others need not wait for long.
    public static let batch = 256
    /// Seconds that count at most between two runs of the machine: less than `PromiseCentre.retention`, so that a clock
    /// that is wrong at the start removes no promise that is kept for so long.
    public static let longestPause: TimeInterval = 3 * 86_400
    /// Seconds between two stored moments (`PromiseTransaction.note(_:)`). When the machine restarts, a change of the
    /// time of day matters only if it was made after the last stored moment.
    public static let noteInterval: TimeInterval = 3600
    /// Seconds between two sweeps of a process that lives long.
    public static let sweepInterval: TimeInterval = 60
}
