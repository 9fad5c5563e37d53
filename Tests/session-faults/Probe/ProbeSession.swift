// The application of the probe: it stores received messages in a table, and logs the states of sent stanzas.

import Foundation
import GRDB
import Handlers
import Persistence
import SessionFaults
import StreamManagement
import XMLTree
import XMPPSession
import XMPPTransport

/// The arguments of the process.
struct ProbeSetup: Sendable {
    static let account: JID = "alice@localhost"

    let folder: String
    let port: UInt16
    /// Names this life of this process, in the log and in identifiers.
    let life: String
    let isApp: Bool
    let policy: FailurePolicy
    let seed: UInt64
    let mistake: Mistake?
    /// Ends the process at one of the statements of an operation.
    var moments: Moments?
    var killIn = Operation.message

    /// The operation during which the process is killed.
    enum Operation: String {
        case message, request, answer
    }

    /// Notes the beginning of an operation.
    func begin(_ operation: Operation) {
        if operation == killIn { moments?.begin() }
    }
}

/// Gives handlers of answers the setup.
final class AnswerWatch: Sendable {
    private let setup: ProbeSetup

    init(_ setup: ProbeSetup) { self.setup = setup }

    func begin() { setup.begin(.answer) }
}

struct ProbeSession: Sendable {
    let setup: ProbeSetup
    let log: ProbeLog
    let database: StanzaDatabase
    let promises: PromiseCenter
    let handlers: HandlerDispatcher
    let session: DurableSession

    init(_ setup: ProbeSetup) async throws {
        self.setup = setup
        log = try ProbeLog(path: setup.folder + "/reported.log", life: setup.life)
        var options = StanzaDatabase.Options()
        if let moments = setup.moments { options.statementObserver = { moments.pass($0) } }
        database = try await StanzaDatabase.open(at: setup.folder + "/session.db", options: options)
        try await database.write { transaction in
            try transaction.db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS inbox (number INTEGER PRIMARY KEY, id TEXT NOT NULL, session TEXT);
                    CREATE TABLE IF NOT EXISTS outcome (request TEXT NOT NULL, outcome TEXT NOT NULL);
                    """)
        }
        promises = try await PromiseCenter.start(store: database, role: setup.isApp ? .consumer : .resolver)
        let registry = try HandlerRegistry(handlers: ProbeHandlers.all)
        handlers = HandlerDispatcher(registry: registry)
        var configuration = StreamManagementConfiguration.durable
        configuration.failurePolicy = setup.policy
        configuration.acknowledgementRequests = AcknowledgementTrigger(count: 3, interval: .milliseconds(100))
        configuration.acknowledgements = AcknowledgementTrigger(count: 3, interval: .milliseconds(100))
        configuration.acknowledgementTimeout = .seconds(3)
        configuration.negotiationTimeout = .seconds(3)
        configuration.closingTimeout = .seconds(1)
        // Here the test kills the process during the handling of a stanza; the stanza is not the cause.
        configuration.maximumHandlingAttempts = 1_000_000
        session = try await DurableSession(
            account: ProbeSetup.account, database: database, registry: registry, promises: promises,
            arguments: ["log": log, "watch": AnswerWatch(setup)], configuration: configuration, takingOver: true)
        session.report { [log] report in
            // Only presence has no identifier.
            let id = report.id?.rawValue ?? "presence"
            log.note("\(report.state)", id)
        }
        try await session.on("/{jabber:client}message/body") { [database, setup] message, work in
            guard let id = message["id"] else { return }
            setup.begin(.message)
            if setup.mistake == .insertEarly {
                try await database.write { try Self.insert(id, $0) }
            } else {
                try work.changes.add { try Self.insert(id, $0) }
            }
            if !id.hasPrefix("marker") { try work.send(Self.message("re-\(id)")) }
        }
        await session.otherwise(.ignore)
    }

    /// Adds a message to the application's table, with its session.
    private static func insert(_ id: String, _ transaction: DatabaseTransaction) throws {
        try transaction.db.execute(
            sql: """
                INSERT INTO inbox (id, session)
                VALUES (?, (SELECT resumptionID FROM stanza_session WHERE account = ?))
                """, arguments: [id, ProbeSetup.account.description])
    }

    /// A message for bob.
    static func message(_ id: String) throws -> Element {
        MutableElement(
            "message", namespace: .uri("jabber:client"),
            attributes: ["to": "bob@localhost", "type": "chat", "id": id]
        ) { MutableElement("body", text: "what \(id) says") }.freeze()
    }

    static func presence(isAvailable: Bool = true) throws -> Element {
        try Element(parsing: isAvailable ? "<presence/>" : "<presence type='unavailable'/>", in: .clientStream)
    }

    // MARK: Running

    /// Takes the session over from any other owner, and runs it until it ends.
    func run() async {
        var policy = ReconnectionPolicy()
        policy.first = .milliseconds(20)
        policy.maximum = .milliseconds(200)
        policy.probeInterval = .milliseconds(500)
        do {
            let end = try await session.run(connecting: try connector(), policy: policy, takingOver: true)
            log.note("end", "\(end)".prefix { $0 != "(" }.description)
        } catch {
            log.note("end", "error", "\(type(of: error))")
        }
    }

    /// Sends presence in each new or resumed session, so that the server sends it the account's messages.
    func announce() async {
        for await event in await session.stream.events() {
            switch event {
            case .enabled: await announce("enabled")
            case .resumed: await announce("resumed")
            case .notResumed: log.note("notResumed")
            case .sessionLost: log.note("sessionLost")
            default: break
            }
        }
    }

    private func announce(_ word: String) async {
        log.note(word)
        _ = try? await session.send(Self.presence())
    }

    private func connector() throws -> XMPPConnector {
        var configuration = XMPPConnectorConfiguration()
        let authority = try? String(contentsOfFile: setup.folder + "/authority.pem", encoding: .utf8)
        configuration.server = ServerEndpoint(
            host: "127.0.0.1", port: setup.port, security: authority == nil ? .unencrypted : .startTLS)
        if let authority { configuration.trustRoots = .certificates(pem: authority) }
        configuration.mechanismStore = database
        configuration.timeouts.bind = .seconds(5)
        return try XMPPConnector(
            account: ProbeSetup.account, password: Password("secret"), configuration: configuration)
    }
}
