// The requirements of every store of handlers. The tests of each store check them.

public import Foundation
public import Handlers
import Testing

/// What the requirements need of a kind of store.
public struct TestedStore: Sendable {
    private let one: any HandlerStore
    private let other: any HandlerStore
    private let end: @Sendable (_ id: UUID, _ time: Date) async throws -> HandlerMark?

    /// - Parameters:
    ///   - one: A store without handlers.
    ///   - other: The same store, or another connection to its handlers.
    ///   - end: Claims a handler at a time as canceled, and returns the mark that it had.
    public init(
        _ one: any HandlerStore, _ other: any HandlerStore,
        end: @escaping @Sendable (_ id: UUID, _ time: Date) async throws -> HandlerMark?
    ) {
        self.one = one
        self.other = other
        self.end = end
    }

    /// Returns a record of a handler.
    public static func record(
        _ id: UUID = UUID(), nested: [UUID] = [], data: String = "data"
    ) -> StoredHandler {
        StoredHandler(id: id, description: "A|b", data: Data(data.utf8), nested: nested)
    }

    /// Requires one thing of the store.
    public func check(_ requirement: StoreRequirement) async throws {
        switch requirement {
        case .savingAndRemoving: try await savingAndRemoving()
        case .claims: try await claims()
        case .retention: try await retention()
        case .nestedMarks: try await nestedMarks()
        case .deferral: try await deferral()
        case .replaysAreLentToOne: try await replaysAreLentToOne()
        }
    }
}

/// A requirement of every store.
public enum StoreRequirement: CaseIterable, Sendable {
    case savingAndRemoving, claims, retention, nestedMarks, deferral, replaysAreLentToOne
}

extension TestedStore {
    private func savingAndRemoving() async throws {
        let inner = UUID()
        let (first, second) = (Self.record(nested: [inner, inner]), Self.record())
        try await one.save(first)
        try await one.save(second)
        #expect(try await other.handler(first.id) == first)
        #expect(try await Set(other.handlers()) == [first, second])
        let changed = Self.record(first.id, data: "changed")
        try await other.save(changed)
        #expect(try await one.handler(first.id) == changed)
        try await other.remove(first.id)
        try await other.remove(first.id)
        #expect(try await one.handler(first.id) == nil)
        #expect(try await one.handlers() == [second])
    }

