// What a store of handlers has to do. What its answers mean is HandlerCentre's knowledge; the rules that all stores
// share are HandlerLedger.swift.

public import Foundation

/// What somebody wants to do with a handler.
public enum HandlerClaim: Sendable, Hashable {
    /// To call one that can be called often: it must not have ended.
    case call
    /// To call one that can be called once.
    case singleShotCall
    /// To invalidate it.
    case invalidation(InvalidationReason)

    /// What is kept of the claim when it is granted.
    public var mark: HandlerMark? {
        switch self {
        case .call: nil
        case .singleShotCall: .called
        case .invalidation(let reason): .invalidated(reason)
        }
    }
}

/// Decides who may call or invalidate a handler.
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
    /// - Throws: `HandlerError` of kind `notStored` for a handler that was stored and no longer is.
    func claim(_ claim: HandlerClaim, of id: UUID, wasStored: Bool) async throws -> HandlerMark?
}

/// Grants claims that are kept when a transaction is committed. Whoever commits it or rolls it back tells by
/// `HandlerCentre.keepClaims(of:)` and `releaseClaims(of:)`.
package protocol ProvisionalClaims: HandlerClaims {
    /// Whether one of these claims ends the handler.
    func hasClaimed(_ id: UUID) -> Bool
}

/// Keeps handlers beyond the life of a process.
///
/// A change is durable when the function that makes it returns.
public protocol HandlerStore: HandlerClaims {
    /// Arguments of every call that is made over this store, such as the transaction that the store is a part of. They
    /// count less than the arguments of the call and those of its `HandlerCentre`.
    var arguments: HandlerArguments { get }

    /// Stores a handler, in place of what is stored under its identity. Marks and parking stay.
    func save(_ handler: StoredHandler) async throws

    /// What is stored under an identity.
    func handler(_ id: UUID) async throws -> StoredHandler?

    /// Everything that is stored, in no order.
    func handlers() async throws -> [StoredHandler]

    /// Removes a handler with its parked calls; nothing happens when it is not there. Its mark stays while a stored
    /// handler has it bound within. Copies that were loaded cannot be called any more.
    func remove(_ id: UUID) async throws

    /// What ended handlers, stored ones and those bound within stored ones.
    func marks(of ids: [UUID]) async throws -> [UUID: HandlerMark]

    /// Notes that a handler could not be loaded, and a call that it should have got.
    ///
    /// - Throws: `HandlerError` of kind `notStored`, or `tooLarge` when too many calls wait already.
    func park(_ id: UUID, reason: String, call: Data?) async throws

    /// Lends the calls that wait for a handler, so that nobody else replays them meanwhile, in one step. A process that
    /// ends gives back what it was lent.
    ///
    /// - Returns: The handler as it is now; `nil` when it is not parked, or when somebody else replays its calls.
    func beginReplay(of id: UUID) async throws -> StoredHandler?

    /// Removes one of the calls that wait, by its number; nothing happens when it is not there.
    func removeParkedCall(_ number: Int64, of id: UUID) async throws

    /// Gives back what `beginReplay(of:)` has lent.
    func endReplay(of id: UUID) async throws

    /// Notes that a handler could be loaded; nothing happens while calls wait. Whoever knows that nobody needs the
    /// handler any more may remove it.
    func unpark(_ id: UUID) async throws

    /// How many occasions wait to call a handler, or to invalidate it, each of them once; calls that are parked do not
    /// count. A handler that serves occasions ends with the last of them, parked calls included.
    ///
    /// - Returns: `nil` for a handler that serves none: its first invalidation ends it, or its first call, if it is
    ///   single-shot.
    func occasions(of id: UUID) async throws -> Int?
}

extension HandlerStore {
    /// None.
    public var arguments: HandlerArguments { [:] }

    /// `nil`: the store knows of no occasions.
    public func occasions(of id: UUID) async throws -> Int? { nil }
}

/// A handler in a store.
public struct StoredHandler: Sendable, Hashable, Identifiable {
    public let id: UUID
    /// `Type|handler<invalidation>`, for people.
    public let description: String
    /// The stored form.
    public let data: Data
    /// The identities of the handlers that are bound within.
    public let nested: [UUID]
    /// Set while no program could load it.
    public internal(set) var parking: Parking?

    public struct Parking: Sendable, Hashable {
        public var reason: String
        public let since: Date
        /// The calls that wait, in the order in which they came.
        public var calls: [Call]

        public init(reason: String, since: Date, calls: [Call]) {
            self.reason = reason
            self.since = since
            self.calls = calls
        }
    }

    /// A call that waits.
    public struct Call: Sendable, Hashable {
        /// Tells it from the other calls of its handler, and rises.
        public let number: Int64
        /// Its stored form.
        public let data: Data

        public init(number: Int64, data: Data) {
            self.number = number
            self.data = data
        }
    }

    public init(id: UUID, description: String, data: Data, nested: [UUID], parking: Parking? = nil) {
        self.id = id
        self.description = description
        self.data = data
        self.nested = nested
        self.parking = parking
    }
}
