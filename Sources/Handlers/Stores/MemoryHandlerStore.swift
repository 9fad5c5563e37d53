// A store that ends with the process: for tests, and for programs that store handlers elsewhere.

public import Foundation
import Synchronization

/// Keeps handlers in memory; they end with the process.
public final class MemoryHandlerStore: HandlerStore {
    private let ledger = Mutex(HandlerLedger())
    private let loans = ReplayLoans()

    private let now: @Sendable () -> Date

    /// Creates an empty store.
    ///
    /// - Parameter now: The time of day, from which the store computes how long ago a handler ended.
    public init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

    public func save(_ handler: StoredHandler) { ledger.withLock { $0.save(handler) } }

    public func handler(_ id: UUID) -> StoredHandler? { ledger.withLock { $0.records[id] } }

    public func handlers() -> [StoredHandler] { ledger.withLock { Array($0.records.values) } }

    public func remove(_ id: UUID) { ledger.withLock { $0.remove(id) } }

    public func marks(of ids: [UUID]) -> [UUID: HandlerMark] {
        ledger.withLock { $0.marks(of: ids) }
    }

    public func claim(_ claim: HandlerClaim, of id: UUID, wasStored: Bool) throws(HandlerError) -> HandlerMark? {
        try ledger.withLock { ledger throws(HandlerError) in
            try ledger.claim(claim, of: id, wasStored: wasStored, now: now())
        }
    }

    public func deferHandler(_ id: UUID, reason: String, call: Data?) throws(HandlerError) {
        try ledger.withLock { ledger throws(HandlerError) in
            try ledger.deferHandler(id, reason: reason, call: call, now: now())
        }
    }

    public func beginReplay(of id: UUID) -> StoredHandler? { loans.lend(id) { handler(id) } }

    public func endReplay(of id: UUID) { loans.giveBack(id) }

    public func removeDeferredCall(_ number: Int64, of id: UUID) {
        ledger.withLock { $0.removeDeferredCall(number, of: id) }
    }

    public func endDeferral(_ id: UUID) { ledger.withLock { $0.endDeferral(id) } }
}
