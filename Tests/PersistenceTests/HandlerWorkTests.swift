// Handlers that collect their changes, in the transaction that also decides that they are called once.

import Foundation
import GRDB
import Handlers
import Persistence
import TestSupport
import Testing

@Suite(.fewAtOnce) struct HandlerWorkTests {
    private struct Failure: Error {}

    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    /// Two processes call a kept handler at once. One of them makes its changes.
    @Test func ofTwoProcessesThatCallOneMakesItsChanges() async throws {
        let (database, other) = (try await place.open(), try await place.open())
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let others = try await PromiseCenter.start(store: other, role: .resolver)
        let promise = try await promises.create(String.self)
        let data = try await AnsweredHandler.keep(promise, in: database)
        await #expect(throws: HandlerError(.alreadyCalled)) {
            try await database.collect { changes in
                try AnsweredHandler.delete(data, in: changes)
                try await AnsweredHandler.dispatcher().call(
                    stored: data, ["words": "slow", "changes": changes, "promises": promises])
                try await other.collect { changes in
                    try AnsweredHandler.delete(data, in: changes)
                    try await others.promise(promise.id, of: String.self).fulfill("fast")
                }
            }
        }
        #expect(try await promise.value == "fast")
    }

    @Test func theEffectsOfAHandlerCommitTogetherOrNotAtAll() async throws {
        let database = try await place.open()
        try await database.write { try $0.db.execute(sql: "CREATE TABLE avatar (hash TEXT UNIQUE)") }
        try await database.write { try $0.db.execute(sql: "INSERT INTO avatar VALUES ('a1b2')") }
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try await promises.create(String.self)
        let publish = HandlerDefinition(
            "Avatar|published", HandlerParameter("promise", Promise<String>.self),
            HandlerParameter("changes", DatabaseWork.self), HandlerParameter("hash", String.self)
        ) { promise, changes, hash in
            try await promise.fulfill(hash)
            try changes.add { try $0.db.execute(sql: "INSERT INTO avatar VALUES (?)", arguments: [hash]) }
        }
        let handlers = HandlerDispatcher(
            registry: try HandlerRegistry(handlers: [publish]), arguments: ["promises": promises])
        let handler = try handlers.handler("Avatar|published", binding: ["promise": promise])
        // The hash is taken, so the second change fails, and the promise is not fulfilled.
        await #expect(throws: StanzaDatabaseError.self) {
            try await database.collect { try await handlers.call(handler, ["changes": $0, "hash": "a1b2"]) }
        }
        #expect(try await promise.state == .pending)
        try await database.collect { try await handlers.call(handler, ["changes": $0, "hash": "c3"]) }
        #expect(try await promise.value == "c3")
    }

    /// `fulfill` throws the error in the handler, which can recover. The transaction that makes the changes succeeds.
    @Test func aValueThatCannotBeStoredIsTheHandlersError() async throws {
        let database = try await place.open()
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try await promises.create(String.self)
        try await database.write { try $0.db.execute(sql: "CREATE TABLE note (text TEXT)") }
        try await database.collect { changes in
            try changes.add { try $0.db.execute(sql: "INSERT INTO note VALUES ('x')") }
            do {
                try await promise.fulfill(String(repeating: "x", count: PromiseLimits.payloadLength))
            } catch PromiseError.tooLong {
                try await promise.fulfill("too long")
            }
        }
        #expect(try await promise.value == "too long")
        #expect(try await database.read { try $0.db.count("note") } == 1)
    }

    @Test(arguments: ["DELETE FROM stanza_promise", "UPDATE stanza_promise SET state = 9"])
    func aPromiseThatIsGoneOrDamagedUndoesNothing(sql: String) async throws {
        let database = try await place.open()
        let promise = try await PromiseCenter.start(store: database, role: .consumer).create(String.self)
        try await database.write { try $0.db.execute(sql: "CREATE TABLE note (text TEXT); \(sql)") }
        try await database.collect { changes in
            try changes.add { try $0.db.execute(sql: "INSERT INTO note VALUES ('x')") }
            try await promise.fulfill("x")
        }
        #expect(try await database.read { try $0.db.count("note") } == 1)
    }

    /// A task that outlives its handler writes on its own, whatever becomes of the handler's changes.
    @Test func anOutcomeBelongsToTheRunningHandler() async throws {
        let database = try await place.open()
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        for fails in [true, false] {
            let (first, second) = (try await promises.create(String.self), try await promises.create(String.self))
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            var later: Task<PromiseResolution, any Error>?
            do {
                try await database.collect { _ in
                    try await first.fulfill("x")
                    later = Task {
                        for await _ in gate {}
                        return try await second.fulfill("y")
                    }
                    #expect(try await first.state == .pending)
                    if fails { throw Failure() }
                }
            } catch is Failure {}
            opening.finish()
            #expect(try await first.state == (fails ? .pending : .fulfilled))
            #expect(try await later?.value == .resolved)
            #expect(try await second.value == "y")
        }
    }

    /// A promise of another database is none of the handler's changes.
    @Test func aPromiseOfAnotherStoreIsResolvedAtOnce() async throws {
        let promise = try await PromiseCenter.start(store: MemoryPromiseStore(), role: .consumer).create(Int.self)
        try await place.open().collect { _ in
            let resolution = try await promise.fulfill(1)
            #expect(resolution == .resolved)
        }
    }

    @Test func nothingIsAddedToATransactionThatHasBegun() async throws {
        let database = try await place.open()
        let late = try await database.collect { $0 }
        #expect(throws: StanzaDatabaseError.closed) { try late.add { _ in } }
    }
}
