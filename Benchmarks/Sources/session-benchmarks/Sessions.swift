// Sessions as applications run them, over XMPPTransport, each with an account and a connection of its own.

import Foundation
import GRDB
import Handlers
import Persistence
import StreamManagement
import Synchronization
import XMLTree
import XMPPSession
import XMPPTransport

/// A session's work for each received message.
enum Handling: CaseIterable {
    case row, rowAndReceipt, rowOneAtATime

    var name: String {
        switch self {
        case .rowOneAtATime: "DurableSession, one message at a time: a row for each"
        case .row: "DurableSession, after a night: a row for each"
        case .rowAndReceipt: "DurableSession, after a night: a row and a receipt for each"
        }
    }
}

enum Sessions {
    /// Acknowledged by so many in both directions.
    private static func configuration(acknowledging count: Int = 5) -> StreamManagementConfiguration {
        var configuration = StreamManagementConfiguration.durable
        configuration.acknowledgementRequests = AcknowledgementTrigger(count: count)
        configuration.acknowledgements = AcknowledgementTrigger(count: count)
        return configuration
    }

    static func connector(to server: LoopbackServer) throws -> XMPPConnector {
        var configuration = XMPPConnectorConfiguration()
        configuration.server = ServerEndpoint(host: "127.0.0.1", port: server.port, security: .unencrypted)
        configuration.mechanisms = [.plain]
        configuration.allowsPlainWithoutEncryption = true
        return try XMPPConnector(account: "alice@localhost", password: Password("secret"), configuration: configuration)
    }

    static func stream(_ storage: some StreamManagementStorage) async throws -> StreamSession {
        try await StreamSession(
            account: "alice@localhost", storage: storage, configuration: configuration(),
            handling: .whenConsumed)
    }

    static func durable(_ database: StanzaDatabase, _ handling: Handling) async throws -> DurableSession {
        let session = try await DurableSession(
            account: "alice@localhost", database: database, registry: try HandlerRegistry(handlers: []),
            configuration: configuration(acknowledging: handling == .rowOneAtATime ? 1 : 5))
        let receipt = try Element(
            parsing: """
                <message to='juliet@example.org/balcony' id='8a1b4d63'>\
                <received xmlns='urn:xmpp:receipts' id='7f3a9c52'/></message>
                """, in: .clientStream)
        try await session.on("/{jabber:client}message/body") { stanza, work in
            try work.changes.add { transaction in
                try transaction.db.execute(
                    sql: "INSERT INTO inbox (id, stanza) VALUES (?, ?)",
                    arguments: [stanza["id"], Data(stanza.xmlBytes(in: .clientStream))])
            }
            if handling == .rowAndReceipt { try work.send(receipt) }
        }
        await session.otherwise(.ignore)
        return session
    }

    static func database(in folder: URL) async throws -> StanzaDatabase {
        let database = try await StanzaDatabase.open(at: folder.appending(path: "\(UUID().uuidString).db").path)
        try await database.write { transaction in
            try transaction.db.execute(
                sql: "CREATE TABLE inbox (number INTEGER PRIMARY KEY, id TEXT, stanza BLOB NOT NULL)")
        }
        return database
    }

    /// Waits until stream management is enabled.
    static func enabled(_ stream: StreamSession) async throws {
        while await stream.state != .enabled { try await Task.sleep(for: .milliseconds(1)) }
    }
}
