// Handlers that end in the transaction of their effects, and calls that several processes replay.

import Foundation
import GRDB
import Handlers
import Persistence
import Promises
import Synchronization
import TestSupport
import Testing

@Suite(.fewAtOnce) struct HandlerWorkTests {
    private struct Failure: Error {}

    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    /// A database, its promises, and a stored handler that fulfills one.
    private func prepared() async throws -> (StanzaDatabase, PromiseCenter, Promise<String>, Handler) {
        let database = try await place.open()
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try await promises.create(String.self, key: "k")
        let handlers = try AnsweredHandler.dispatcher(database)
        let handler = try handlers.handler("Probe|answered", binding: ["promise": promise])
        try await handlers.store(handler)
        return (database, promises, promise, handler)
    }

    @Test func aCallCountsWithItsChangesOrNotAtAll() async throws {
        let (database, promises, promise, handler) = try await prepared()
        await #expect(throws: Failure.self) {
            try await database.collect { changes in
                try await AnsweredHandler.dispatcher(changes).call(
                    handler, ["words": "lost", "changes": changes, "promises": promises])
                throw Failure()
            }
        }
        #expect(handler.mark == nil)
        #expect(try await database.marks(of: [handler.id]).isEmpty)
        #expect(try await promise.state == .pending)
        try await AnsweredHandler.answer("found", in: database, promises)
        #expect(handler.mark == .called)
        #expect(try await database.marks(of: [handler.id]) == [handler.id: .called])
        #expect(try await promise.value == "found")
        await #expect(throws: HandlerError.self) {
            try await AnsweredHandler.answer("twice", in: database, promises)
        }
    }

    @Test func anInvalidationCountsWithItsChangesOrNotAtAll() async throws {
        let (database, _, _, handler) = try await prepared()
        await #expect(throws: Failure.self) {
            try await database.collect { changes in
                try await AnsweredHandler.dispatcher(changes).invalidate(handler, because: .timedOut)
                throw Failure()
            }
        }
        #expect(handler.mark == nil)
        try await database.collect { changes in
            try await AnsweredHandler.dispatcher(changes).invalidate(handler, because: .canceled)
            // No other reader sees a change before the commit; within the work, the handler has ended.
            #expect(try await database.marks(of: [handler.id]).isEmpty)
            await #expect(throws: HandlerError.self) {
                try await AnsweredHandler.dispatcher(changes).invalidate(handler, because: .timedOut)
            }
        }
        #expect(try await database.marks(of: [handler.id]) == [handler.id: .invalidated(.canceled)])
    }

    /// Two processes have loaded a single-shot handler and run it. The first one to finish removes it; the other one
    /// must not make its changes.
    @Test func ofTwoProcessesThatCallAndRemoveOneMakesItsChanges() async throws {
        let (database, _, promise, _) = try await prepared()
        try await database.write { try $0.db.execute(sql: "CREATE TABLE answer (words TEXT)") }
        let slow = try Probe(place.path, "answerslowly", "slow")
        while try await slow.line() != "running" {}
        let fast = try Probe(place.path, "answerslowly", "fast")
        while try await fast.line() != "running" {}
        fast.write("\n")
        #expect(await fast.finish().output == "1")
        #expect(try await database.handlers() == [])
        slow.write("\n")
        #expect(await slow.finish().output == "\(HandlerError(.notStored))")
        #expect(try await promise.value == "fast")
        let answers = try await database.read { try String.fetchAll($0.db, sql: "SELECT words FROM answer") }
        #expect(answers == ["fast"])
    }

    /// The same in one process, with the handler that was stored and with a loaded copy.
    @Test func aRemovedHandlerCannotBeCalled() async throws {
        let (database, promises, promise, handler) = try await prepared()
        let handlers = try AnsweredHandler.dispatcher(database)
        let loaded = try await handlers.load(handler.id)
        let arguments: @Sendable (DatabaseWork) -> HandlerArguments = {
            ["words": "late", "changes": $0, "promises": promises]
        }
        try await handlers.remove(handler.id)
        for copy in [handler, loaded] {
            await #expect(throws: HandlerError(.notStored)) {
                try await database.collect { changes in
                    try await handlers.using(changes).call(copy, arguments(changes))
                }
            }
            await #expect(throws: HandlerError(.notStored)) { try await handlers.invalidate(copy, because: .canceled) }
            #expect(copy.mark == nil)
        }
        #expect(try await promise.state == .pending)
        // Stored again, even by the work that calls it, it is there.
        try await database.collect { changes in
            try await handlers.using(changes).store(handler)
            try await handlers.using(changes).call(handler, arguments(changes))
        }
        #expect(try await promise.value == "late")
    }

    /// One that can be called often ends with its removal, too.
    @Test func aHandlerThatIsRemovedWhileItRunsMakesNoChanges() async throws {
        let database = try await place.open()
        try await database.write { try $0.db.execute(sql: "CREATE TABLE note (text TEXT)") }
        let often = HandlerDefinition("Test|often", HandlerParameter("changes", DatabaseWork.self)) { changes in
            try changes.add { try $0.db.execute(sql: "INSERT INTO note VALUES ('x')") }
        }
        let handlers = HandlerDispatcher(registry: try HandlerRegistry(handlers: [often]), store: database)
        let handler = try handlers.handler("Test|often")
        try await handlers.store(handler)
        try await database.collect { try await handlers.using($0).call(handler, ["changes": $0]) }
        await #expect(throws: HandlerError(.notStored)) {
            try await database.collect { changes in
                try await handlers.using(changes).call(handler, ["changes": changes])
                try await handlers.remove(handler.id)
            }
        }
        #expect(try await database.read { try $0.db.count("note") } == 1)
    }

    /// `fulfill` throws the error in the handler, which can recover. The transaction that makes the changes succeeds.
    @Test func aValueThatCannotBeStoredIsTheHandlersError() async throws {
        let database = try await place.open()
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try await promises.create(String.self)
        try await database.write { try $0.db.execute(sql: "CREATE TABLE note (text TEXT)") }
        let answer = HandlerDefinition(
            "Test|answer", HandlerParameter("promise", Promise<String>.self),
            HandlerParameter("changes", DatabaseWork.self)
        ) { promise, changes in
            try changes.add { try $0.db.execute(sql: "INSERT INTO note VALUES ('x')") }
            do {
                try promise.fulfill(String(repeating: "x", count: PromiseLimits.payloadLength), in: changes)
            } catch PromiseError.tooLong {
                try promise.fulfill("too long", in: changes)
            }
        }
        let handlers = HandlerDispatcher(registry: try HandlerRegistry(handlers: [answer]), store: database)
        let handler = try handlers.handler("Test|answer", binding: ["promise": promise])
        try await database.collect { changes in
            try await handlers.using(changes).call(handler, ["changes": changes, "promises": promises])
        }
        #expect(try await promise.value == "too long")
        #expect(try await database.read { try $0.db.count("note") } == 1)
    }

    @Test func aPromiseIsGivenUpWithOtherChanges() async throws {
        let database = try await place.open()
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let (kept, given) = (try await promises.create(String.self), try await promises.create(String.self))
        await #expect(throws: Failure.self) {
            try await database.collect { changes in
                try kept.cancel(in: changes)
                throw Failure()
            }
        }
        try await database.collect { changes in
            try given.cancel(in: changes)
            // Canceling a promise that does not exist has no effect.
            try promises.promise(UUID(), of: String.self).cancel(in: changes)
        }
        #expect(try await kept.state == .pending)
        await #expect(throws: PromiseError.canceled(given.id)) { try await given.value }
    }

    @Test func whileOneIsAtWorkOthersOfTheProcessAreRefused() async throws {
        let (database, promises, promise, handler) = try await prepared()
        let id = handler.id
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await database.collect { changes in
                _ = try await AnsweredHandler.dispatcher(changes).call(
                    stored: id, ["words": "first", "changes": changes, "promises": promises])
                begin.finish()
                for await _ in gate {}
            }
        }
        for await _ in begun {}
        for _ in 0..<2 {
            await #expect(throws: HandlerError.self) {
                try await AnsweredHandler.answer("second", in: database, promises)
            }
        }
        open.finish()
        try await first.value
        #expect(try await promise.value == "first")
    }

    @Test func ofTwoProcessesAtWorkOneMakesItsChanges() async throws {
        let (database, promises, promise, handler) = try await prepared()
        let other = try await place.open()
        let others = try await PromiseCenter.start(store: other, role: .resolver)
        await #expect(throws: HandlerError(.alreadyCalled)) {
            try await database.collect { changes in
                _ = try await AnsweredHandler.dispatcher(changes).call(
                    stored: handler.id, ["words": "slow", "changes": changes, "promises": promises])
                // The other process does not know of this one's state.
                HandlerDispatcher.releaseClaims(of: [handler.id])
                try await AnsweredHandler.answer("fast", in: other, others)
            }
        }
        #expect(try await promise.value == "fast")
    }

    @Test func storingAndRemovingTakePart() async throws {
        let (database, _, promise, handler) = try await prepared()
        let next = try AnsweredHandler.dispatcher(database).handler("Probe|answered", binding: ["promise": promise])
        try await database.collect { changes in
            let handlers = try AnsweredHandler.dispatcher(changes)
            try await handlers.store(next)
            try await handlers.remove(handler.id)
            #expect(try await handlers.load(handler.id).id == handler.id, "changes are made at the end")
        }
        #expect(try await database.handlers().map(\.id) == [next.id])
    }

    /// The work may fail. A handler stored as ended in between would then never be called after loading.
    @Test func anEndingHandlerIsNotStoredAsEnded() async throws {
        let (database, _, _, handler) = try await prepared()
        let handlers = try AnsweredHandler.dispatcher(database)
        let data = try handlers.data(of: handler)
        await #expect(throws: Failure.self) {
            try await database.collect { changes in
                let own = try AnsweredHandler.dispatcher(changes)
                try await own.invalidate(handler, because: .canceled)
                try await handlers.store(handler)
                #expect(try handlers.data(of: handler) == data)
                // Data that the work stores includes the end of the handler.
                #expect(try own.data(of: handler) != data)
                throw Failure()
            }
        }
        #expect(try await handlers.load(handler.id).mark == nil)
        try await handlers.invalidate(handler, because: .canceled)
        #expect(try handlers.data(of: handler) != data)
    }

    // MARK: Replays

    private func deferCalls(_ words: String...) async throws -> StanzaDatabase {
        let (database, _, _, handler) = try await prepared()
        let older = HandlerDispatcher(registry: try HandlerRegistry(), store: database)
        for words in words { try await older.call(stored: handler.id, ["words": words]) }
        return database
    }

    /// A dispatcher whose handler adds its words to `said`; not single-shot.
    private func reporting(to said: Said, _ store: any HandlerStore) throws -> HandlerDispatcher {
        let definition = HandlerDefinition("Probe|answered", HandlerParameter("words", String.self)) { said.add($0) }
        return HandlerDispatcher(registry: try HandlerRegistry(handlers: [definition]), store: store)
    }

    @Test func ofTwoProcessesThatReplayOneMakesTheCalls() async throws {
        let database = try await deferCalls("first", "second")
        let said = Said()
        let probe = try Probe(place.path, "replay")
        while try await probe.line() != "first" {}
        #expect(try await reporting(to: said, database).replay().isEmpty)
        probe.write("\n")
        #expect(try await probe.line() == "second")
        #expect(try await reporting(to: said, database).replay().isEmpty)
        probe.write("\n")
        #expect(await probe.finish().output == "2")
        #expect(said.all.isEmpty)
        #expect(try await database.handlers().allSatisfy { $0.deferral == nil })
    }

    @Test func whatAProcessThatIsKilledHasNotReplayedIsReplayedByTheNext() async throws {
        let database = try await deferCalls("first", "second", "third")
        let said = Said()
        let probe = try Probe(place.path, "replay")
        while try await probe.line() != "first" {}
        probe.write("\n")
        #expect(try await probe.line() == "second")
        probe.send(SIGKILL)
        #expect(await probe.finish().signal == SIGKILL)
        #expect(try await reporting(to: said, database).replay().map(\.calls.count) == [2])
        // The second call had begun: the next replay makes it again.
        #expect(said.all == ["second", "third"])
    }

    /// The work may fail: the call would be lost.
    @Test func theCallOfAHandlerThatWorkInHandIsAboutToEndIsReplayedLater() async throws {
        let database = try await deferCalls("first")
        let said = Said()
        let id = try #require(try await database.handlers().first?.id)
        await #expect(throws: Failure.self) {
            try await database.collect { changes in
                let handlers = try AnsweredHandler.dispatcher(changes)
                let handler = try await handlers.load(id)
                try await handlers.invalidate(handler, because: .canceled)
                let replays = try await reporting(to: said, database).replay()
                #expect(replays.map(\.stillDeferred?.kind) == [.alreadyInvalidated(.canceled)])
                #expect(handler.mark == .invalidated(.canceled))
                throw Failure()
            }
        }
        #expect(said.all.isEmpty)
        #expect(try await reporting(to: said, database).replay().map(\.stillDeferred) == [nil])
        #expect(said.all == ["first"])
    }

    /// The other process's stored end counts, whatever the current work is about to do.
    @Test func theCallOfAHandlerThatAnotherProcessHasEndedIsNotReplayed() async throws {
        let database = try await deferCalls("first")
        let said = Said()
        let id = try #require(try await database.handlers().first?.id)
        await #expect(throws: HandlerError(.alreadyInvalidated(.timedOut))) {
            try await database.collect { changes in
                let handlers = try AnsweredHandler.dispatcher(changes)
                let handler = try await handlers.load(id)
                try await handlers.invalidate(handler, because: .canceled)
                let earlier = try await database.write {
                    try $0.handlers.claim(.invalidation(.timedOut), of: id, wasStored: true)
                }
                #expect(earlier == nil)
                let replays = try await reporting(to: said, database).replay()
                #expect(replays.map(\.stillDeferred) == [nil] && replays.map(\.calls.count) == [1])
                #expect(handler.mark == .invalidated(.timedOut))
            }
        }
        #expect(said.all.isEmpty)
        #expect(try await database.handlers().map { $0.deferral == nil } == [true])
    }

    /// A call by a handler's identity leaves no copy that could record the end.
    @Test func workKnowsWhichHandlersItIsAboutToEnd() async throws {
        let (database, promises, _, _) = try await prepared()
        let stored = try #require(try await database.handlers().first)
        try await database.collect { changes in
            let handlers = try AnsweredHandler.dispatcher(changes)
            try await handlers.call(stored: stored.id, ["words": "once", "changes": changes, "promises": promises])
            let copy = try handlers.load(from: stored.data)
            #expect(handlers.hasEnded(copy))
            #expect(try !AnsweredHandler.dispatcher(database).hasEnded(copy))
            try await database.collect { other in
                let others = try AnsweredHandler.dispatcher(other)
                #expect(!others.hasEnded(copy))
            }
        }
        let loaded = try await AnsweredHandler.dispatcher(database).load(stored.id)
        #expect(try AnsweredHandler.dispatcher(database).hasEnded(loaded))
    }

    @Test func aReplayInWorkIsMadeWithItOrNotAtAll() async throws {
        let database = try await deferCalls("first", "second")
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try #require(try await promises.reattach(key: "k", as: String.self))
        await #expect(throws: Failure.self) {
            try await database.collect { changes in
                let replays = try await AnsweredHandler.dispatcher(changes).replay([
                    "changes": changes, "promises": promises,
                ])
                #expect(replays.map(\.calls.count) == [2])
                throw Failure()
            }
        }
        #expect(try await promise.state == .pending)
        #expect(try await database.handlers().map { $0.deferral?.calls.count } == [2])
        try await database.collect { changes in
            let replays = try await AnsweredHandler.dispatcher(changes).replay([
                "changes": changes, "promises": promises,
            ])
            #expect(replays.map(\.stillDeferred) == [nil])
        }
        #expect(try await promise.value == "first")
        #expect(try await database.handlers().map { $0.deferral == nil } == [true])
    }
}

/// The words of all calls, in order.
private final class Said: Sendable {
    private let words = Mutex<[String]>([])

    func add(_ word: String) { words.withLock { $0.append(word) } }

    var all: [String] { words.withLock { $0 } }
}
