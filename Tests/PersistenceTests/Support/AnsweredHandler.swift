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
        HandlerParameter("words", String.self), HandlerParameter("work", DatabaseWork.self)
    ) { promise, words, work in try promise.fulfill(words, in: work) }

    static func dispatcher(_ store: any HandlerStore, _ arguments: HandlerArguments = [:]) throws -> HandlerDispatcher {
        HandlerDispatcher(registry: try HandlerRegistry(handlers: [definition]), store: store, arguments: arguments)
    }

    /// Calls all stored handlers, each with its own work.
    static func answer(_ words: String, in database: StanzaDatabase, _ promises: PromiseCenter) async throws {
        for stored in try await database.handlers() {
            try await database.collect { work in
                _ = try await dispatcher(work).call(
                    stored: stored.id, ["words": words, "work": work, "promises": promises])
            }
        }
    }
}
