// Databases from before the newest migrations. A session continues with the rows that it left there.
//
// Databases that older versions really wrote, before requests existed, are in PersistenceTests/Fixtures.

import GRDB
import Handlers
import Promises
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import Persistence
@testable import XMPPSession

@Suite(.fewAtOnce) struct OlderDatabaseTests {
    /// All versions with requests, except the newest.
    private static let versions = Schema.migrator.migrations.drop { $0 != "stanza.requests" }.dropLast()

    @Test func requestsHandlersAndPromisesGoOn() async throws {
        let server = FakeServer()
        let first = try await Household()
        try await first.run(server) {
            for id in ["answered", "late"] {
                let promise = try await first.promises.create(String.self, key: id)
                let handler = try first.handler("Test|answered", ["promise": promise])
                let iq = xml("<iq type='get' to='room@chat.example.org' id='\(id)'/>")
                try await first.session.request(iq, handler: handler, timeout: .seconds(86_400))
            }
            try await server.receives(2)
        }
        #expect(Self.versions.starts(with: ["stanza.requests", "stanza.parkedRequests", "stanza.mark"]))
        for version in Self.versions { try await goOn(first, FakeServer(copying: server), version: version) }
    }

    private func goOn(_ first: Household, _ server: FakeServer, version: String) async throws {
        let folder = try TemporaryFolder()
        try await copy(first.folder.database, to: folder.database, asOf: version)
        await #expect(throws: StanzaDatabaseError.olderVersion) {
            try await StanzaDatabase.inspect(at: folder.database)
        }

        server.say("<iq type='result' from='room@chat.example.org' id='answered'/>")
        let home = try await Household(folder)
        #expect(Set(try await home.requests().map(\.id)) == ["answered", "late"], "\(version)")
        try await home.run(server) { try await home.endsRequests() }
        #expect(Set(home.journal.all) == ["answered result", "ended timed-out"], "\(version)")
        let answered = try #require(try await home.promises.reattach(key: "answered", as: String.self))
        #expect(try await answered.value == "result")
        let late = try #require(try await home.promises.reattach(key: "late", as: String.self))
        await #expect(throws: PromiseRejection(code: "timed-out", message: "no answer")) { try await late.value }
        #expect(try await home.database.handlers() == [])
        // The server has kept the session, and so has the database.
        #expect(server.binds == 1, "\(version)")
    }

    /// Creates a database of that version with the rows of a newer one, and lets one request expire.
    private func copy(_ newer: String, to path: String, asOf version: String) async throws {
        let queue = try DatabaseQueue(path: path)
        try Schema.migrator.migrate(queue, upTo: version)
        try await queue.writeWithoutTransaction { database in
            try database.execute(sql: "ATTACH ? AS newer", arguments: [newer])
            let tables = try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM main.sqlite_master WHERE type = 'table'
                        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'grdb_migrations'
                    """)
            for table in tables {
                // The table information omits generated columns.
                let columns = try String.fetchAll(
                    database, sql: "SELECT '\"' || name || '\"' FROM pragma_table_info(?)", arguments: [table]
                ).joined(separator: ", ")
                try database.execute(
                    sql: "INSERT INTO main.\(table) (\(columns)) SELECT \(columns) FROM newer.\(table)")
            }
            try database.execute(sql: "UPDATE request SET deadline = 1 WHERE id = 'late'")
        }
        try queue.close()
    }
}
