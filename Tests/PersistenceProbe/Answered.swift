// The handler of the probe: the answer to a request, which fulfills a promise. PersistenceTests has it, too.

import GRDB
import Handlers
import Persistence
import Promises

enum Answered {
    static let definition = HandlerDefinition(
        "Probe|answered", isSingleShot: true, HandlerParameter("promise", Promise<String>.self),
        HandlerParameter("words", String.self), HandlerParameter("changes", DatabaseWork.self)
    ) { promise, words, changes in try promise.fulfill(words, in: changes) }

    /// Calls every stored handler. Returns their number.
    static func answer(
        _ words: String, in database: StanzaDatabase, _ promises: PromiseCenter
    ) async throws -> Int {
        let handlers = HandlerDispatcher(registry: try HandlerRegistry(handlers: [definition]), store: database)
        let all = try await database.handlers()
        for stored in all {
            try await database.collect { changes in
                try await handlers.using(changes).call(
                    stored: stored.id, ["words": words, "changes": changes, "promises": promises])
            }
        }
        return all.count
    }

    /// Calls every stored handler, and removes it in the same transaction. The handler waits for a line, and adds a row
    /// to a table of the test.
    static func answerSlowly(
        _ words: String, in database: StanzaDatabase, _ promises: PromiseCenter
    ) async throws -> Int {
        let slow = HandlerDefinition(
            "Probe|answered", isSingleShot: true, HandlerParameter("promise", Promise<String>.self),
            HandlerParameter("changes", DatabaseWork.self)
        ) { promise, changes in
            report("running")
            _ = readLine()
            try promise.fulfill(words, in: changes)
            try changes.add { try $0.db.execute(sql: "INSERT INTO answer VALUES (?)", arguments: [words]) }
        }
        let handlers = HandlerDispatcher(registry: try HandlerRegistry(handlers: [slow]), store: database)
        let all = try await database.handlers()
        for stored in all {
            try await database.collect { changes in
                try await handlers.using(changes).call(stored: stored.id, ["changes": changes, "promises": promises])
                try changes.remove(stored.id)
            }
        }
        return all.count
    }

    /// Replays the deferred calls. Each prints its words, and ends when it has read a line.
    static func replay(in database: StanzaDatabase) async throws -> Int {
        let slow = HandlerDefinition("Probe|answered", HandlerParameter("words", String.self)) { words in
            report(words)
            _ = readLine()
        }
        let handlers = HandlerDispatcher(registry: try HandlerRegistry(handlers: [slow]), store: database)
        return try await handlers.replay().reduce(0) { $0 + $1.calls.count }
    }
}
