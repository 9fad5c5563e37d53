// The handler that the probe calls, as the tests know it.

import Foundation
import Handlers
import Persistence
import Promises

enum AnsweredHandler {
    /// Fulfills its promise; one of all calls wins.
    static let definition = HandlerDefinition(
        "Probe|answered", formerly: ["Fixture|answered"], isSingleShot: true,
        HandlerParameter("promise", Promise<String>.self),
        HandlerParameter("words", String.self), HandlerParameter("changes", DatabaseWork.self)
    ) { promise, words, changes in try promise.fulfill(words, in: changes) }

    static func dispatcher(_ store: any HandlerStore, _ arguments: HandlerArguments = [:]) throws -> HandlerDispatcher {
        HandlerDispatcher(registry: try HandlerRegistry(handlers: [definition]), store: store, arguments: arguments)
    }

    /// Calls all stored handlers, each with its own work.
    static func answer(_ words: String, in database: StanzaDatabase, _ promises: PromiseCenter) async throws {
        for stored in try await database.handlers() {
            try await database.collect { changes in
                _ = try await dispatcher(changes).call(
                    stored: stored.id, ["words": words, "changes": changes, "promises": promises])
            }
        }
    }
}
