// A process of alice's with a durable session, for tests with real servers.

import GRDB
import Handlers
import Locking
import Persistence
import StreamManagement
import TestSupport
import XMLTree
import XMPPTransport

@testable import XMPPSession
@testable import XMPPSessionTests

/// A session of `alice@localhost` that greets its server and reconnects at once.
final class Phone: Sendable {
    let session: DurableSession
    private let folder: TemporaryFolder
    private let database: StanzaDatabase
    private let connector: XMPPConnector
    private let returned = Lock<[StanzaError]>([])
    private let events = Lock<[SessionEvent]>([])
    private let run = Lock<Task<StreamEnd, any Error>?>(nil)

    /// - Parameters:
    ///   - port: The port of the server, or of a link to it.
    ///   - greeting: The stanzas of the greeting.
    ///   - change: Changes a configuration that requests an acknowledgement after each stanza.
    init(
        port: UInt16, greeting: [String],
        change: (inout StreamManagementConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.acknowledgementRequests = AcknowledgementTrigger(count: 1, interval: .zero)
        change(&configuration)
        folder = try TemporaryFolder()
        database = try await StanzaDatabase.open(at: folder.database)
        session = try await DurableSession(
            account: "alice@localhost", database: database, registry: HandlerRegistry(handlers: []),
            configuration: configuration)
        connector = try Stranger.connector("alice", port: port)
        try await database.write { try $0.db.execute(sql: "CREATE TABLE inbox (id TEXT)") }
        // The route of the documentation.
        try await session.on("/{jabber:client}message/body") { stanza, work in
            if stanza["type"] == "error" { return }
            try work.changes.add { transaction in
                try transaction.db.execute(sql: "INSERT INTO inbox VALUES (?)", arguments: [stanza["id"]])
            }
        }
        try await session.on("/<type=error>") { [weak self] stanza, _ in
            if let error = StanzaError(stanza) { self?.returned.withLock { $0.append(error) } }
        }
        await session.otherwise(.ignore)
        await session.onNewSession { work in for text in greeting { try work.send(xml(text)) } }
        let reported = await session.stream.events()
        Task { [weak self] in for await event in reported { self?.events.withLock { $0.append(event) } } }
    }

    /// Connects, and returns when the session is enabled.
    func start() async throws {
        var policy = ReconnectionPolicy()
        policy.first = .milliseconds(1)
        policy.shortest = .milliseconds(1)
        policy.maximum = .milliseconds(20)
        let hasEnded = Counter()
        run.withLock { [session, connector, policy] in
            $0 = Task {
                defer { hasEnded.next() }
                return try await session.run(connecting: connector, policy: policy)
            }
        }
        try await eventually("alice's session runs") { await session.stream.state == .enabled || hasEnded.value > 0 }
        if hasEnded.value > 0 { _ = try await run.withLock(\.self)?.value }
    }

    func close() async throws {
        await session.close(waiting: .seconds(600))
        _ = try await run.withLock(\.self)?.value
        database.close()
    }

    @discardableResult func send(_ text: String) async throws -> SentStanza { try await session.send(xml(text)) }

    /// The messages that the route has stored.
    var received: [String?] {
        get async throws { try await database.read { try String?.fetchAll($0.db, sql: "SELECT id FROM inbox") } }
    }

    /// The errors that have arrived, except for those that answer requests.
    var errors: [StanzaError] { returned.withLock(\.self) }

    func count(_ event: SessionEvent) -> Int { events.withLock { $0.count { $0 == event } } }
}
