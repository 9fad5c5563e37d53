// Sessions as applications run them, over XMPPTransport, each with a connection and a database of its own: they send
// messages until the last one is acknowledged, and receive them until the server knows.

import Foundation
import GRDB
import Handlers
import Harness
import Persistence
import StreamManagement
import XMLTree
import XMPPSession
import XMPPTransport

/// The message that is sent and received all the time: some 270 bytes, as people write them.
enum Message {
    static let id = "7f3a9c52"
    static let text = """
        <message to='romeo@example.net/orchard' from='juliet@example.org/balcony' type='chat' id='\(id)'>\
        <body>Wherefore art thou, Romeo? Deny thy father and refuse thy name.</body>\
        <origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/><request xmlns='urn:xmpp:receipts'/></message>
        """
}

struct Sessions {
    let server: LoopbackServer
    let folder: URL
    let count: Int

    private static let senders = 100

    // MARK: Sending

    func sending() async throws -> [(String, Measurement)] {
        // Ways that cost a thousandth send more messages.
        let many = count * 20
        let message = try Element(stanza: Message.text)
        func send(_ count: Int, _ storage: some StreamManagementStorage) async throws -> Measurement {
            let session = try await stream(storage)
            return try await measure(count, session) {
                for _ in 0..<count { _ = try await session.send(message) }
                try await acknowledged(session)
            }
        }
        let direct = try await durable(try await database(), sendsReceipts: false)
        let each = try await measure(count, direct) {
            for _ in 0..<count { try await direct.send(message) }
            try await acknowledged(direct.stream)
        }
        let parallel = try await durable(try await database(), sendsReceipts: false)
        let together = try await measure(many, parallel) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.senders {
                    group.addTask { for _ in 0..<(many / Self.senders) { try await parallel.send(message) } }
                }
                try await group.waitForAll()
            }
            try await acknowledged(parallel.stream)
        }
        return [
            ("StreamSession, in memory", try await send(many, MemoryStorage(servesSeveralAccounts: true))),
            ("no session: a commit by hand for each", try await commits()),
            ("StreamSession, in SQLite", try await send(count, try await database())),
            ("DurableSession, one task that sends", each),
            ("DurableSession, \(Self.senders) tasks that send", together),
        ]
    }

    /// The rate that the disk allows: a row with each commit.
    private func commits() async throws -> Measurement {
        let database = try await database()
        let bytes = Data(Message.text.utf8)
        return try await Measurement(count, server) {
            for _ in 0..<count {
                try await database.write { transaction in
                    try transaction.db.execute(sql: "INSERT INTO inbox (stanza) VALUES (?)", arguments: [bytes])
                }
            }
        }
    }

    /// Requests an acknowledgement after the last one, which may not complete five, and waits for the answer.
    private func acknowledged(_ stream: StreamSession) async throws {
        try await stream.requestAcknowledgement()
        while await !stream.unacknowledged.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    }

    // MARK: Receiving

    func receiving() async throws -> [(String, Measurement)] {
        func receiveUnhandled(_ count: Int, _ storage: some StreamManagementStorage) async throws -> Measurement {
            let session = try await stream(storage)
            let consuming = Task { for await _ in session.stanzas {} }
            let measured = try await measure(count, session) { try await handled(count) { try await session.send($0) } }
            await consuming.value
            return measured
        }
        func receive(sendsReceipts: Bool) async throws -> Measurement {
            let database = try await database()
            let session = try await durable(database, sendsReceipts: sendsReceipts)
            let measured = try await measure(count, session) { try await handled(count) { try await session.send($0) } }
            let rows = try await database.write { transaction in
                try Int.fetchOne(
                    transaction.db, sql: "SELECT COUNT(*) FROM inbox WHERE id = ?", arguments: [Message.id])
            }
            guard rows == count else { throw BenchmarkError("\(count) messages made \(rows ?? 0) rows") }
            return measured
        }
        return [
            (
                "StreamSession, in memory",
                try await receiveUnhandled(count * 20, MemoryStorage(servesSeveralAccounts: true))
            ),
            ("StreamSession, in SQLite", try await receiveUnhandled(count, try await database())),
            ("DurableSession, a row for each", try await receive(sendsReceipts: false)),
            ("DurableSession, a row and a receipt for each", try await receive(sendsReceipts: true)),
        ]
    }

    /// From a presence that asks for the messages until the last one is acknowledged.
    private func handled(_ count: Int, _ send: (Element) async throws -> SentStanza) async throws {
        let acknowledgements = server.acknowledgements(sending: count)
        _ = try await send(Element(stanza: "<presence/>"))
        for await handled in acknowledgements where handled >= count { break }
    }

    // MARK: Sessions

    private func measure(
        _ count: Int, _ session: StreamSession, _ work: () async throws -> Void
    ) async throws -> Measurement {
        let connector = try connector()
        let running = Task { try await session.run(connecting: connector) }
        try await enabled(session)
        let measured = try await Measurement(count, server, work)
        await session.close()
        _ = try await running.value
        return measured
    }

    private func measure(
        _ count: Int, _ session: DurableSession, _ work: () async throws -> Void
    ) async throws -> Measurement {
        let connector = try connector()
        let running = Task { try await session.run(connecting: connector) }
        try await enabled(session.stream)
        let measured = try await Measurement(count, server, work)
        await session.close()
        _ = try await running.value
        return measured
    }

    /// Waits until stream management is enabled.
    private func enabled(_ stream: StreamSession) async throws {
        while await stream.state != .enabled { try await Task.sleep(for: .milliseconds(1)) }
    }

    private static var configuration: StreamManagementConfiguration {
        var configuration = StreamManagementConfiguration.durable
        configuration.acknowledgementRequests = AcknowledgementTrigger(count: 5)
        configuration.acknowledgements = AcknowledgementTrigger(count: 5)
        return configuration
    }

    private func connector() throws -> XMPPConnector {
        var configuration = XMPPConnectorConfiguration()
        configuration.server = ServerEndpoint(host: "127.0.0.1", port: server.port, security: .unencrypted)
        configuration.mechanisms = [.plain]
        configuration.allowsPlainWithoutEncryption = true
        return try XMPPConnector(account: "alice@localhost", password: Password("secret"), configuration: configuration)
    }

    private func stream(_ storage: some StreamManagementStorage) async throws -> StreamSession {
        try await StreamSession(
            account: "alice@localhost", storage: storage, configuration: Self.configuration, handling: .whenConsumed)
    }

    private func durable(_ database: StanzaDatabase, sendsReceipts: Bool) async throws -> DurableSession {
        let session = try await DurableSession(
            account: "alice@localhost", database: database, registry: try HandlerRegistry(handlers: []),
            configuration: Self.configuration)
        let receipt = try Element(
            stanza: """
                <message to='juliet@example.org/balcony' id='8a1b4d63'>\
                <received xmlns='urn:xmpp:receipts' id='\(Message.id)'/></message>
                """)
        try await session.on("/{jabber:client}message/body") { stanza, work in
            try work.changes.add { transaction in
                try transaction.db.execute(
                    sql: "INSERT INTO inbox (id, stanza) VALUES (?, ?)",
                    arguments: [stanza["id"], Data(stanza.xmlBytes(in: .clientStream))])
            }
            if sendsReceipts { try work.send(receipt) }
        }
        await session.otherwise(.ignore)
        return session
    }

    private func database() async throws -> StanzaDatabase {
        let database = try await StanzaDatabase.open(at: folder.appending(path: "\(UUID().uuidString).db").path)
        try await database.write { transaction in
            try transaction.db.execute(
                sql: "CREATE TABLE inbox (number INTEGER PRIMARY KEY, id TEXT, stanza BLOB NOT NULL)")
        }
        return database
    }
}
