// The handler that the probe calls, as the tests know it, and the table of the tests that keeps it.

import Foundation
import GRDB
import Handlers
import Persistence

enum AnsweredHandler {
    /// Fulfills its promise.
    static let definition = HandlerDefinition(
        "Probe|answered", isSingleShot: true, HandlerParameter("promise", Promise<String>.self),
        HandlerParameter("words", String.self)
    ) { promise, words in try await promise.fulfill(words) }

    static func dispatcher(_ arguments: HandlerArguments = [:]) throws -> HandlerDispatcher {
        HandlerDispatcher(registry: try HandlerRegistry(handlers: [definition]), arguments: arguments)
    }

    /// Keeps a handler for the promise in a table of the application.
    static func keep(_ promise: Promise<String>, in database: StanzaDatabase) async throws -> Data {
        let dispatcher = try dispatcher()
        let data = try dispatcher.data(of: dispatcher.handler("Probe|answered", binding: ["promise": promise]))
        try await database.write {
            try $0.db.execute(sql: "CREATE TABLE IF NOT EXISTS callback (data BLOB UNIQUE)")
            try $0.db.execute(sql: "INSERT INTO callback VALUES (?)", arguments: [data])
        }
        return data
    }

    /// Deletes a kept handler as a part of the changes. Of several deletions, one commits.
    static func delete(_ data: Data, in changes: DatabaseWork) throws {
        try changes.add { transaction in
            try transaction.db.execute(sql: "DELETE FROM callback WHERE data = ?", arguments: [data])
            if transaction.db.changesCount == 0 { throw HandlerError(.alreadyCalled) }
        }
    }
}
