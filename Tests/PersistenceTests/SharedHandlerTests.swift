// Handlers in the database that processes share: the requirements of every store, with two connections, and those of a
// shared one.

import Foundation
import HandlerStoreSupport
import Handlers
import Persistence
import Promises
import TestSupport
import Testing

@Suite(.fewAtOnce) struct SharedHandlerTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    @Test(arguments: StoreRequirement.allCases) func requirement(_ requirement: StoreRequirement) async throws {
        let (one, other) = (try await place.open(), try await place.open())
        let store = TestedStore(one, other) { id, time in
            try await one.write { try $0.handlers.claim(.invalidation(.canceled), of: id, wasStored: true, at: time) }
        }
        try await store.check(requirement)
    }

    /// However many have ended, their number falls with each end after their retention.
    @Test func endedHandlersDoNotPileUp() async throws {
        let database = try await place.open()
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        for day in 0..<30 {
            for _ in 0..<10 {
                try await database.write { transaction in
                    let stored = TestedStore.record()
                    try transaction.handlers.save(stored)
                    _ = try transaction.handlers.claim(
                        .singleShotCall, of: stored.id, wasStored: true, at: start + TimeInterval(day) * 86_400)
                }
            }
            let count = try await database.read { try $0.db.count("stanza_handler") } ?? 0
            #expect(count <= 10 * 8, "day \(day)")
        }
    }

    /// Another program has written a mark with an identity that no handler can have.
    @Test func anUnreadableMarkKeepsNoHandlerFromEnding() async throws {
        let database = try await place.open()
        let stored = TestedStore.record()
        try await database.save(stored)
        try await database.write {
            try $0.db.execute(
                sql: "INSERT INTO stanza_handlerMark (id, isCall, reason, ended) VALUES (x'00', 1, NULL, 0)")
            let earlier = try $0.handlers.claim(.singleShotCall, of: stored.id, wasStored: true)
            #expect(earlier == nil)
        }
        #expect(try await database.marks(of: [stored.id]) == [stored.id: .called])
        #expect(try await database.read { try $0.db.count("stanza_handlerMark") } == 1)
    }

    @Test func deferredCallsAreLimited() async throws {
        let database = try await place.open()
        let stored = TestedStore.record()
        try await database.save(stored)
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
            let stored = TestedStore.record()
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
