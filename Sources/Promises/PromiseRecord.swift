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
