// The bot's database, tables and session.

import Foundation
import GRDB
import Handlers
import Persistence
import StreamManagement
import XMLTree
import XMPPSession
import XMPPTransport

struct Bot {
    private static let account: JID = "alice@localhost"
    /// The bot greets it when a session begins.
    private static let client = "bob@localhost"

    let session: DurableSession
    private let database: StanzaDatabase
    private let authority: String

    init(folder: String, insertsEarly: Bool) async throws {
        authority = try String(contentsOfFile: folder + "/authority.pem", encoding: .utf8)
        database = try await StanzaDatabase.open(at: folder + "/bot.db", options: .init(migrations: Self.migrations))
        let promises = try await PromiseCenter.start(store: database, role: .resolver)
        session = try await DurableSession(
            account: Self.account, database: database, registry: HandlerRegistry(), promises: promises)

        try await session.on("/{jabber:client}message<type=chat>/body") { [database] stanza, work in
            guard let number = stanza.child("body")?.text.flatMap({ Int($0) }) else { return }
            if insertsEarly {
                try await database.write { try Self.insert(number, $0) }
            } else {
                try work.changes.add { try Self.insert(number, $0) }
            }
        }
        await session.otherwise(.ignore)
        await session.onNewSession { work in
            try work.changes.add { try $0.db.execute(sql: "INSERT INTO session DEFAULT VALUES") }
            try work.send(MutableElement("presence", namespace: .uri("jabber:client")).freeze())
            // The server has handled the presence when the client receives this.
            let greeting = MutableElement(
                "message", namespace: .uri("jabber:client"), attributes: ["to": Self.client, "type": "chat"]
            ) { MutableElement("body", text: "hello") }
            try work.send(greeting.freeze())
        }
    }

    /// A row for each received message, with the serial number of its session, and a row for each session.
    private static var migrations: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("tables") { database in
            try database.execute(
                sql: """
                    CREATE TABLE session (number INTEGER PRIMARY KEY);
                    CREATE TABLE inbox (number INTEGER NOT NULL, session INTEGER NOT NULL);
                    """)
        }
        return migrator
    }

    private static func insert(_ number: Int, _ transaction: DatabaseTransaction) throws {
        try transaction.db.execute(
            sql: "INSERT INTO inbox (number, session) VALUES (?, (SELECT ifnull(max(number), 0) FROM session))",
            arguments: [number])
    }

    /// Runs the session until it ends.
    func run(port: UInt16) async throws -> StreamEnd {
        var configuration = XMPPConnectorConfiguration()
        configuration.server = ServerEndpoint(host: "127.0.0.1", port: port, security: .startTLS)
        configuration.trustRoots = .certificates(pem: authority)
        configuration.mechanismStore = database
        let connector = try XMPPConnector(
            account: Self.account, password: Password("secret"), configuration: configuration)
        return try await session.run(connecting: connector)
    }
}