    private func claims() async throws {
        let stored = Self.record()
        try await one.save(stored)
        #expect(try await other.claim(.call, of: stored.id, wasStored: true) == nil)
        #expect(try await one.claim(.singleShotCall, of: stored.id, wasStored: true) == nil)
        #expect(try await other.claim(.singleShotCall, of: stored.id, wasStored: true) == .called)
        #expect(try await other.claim(.invalidation(.timedOut), of: stored.id, wasStored: true) == .called)
        #expect(try await one.claim(.call, of: stored.id, wasStored: true) == .called)
        #expect(try await other.marks(of: [stored.id, UUID()]) == [stored.id: .called])
        // Storing the handler again does not clear its mark; removing it does, because no copy can be called.
        try await other.save(stored)
        #expect(try await one.claim(.call, of: stored.id, wasStored: true) == .called)
        try await one.remove(stored.id)
        #expect(try await other.marks(of: [stored.id]) == [:])
        for claim in [HandlerClaim.call, .singleShotCall, .invalidation(.canceled)] {
            await #expect(throws: HandlerError(.notStored)) {
                try await other.claim(claim, of: stored.id, wasStored: true)
            }
            // For a handler that was never stored, the store grants the claim.
            #expect(try await other.claim(claim, of: stored.id, wasStored: false) == nil)
        }
        #expect(try await other.marks(of: [stored.id]) == [:])
    }

    private func retention() async throws {
        func end(_ id: UUID, after seconds: TimeInterval) async throws {
            #expect(try await self.end(id, Date(timeIntervalSince1970: 1_800_000_000 + seconds)) == nil)
        }
        func ids() async throws -> Set<UUID> { Set(try await other.handlers().map(\.id)) }
        let (ended, inner, alive) = (Self.record(), UUID(), Self.record())
        let outer = Self.record(nested: [inner])
        let others = (0..<4).map { _ in Self.record() }
        for stored in [ended, outer, alive, Self.record(inner)] + others { try await one.save(stored) }
        try await end(ended.id, after: 0)
        try await end(inner, after: 0)
        try await one.deferHandler(ended.id, reason: "why", call: Data([1]))
        try await end(others[0].id, after: HandlerLimits.retention - 1)
        #expect(try await ids() == Set([ended.id, outer.id, inner, alive.id] + others.map(\.id)))
        try await end(others[1].id, after: HandlerLimits.retention)
        // The mark of a handler that is bound within another one stays, so that it cannot be called.
        #expect(try await ids() == Set([outer.id, alive.id] + others.map(\.id)))
        #expect(try await other.marks(of: [inner, ended.id]) == [inner: .invalidated(.canceled)])
        #expect(try await other.claim(.call, of: inner, wasStored: true) == .invalidated(.canceled))
        await #expect(throws: HandlerError(.notStored)) {
            try await other.claim(.call, of: ended.id, wasStored: true)
        }
        // A clock that is set back restarts the retention of handlers that ended later.
        try await end(others[2].id, after: -86_400)
        try await end(others[3].id, after: -86_400 + HandlerLimits.retention)
        #expect(try await ids() == [outer.id, alive.id, others[3].id])
    }

    /// The store keeps the mark of a handler as long as a stored handler contains it.
    private func nestedMarks() async throws {
        let inner = UUID()
        let (first, second) = (Self.record(nested: [inner]), Self.record(nested: [inner]))
        try await one.save(first)
        try await one.save(second)
        #expect(try await other.claim(.invalidation(.other("why")), of: inner, wasStored: true) == nil)
        #expect(try await one.claim(.call, of: inner, wasStored: true) == .invalidated(.other("why")))
        try await one.remove(first.id)
        #expect(try await other.marks(of: [inner]) == [inner: .invalidated(.other("why"))])
        try await one.save(Self.record(second.id))
        #expect(try await other.marks(of: [inner]) == [:])
    }

    private func deferral() async throws {
        let stored = Self.record()
        await #expect(throws: HandlerError(.notStored)) {
            try await one.deferHandler(stored.id, reason: "why", call: nil)
        }
        try await one.save(stored)
        try await one.deferHandler(stored.id, reason: "why", call: nil)
        #expect(try await other.handler(stored.id)?.deferral?.reason == "why")
        try await one.deferHandler(stored.id, reason: "because", call: Data([1]))
        try await other.deferHandler(stored.id, reason: "because", call: Data([2]))
        // Neither storing the handler again nor ending the deferral of it removes its deferred calls.
        try await one.save(stored)
        try await one.endDeferral(stored.id)
        let deferral = try #require(try await other.handler(stored.id)?.deferral)
        let calls = deferral.calls
        #expect(deferral.reason == "because")
        try #require(calls.map(\.data) == [Data([1]), Data([2])])
        // Removing a call by its number twice has the effect of removing it once.
        try await one.removeDeferredCall(calls[0].number, of: stored.id)
        try await one.removeDeferredCall(calls[0].number, of: stored.id)
        #expect(try await other.handler(stored.id)?.deferral?.calls == [calls[1]])
        try await one.removeDeferredCall(calls[1].number, of: UUID())
        #expect(try await other.handler(stored.id)?.deferral?.calls == [calls[1]])
        try await one.removeDeferredCall(calls[1].number, of: stored.id)
        try await one.endDeferral(stored.id)
        #expect(try await other.handler(stored.id)?.deferral == nil)
    }

    private func replaysAreLentToOne() async throws {
        let stored = Self.record()
        #expect(try await one.beginReplay(of: stored.id) == nil)
        try await one.save(stored)
        #expect(try await one.beginReplay(of: stored.id) == nil, "the handler is not deferred")
        try await one.deferHandler(stored.id, reason: "why", call: Data([1]))
        #expect(try await one.beginReplay(of: stored.id)?.deferral?.calls.count == 1)
        #expect(try await other.beginReplay(of: stored.id) == nil)
        try await one.endReplay(of: stored.id)
        #expect(try await other.beginReplay(of: stored.id) != nil)
    }
}
