// The handler of the probe: the answer to a request, which fulfills a promise. PersistenceTests has it, too.

import Foundation
import GRDB
import Handlers
import Persistence

enum Answered {
    static let definition = HandlerDefinition(
        "Probe|answered", isSingleShot: true, HandlerParameter("promise", Promise<String>.self),
        HandlerParameter("words", String.self)
    ) { promise, words in try await promise.fulfill(words) }

    /// Calls every handler in the test's table `callback`, and deletes it with its effects. Returns their number.
    static func answer(_ words: String, in database: StanzaDatabase, _ promises: PromiseCenter) async throws -> Int {
        let handlers = HandlerDispatcher(registry: try HandlerRegistry(handlers: [definition]))
        let all = try await database.read { try Data.fetchAll($0.db, sql: "SELECT data FROM callback") }
        for data in all {
            try await database.collect { changes in
                try changes.add { transaction in
                    try transaction.db.execute(sql: "DELETE FROM callback WHERE data = ?", arguments: [data])
                    if transaction.db.changesCount == 0 { throw HandlerError(.alreadyCalled) }
                }
                try await handlers.call(stored: data, ["words": words, "changes": changes, "promises": promises])
            }
        }
        return all.count
    }
}
