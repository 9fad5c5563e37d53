// A store of handlers for tests. Its claims fail, but not at once.

import Foundation
import Handlers

/// Fails each claim when the journal has the line `give up`.
struct UnsureStore: HandlerStore {
    private let store = MemoryHandlerStore()
    private let journal: Journal

    init(_ journal: Journal) { self.journal = journal }

    func claim(_ claim: HandlerClaim, of id: UUID, wasStored: Bool) async throws -> HandlerMark? {
        await journal.waitDeafly(for: "give up")
        throw Household.Failure()
    }

    func save(_ handler: StoredHandler) { store.save(handler) }

    func handler(_ id: UUID) -> StoredHandler? { store.handler(id) }

    func handlers() -> [StoredHandler] { store.handlers() }

    func remove(_ id: UUID) { store.remove(id) }

    func marks(of ids: [UUID]) -> [UUID: HandlerMark] { store.marks(of: ids) }

    func deferHandler(_ id: UUID, reason: String, call: Data?) throws {
        try store.deferHandler(id, reason: reason, call: call)
    }

    func beginReplay(of id: UUID) -> StoredHandler? { store.beginReplay(of: id) }

    func endReplay(of id: UUID) { store.endReplay(of: id) }

    func removeDeferredCall(_ number: Int64, of id: UUID) { store.removeDeferredCall(number, of: id) }

    func endDeferral(_ id: UUID) { store.endDeferral(id) }
}
