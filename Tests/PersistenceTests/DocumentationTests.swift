// The examples of the articles, as they stand there.

import Foundation
import GRDB
import Persistence
import Promises
import Testing

struct DocumentationTests {
    @Test func openingAndTransactions() async throws {
        let place = try TemporaryDatabase()
        let path = place.path
        let database = try await StanzaDatabase.open(at: path)
        let promises = try await PromiseCentre.start(store: database, role: .consumer)
        #expect(FileManager.default.fileExists(atPath: path))

        let promise = try await promises.create(String.self)
        try await database.write { try $0.database.execute(sql: "CREATE TABLE avatar (hash TEXT)") }
        try await database.write { try $0.database.execute(sql: "INSERT INTO avatar VALUES ('')") }
        try await database.write { transaction in
            try promise.fulfil("published", in: transaction.promises)
            try transaction.database.execute(sql: "UPDATE avatar SET hash = ?", arguments: ["a1b2"])
        }
        #expect(try await promise.value == "published")
        let hash = try await database.write { try String.fetchOne($0.database, sql: "SELECT hash FROM avatar") }
        #expect(hash == "a1b2")
    }
}
