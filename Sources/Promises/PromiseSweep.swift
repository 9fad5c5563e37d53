// The values that the center returns for many promises: the result of a sweep, and open promises.

import Foundation

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
