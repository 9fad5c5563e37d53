// The requirements of a store of handlers. HandlerDispatcher interprets the answers; HandlerLedger.swift has the rules
// that the stores of this module share.

public import Foundation

/// A request to call or invalidate a handler.
public enum HandlerClaim: Sendable, Hashable {
    /// A call that does not end the handler; the handler must not have ended.
    case call
    /// The only call of a single-shot handler.
    case singleShotCall
    /// An invalidation.
    case invalidation(InvalidationReason)

    /// The mark that a granted claim leaves; `nil` for a call that does not end the handler.
    public var mark: HandlerMark? {
        switch self {
        case .call: nil
        case .singleShotCall: .called
        case .invalidation(let reason): .invalidated(reason)
        }
    }
}

/// Decides which call or invalidation of a handler wins.
public protocol HandlerClaims: Sendable {
    /// Grants a claim unless the handler has ended, and keeps the mark of the claim in the same step.
    ///
    /// Of all claims that leave a mark, from all tasks and processes that share the store, only the first is granted.
    /// Such a claim also removes stored handlers that ended longer ago than `HandlerLimits.retention`.
    ///
    /// A handler may be neither stored nor bound to a stored handler. If it was never stored, the store grants the
    /// claim and keeps no mark. If it was stored, the claim fails: the process that removed it may have called it.
    ///
    /// - Parameters:
    ///   - claim: The requested claim.
    ///   - id: The identity of the handler.
    ///   - wasStored: Whether the handler was loaded from the store or saved to it.
    /// - Returns: `nil` if the claim is granted, otherwise the mark that ended the handler before.
    /// - Throws: `HandlerError` of kind `notStored` for a handler that was stored and no longer is; the errors of the
    ///   store.
    func claim(_ claim: HandlerClaim, of id: UUID, wasStored: Bool) async throws -> HandlerMark?
}

/// Grants claims that become final when a transaction commits. The code that ends the transaction must call
/// `HandlerDispatcher.keepClaims(of:)` after a commit and `releaseClaims(of:)` after a rollback.
package protocol ProvisionalClaims: HandlerClaims {
    /// Whether one of these claims ends the handler.
    func hasClaimed(_ id: UUID) -> Bool
}

/// Stores handlers, so that they outlive their process.
///
/// A change is durable when the function that makes it returns. All functions throw the errors of the store, which
/// `HandlerDispatcher` throws unchanged.
public protocol HandlerStore: HandlerClaims {
    /// Arguments of every call over this store, such as the transaction that the store belongs to. The arguments of the
    /// call and those of its `HandlerDispatcher` hide them.
    var arguments: HandlerArguments { get }

    /// Stores a handler under its identity and replaces an earlier one. Marks and deferral stay.
    func save(_ handler: StoredHandler) async throws

    /// Returns the handler stored under an identity.
    func handler(_ id: UUID) async throws -> StoredHandler?

    /// Returns all stored handlers, in no particular order.
    func handlers() async throws -> [StoredHandler]

    /// Removes a handler with its deferred calls; does nothing if it is not stored. Its mark stays while another stored
    /// handler contains it. Copies that were loaded can no longer be called.
    func remove(_ id: UUID) async throws

    /// Returns the marks of ended handlers, both stored ones and those bound within stored ones.
    func marks(of ids: [UUID]) async throws -> [UUID: HandlerMark]

    /// Defers a handler that this program cannot load, and keeps the missed call, if any.
    ///
    /// - Throws: `HandlerError` of kind `notStored`, or `tooLarge` when too many calls wait already.
    func deferHandler(_ id: UUID, reason: String, call: Data?) async throws

    /// Leases the deferred calls of a handler to the caller, so that no other task or process replays them. The lease
    /// ends with `endReplay(of:)` or with the process.
    ///
    /// - Returns: The current handler; `nil` when it is not deferred, or when its calls are leased already.
    func beginReplay(of id: UUID) async throws -> StoredHandler?

    /// Removes a deferred call by its number; does nothing if it is not stored.
    func removeDeferredCall(_ number: Int64, of id: UUID) async throws

    /// Ends the lease of `beginReplay(of:)`.
    func endReplay(of id: UUID) async throws

    /// Marks a handler as loadable; does nothing while it has deferred calls.
    func endDeferral(_ id: UUID) async throws
}

extension HandlerStore {
    /// Adds no arguments.
    public var arguments: HandlerArguments { [:] }
}

/// A handler in a store.
public struct StoredHandler: Sendable, Hashable, Identifiable {
    public let id: UUID
    /// `Type|handler<invalidation>`, for display.
    public let description: String
    /// The stored form.
    public let data: Data
    /// The identities of the handlers bound within this one.
    public let nested: [UUID]
    /// Set when a program could not load the handler, until one can.
    public internal(set) var deferral: Deferral?

    public struct Deferral: Sendable, Hashable {
        public var reason: String
        public let since: Date
        /// The deferred calls, in order of arrival.
        public var calls: [Call]

        public init(reason: String, since: Date, calls: [Call]) {
            self.reason = reason
            self.since = since
            self.calls = calls
        }
    }

    /// A deferred call.
    public struct Call: Sendable, Hashable {
        /// A number that is unique among the deferred calls of the handler, and rises.
        public let number: Int64
        /// Its stored form.
        public let data: Data

        public init(number: Int64, data: Data) {
            self.number = number
            self.data = data
        }
    }

    public init(id: UUID, description: String, data: Data, nested: [UUID], deferral: Deferral? = nil) {
        self.id = id
        self.description = description
        self.data = data
        self.nested = nested
        self.deferral = deferral
    }
}
