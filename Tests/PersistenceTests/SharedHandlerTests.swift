// Handlers in the database that processes share: the requirements of every store, and those of a shared one.

import Foundation
import Handlers
import Persistence
import Promises
import TestSupport
import Testing

private func record(_ id: UUID = UUID(), nested: [UUID] = [], data: String = "data") -> StoredHandler {
    StoredHandler(id: id, description: "A|b", data: Data(data.utf8), nested: nested)
}

@Suite(.fewAtOnce) struct SharedHandlerTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    @Test func savingAndRemoving() async throws {
        let inner = UUID()
        let (first, second) = (record(nested: [inner, inner]), record())
        let database = try await place.open()
        try await database.save(first)
        try await database.save(second)
        let other = try await place.open()
        #expect(try await other.handler(first.id) == first)
        #expect(try await Set(other.handlers()) == [first, second])
        let changed = record(first.id, data: "changed")
        try await other.save(changed)
        #expect(try await database.handler(first.id) == changed)
        try await other.remove(first.id)
        try await other.remove(first.id)
        #expect(try await database.handler(first.id) == nil)
        #expect(try await database.handlers() == [second])
    }

    @Test func claimsCountInAllProcesses() async throws {
        let (one, other) = (try await place.open(), try await place.open())
        let stored = record()
        try await one.save(stored)
        #expect(try await other.claim(.call, of: stored.id, wasStored: true) == nil)
        #expect(try await one.claim(.singleShotCall, of: stored.id, wasStored: true) == nil)
        #expect(try await other.claim(.singleShotCall, of: stored.id, wasStored: true) == .called)
        #expect(try await other.claim(.invalidation(.timedOut), of: stored.id, wasStored: true) == .called)
        #expect(try await other.marks(of: [stored.id, UUID()]) == [stored.id: .called])
        // Stored again it has still ended; removed, no mark is needed: it is gone.
        try await other.save(stored)
        #expect(try await one.claim(.call, of: stored.id, wasStored: true) == .called)
        try await one.remove(stored.id)
        #expect(try await other.marks(of: [stored.id]) == [:])
        for claim in [HandlerClaim.call, .singleShotCall, .invalidation(.canceled)] {
            await #expect(throws: HandlerError(.notStored)) {
                try await other.claim(claim, of: stored.id, wasStored: true)
            }
            // One that no store ever had is its owner's alone.
            #expect(try await other.claim(claim, of: stored.id, wasStored: false) == nil)
        }
        #expect(try await other.marks(of: [stored.id]) == [:])
    }

    @Test func endedHandlersAreRemovedAfterTheirRetention() async throws {
        let database = try await place.open()
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let (ended, inner, alive) = (record(), UUID(), record())
        let outer = record(nested: [inner])
        for stored in [ended, outer, alive, record(inner)] { try await database.save(stored) }
        func end(_ id: UUID, after seconds: TimeInterval) async throws {
            let mark = try await database.write {
                try $0.handlers.claim(.invalidation(.timedOut), of: id, wasStored: true, at: start + seconds)
            }
            #expect(mark == nil)
        }
        func ids() async throws -> Set<UUID> { Set(try await database.handlers().map(\.id)) }
        try await end(ended.id, after: 0)
        try await end(inner, after: 0)
        try await database.deferHandler(ended.id, reason: "why", call: Data([1]))
        let others = (0..<4).map { _ in record() }
        for other in others { try await database.save(other) }
        try await end(others[0].id, after: HandlerLimits.retention - 1)
        #expect(try await ids() == Set([ended.id, outer.id, inner, alive.id] + others.map(\.id)))
        try await end(others[1].id, after: HandlerLimits.retention)
        // The mark of a handler that is bound within another one stays, so that it cannot be called.
        #expect(try await ids() == Set([outer.id, alive.id] + others.map(\.id)))
        #expect(try await database.marks(of: [inner, ended.id]) == [inner: .invalidated(.timedOut)])
        #expect(try await database.claim(.call, of: inner, wasStored: true) == .invalidated(.timedOut))
        await #expect(throws: HandlerError(.notStored)) {
            try await database.claim(.call, of: ended.id, wasStored: true)
        }
        // A clock that is set back starts the retention of the later ends again.
        try await end(others[2].id, after: -86_400)
        try await end(others[3].id, after: -86_400 + HandlerLimits.retention)
        #expect(try await ids() == [outer.id, alive.id, others[3].id])
    }

    /// However many have ended, their number falls with each end after their retention.
    @Test func endedHandlersDoNotPileUp() async throws {
        let database = try await place.open()
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        for day in 0..<30 {
            for _ in 0..<10 {
                try await database.write { transaction in
                    let stored = record()
                    try transaction.handlers.save(stored)
                    _ = try transaction.handlers.claim(
                        .singleShotCall, of: stored.id, wasStored: true, at: start + TimeInterval(day) * 86_400)
                }
            }
            let count = try await database.read { try $0.db.count("handler") } ?? 0
            #expect(count <= 10 * 8, "day \(day)")
        }
    }

    /// A request that waits keeps its handler.
    @Test func anEndedHandlerStaysForItsRequests() async throws {
        let database = try await place.open()
        let (waited, other, last) = (record(), record(), record())
        for stored in [waited, other, last] { try await database.save(stored) }
        try await database.write { transaction in
            let isAdded = try transaction.requests.add(
                StoredRequest(id: "r", recipient: nil, kind: "iq", handler: waited.id), of: "juliet@example.org")
            #expect(isAdded)
        }
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        for (number, stored) in [waited, other, last].enumerated() {
            try await database.write {
                _ = try $0.handlers.claim(
                    .singleShotCall, of: stored.id, wasStored: true,
                    at: start + TimeInterval(number) * HandlerLimits.retention)
            }
        }
        #expect(try await Set(database.handlers().map(\.id)) == [waited.id, last.id])
    }

    @Test func marksOfNestedHandlersAreKeptAsLongAsTheyAreBound() async throws {
        let database = try await place.open()
        let inner = UUID()
        let (first, second) = (record(nested: [inner]), record(nested: [inner]))
        try await database.save(first)
        try await database.save(second)
        #expect(try await database.claim(.invalidation(.other("why")), of: inner, wasStored: true) == nil)
        #expect(try await database.claim(.call, of: inner, wasStored: true) == .invalidated(.other("why")))
        try await database.remove(first.id)
        #expect(try await database.marks(of: [inner]) == [inner: .invalidated(.other("why"))])
        try await database.save(record(second.id))
        #expect(try await database.marks(of: [inner]) == [:])
    }

    @Test func deferredCallsWaitInOrder() async throws {
        let database = try await place.open()
        let stored = record()
        await #expect(throws: HandlerError.self) {
            try await database.deferHandler(stored.id, reason: "why", call: nil)
        }
        try await database.save(stored)
        try await database.deferHandler(stored.id, reason: "why", call: nil)
        try await database.deferHandler(stored.id, reason: "because", call: Data([1]))
        try await database.deferHandler(stored.id, reason: "because", call: Data([2]))
        try await database.save(stored)
        try await database.endDeferral(stored.id)
        let deferred = try await database.handler(stored.id)?.deferral
        #expect(deferred?.reason == "because")
        let calls = try #require(deferred?.calls)
        #expect(calls.map(\.data) == [Data([1]), Data([2])])
        try await database.removeDeferredCall(calls[0].number, of: stored.id)
        try await database.removeDeferredCall(calls[0].number, of: stored.id)
        #expect(try await database.handler(stored.id)?.deferral?.calls == [calls[1]])
        try await database.removeDeferredCall(calls[1].number, of: UUID())
        #expect(try await database.handler(stored.id)?.deferral?.calls == [calls[1]])
        try await database.removeDeferredCall(calls[1].number, of: stored.id)
        try await database.endDeferral(stored.id)
        #expect(try await database.handler(stored.id)?.deferral == nil)
        for _ in 0..<HandlerLimits.deferredCalls {
            try await database.deferHandler(stored.id, reason: "r", call: Data([3]))
        }
        await #expect(throws: HandlerError.self) {
            try await database.deferHandler(stored.id, reason: "r", call: Data([4]))
        }
    }

    @Test func ofManyCallsOfASingleShotHandlerOneWins() async throws {
        let databases = [try await place.open(), try await place.open(), try await place.open()]
        for _ in 0..<20 {
            let stored = record()
            try await databases[0].save(stored)
            let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for database in databases {
                    group.addTask { try await database.claim(.singleShotCall, of: stored.id, wasStored: true) == nil }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
        }
    }

    // MARK: With promises

    /// A handler that fulfills its promise, with its other changes to the database.
    private var publish: HandlerDefinition {
        HandlerDefinition(
            "Avatar|published", HandlerParameter("promise", Promise<String>.self),
            HandlerParameter("changes", DatabaseWork.self), HandlerParameter("hash", String.self)
        ) { promise, changes, hash in
            try promise.fulfill(hash, in: changes)
            try changes.add { try $0.db.execute(sql: "INSERT INTO avatar VALUES (?)", arguments: [hash]) }
        }
    }

    @Test func aStoredHandlerFulfillsItsPromiseInAnotherProcess() async throws {
        let app = try await place.open()
        try await app.write { try $0.db.execute(sql: "CREATE TABLE avatar (hash TEXT UNIQUE)") }
        let appPromises = try await PromiseCenter.start(store: app, role: .consumer)
        let promise = try await appPromises.create(String.self)
        let appHandlers = HandlerDispatcher(registry: try HandlerRegistry(handlers: [publish]), store: app)
        let handler = try appHandlers.handler("Avatar|published", binding: ["promise": promise])
        try await appHandlers.store(handler)
        let waiting = Task { try await promise.value }

        let appex = try await place.open()
        let promises = try await PromiseCenter.start(store: appex, role: .resolver)
        let handlers = HandlerDispatcher(registry: try HandlerRegistry(handlers: [publish]), store: appex)
        let id = handler.id
        try await appex.collect { changes in
            try await handlers.call(stored: id, ["changes": changes, "promises": promises, "hash": "a1b2"])
        }
        #expect(try await waiting.value == "a1b2")
        let count = try await app.write { try $0.db.count("avatar") }
        #expect(count == 1)
    }

    @Test func theEffectsOfAHandlerCommitTogetherOrNotAtAll() async throws {
        let database = try await place.open()
        try await database.write { try $0.db.execute(sql: "CREATE TABLE avatar (hash TEXT UNIQUE)") }
        try await database.write { try $0.db.execute(sql: "INSERT INTO avatar VALUES ('a1b2')") }
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try await promises.create(String.self)
        let handlers = HandlerDispatcher(registry: try HandlerRegistry(handlers: [publish]), store: database)
        let handler = try handlers.handler("Avatar|published", binding: ["promise": promise])
        // The hash is taken, so the second change fails, and the promise is not fulfilled.
        await #expect(throws: StanzaDatabaseError.self) {
            try await database.collect { changes in
                try await handlers.call(handler, ["changes": changes, "promises": promises, "hash": "a1b2"])
            }
        }
        #expect(try await promise.state == .pending)
        await #expect(throws: HandlerError.self) {
            try await database.collect { changes in try await handlers.call(handler, ["changes": changes, "hash": "x"])
            }
        }
        #expect(try await promise.state == .pending)
    }

    @Test func nothingIsAddedToATransactionThatHasBegun() async throws {
        let database = try await place.open()
        let late = try await database.collect { $0 }
        #expect(throws: StanzaDatabaseError.closed) { try late.add { _ in } }
    }
}
