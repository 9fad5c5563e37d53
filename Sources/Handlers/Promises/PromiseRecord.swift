// The stored form of a promise, and the rules of its changes. The rules are functions of the record and the time. A
// caller that runs them inside a transaction applies them atomically.
//
//     state        resolve(outcome)          expire           acknowledge              sweep
//     pending      → outcome, .resolved      → timed out      nothing to acknowledge   past retention
//     an outcome   .alreadyResolved          nothing          recorded once            acknowledged or past retention
//
// A deadline that has passed counts, even if no process has recorded it.

import Foundation

/// The stored form of a promise.
public struct PromiseRecord: Sendable, Equatable, Identifiable {
    public let id: UUID
    /// The app's name for the promise, which finds it again after a restart.
    public let key: String?
    /// The name of the value's type.
    public let type: String
    /// The time of its creation.
    public internal(set) var created: Date
    /// The seconds from its creation to its deadline; `nil` for no deadline.
    public let timeout: TimeInterval?
    /// The seconds for which it is kept: from its outcome on, or else from its deadline.
    public let retention: TimeInterval
    /// Its outcome; `nil` while it is pending.
    public internal(set) var outcome: PromiseOutcome?
    /// The time of its outcome.
    public internal(set) var resolved: Date?
    /// The date at which a consumer acknowledged the outcome.
    public internal(set) var acknowledged: Date?

    /// Creates a record from all stored fields.
    public init(
        id: UUID, key: String?, type: String, created: Date, timeout: TimeInterval?, retention: TimeInterval,
        outcome: PromiseOutcome? = nil, resolved: Date? = nil, acknowledged: Date? = nil
    ) {
        self.id = id
        self.key = key
        self.type = type
        self.created = created
        self.timeout = timeout
        self.retention = retention
        self.outcome = outcome
        self.resolved = resolved
        self.acknowledged = acknowledged
    }

    public var state: PromiseState { outcome?.state ?? .pending }

    /// The time at which it times out; `nil` for never.
    public var deadline: Date? { timeout.map(created.addingTimeInterval) }

    /// Whether `expire(at:)` would change it.
    public func isDue(at now: Date) -> Bool {
        guard outcome == nil, let deadline else { return false }
        return deadline <= now || now < created
    }

    /// Whether the promise is done: its outcome is acknowledged, or the record has expired.
    func isOver(at now: Date) -> Bool { acknowledged != nil || hasExpired(at: now) }

    /// Whether the store may remove the record.
    func hasExpired(at now: Date) -> Bool { expiry.map { $0 <= now } ?? false }

    /// The time at which the store may remove the record; `nil` for a pending promise without a deadline, whose outcome
    /// may come at any time.
    public var expiry: Date? {
        if let acknowledged { return acknowledged.addingTimeInterval(min(retention, Self.acknowledgedRetention)) }
        return (resolved ?? deadline)?.addingTimeInterval(retention)
    }

    /// The most seconds for which a promise is kept after its acknowledgement. Until then, it can be read again.
    public static let acknowledgedRetention: TimeInterval = 600
}

/// The result of an attempt to resolve a promise.
public enum PromiseResolution: Sendable, Equatable {
    /// This outcome counts.
    case resolved
    /// Another outcome came first; the record is unchanged.
    case alreadyResolved(PromiseState)
    /// The outcome is one of the changes of the running handler. Their transaction finds whether it counts.
    case collected
}

extension PromiseRecord {
    /// Sets the outcome, if it has none yet and the deadline has not passed.
    public mutating func resolve(_ outcome: PromiseOutcome, at now: Date) -> PromiseResolution {
        expire(at: now)
        if let first = self.outcome { return .alreadyResolved(first.state) }
        self.outcome = outcome
        resolved = now
        return .resolved
    }

    /// Times out if the deadline has passed. Returns whether that changed anything.
    @discardableResult
    public mutating func expire(at now: Date) -> Bool {
        guard isDue(at: now), let deadline else { return false }
        // An old record, made with the time of day before the clock was set back. No task is to wait for longer than
        // its timeout, so the timeout starts now.
        if now < created {
            created = now
            return true
        }
        outcome = .timedOut
        resolved = deadline
        return true
    }

    /// Records that a consumer has acknowledged the outcome, which is then not offered again. Returns whether the
    /// record changed.
    public mutating func acknowledge(at now: Date) -> Bool {
        guard outcome != nil, acknowledged == nil else { return false }
        acknowledged = now
        return true
    }
}

/// The result of a sweep.
public struct PromiseSweep: Sendable, Equatable {
    /// Promises that timed out. Tasks may still wait for them.
    public internal(set) var timedOut: [UUID] = []
    /// Promises that were removed after the acknowledgement of their outcome.
    public internal(set) var acknowledged: [UUID] = []
    /// Promises that were removed without an acknowledged outcome.
    public internal(set) var lost: [UUID] = []

    /// Promises that were removed because their records are damaged. Their keys are free.
    public internal(set) var damaged: [DamagedPromise] = []

    /// A sweep that found nothing.
    public init() {}
}

/// The readable parts of a promise whose record is damaged.
public struct DamagedPromise: Sendable, Hashable {
    public let id: UUID?
    public let key: String?

    public init(id: UUID?, key: String?) {
        self.id = id
        self.key = key
    }
}

/// A promise whose outcome is not acknowledged yet.
public struct OpenPromise: Sendable, Hashable, Identifiable {
    public let id: UUID
    /// The key that finds the promise again, if it has one.
    public let key: String?
    /// The name of the value's type.
    public let type: String
    public let state: PromiseState
    /// The time since the promise was created.
    public let age: Duration
}

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
