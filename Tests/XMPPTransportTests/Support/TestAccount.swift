// A test's account on a real server.

import Foundation
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPCore
import XMPPTransport

/// A session, its current connection, and all that it has received.
actor TestAccount {
    let session: StreamSession
    private let server: RunningServer
    private let connector: XMPPConnector
    private var transport: (any StanzaTransport)?
    private var run: Task<StreamEnd, any Error>?
    private(set) var received: [Element] = []
    private(set) var events: [SessionEvent] = []

    init(
        _ user: String, on server: RunningServer, storage: MemoryStorage = MemoryStorage(),
        policy: FailurePolicy = .resendMessages
    ) async throws {
        self.server = server
        let account = try JID(localpart: user, domain: "localhost")
        connector = try XMPPConnector(
            account: account, password: Password("secret"),
            configuration: RealServerTests.configuration(.unencrypted, server))
        var configuration = StreamManagementConfiguration.patient
        configuration.failurePolicy = policy
        configuration.acknowledgementRequests = .init(count: 5, interval: .milliseconds(100))
        session = try await StreamSession(account: account, storage: storage, configuration: configuration)
    }

    /// Two accounts that are connected.
    static func pair(on server: RunningServer) async throws -> (alice: TestAccount, bob: TestAccount) {
        let pair = (try await TestAccount("alice", on: server), try await TestAccount("bob", on: server))
        try await pair.0.connect()
        try await pair.1.connect()
        return pair
    }

    /// Connects, and waits until stanzas may be sent.
    func connect() async throws {
        if run == nil { listen(await session.events()) }
        let stream = try await server.whenReady { @Sendable [connector] in try await connector.connect() }
        #expect(stream.features.supportsStreamManagement)
        transport = stream.transport
        let session = session
        run = Task { try await session.run(on: stream.transport, features: stream.features) }
        try await eventually("\(session.account) is connected") { await session.state == .enabled }
    }

    private func listen(_ events: AsyncStream<SessionEvent>) {
        Task { for await event in events { note(event) } }
        Task { for await stanza in session.stanzas { note(stanza.element) } }
    }

    private func note(_ event: SessionEvent) { events.append(event) }

    private func note(_ stanza: Element) { received.append(stanza) }

    /// Cuts the connection in the middle of everything.
    func cut() async throws {
        await transport?.abort()
        _ = try await run?.value
    }

    /// How the last stream ended.
    func end() async throws -> StreamEnd? { try await run?.value }

    var address: String {
        get async { await session.address ?? "" }
    }

    /// The ids of the messages received so far, in order.
    var messages: [String] { received.filter { $0.name == "message" }.compactMap { $0["id"] } }

    @discardableResult
    func say(_ id: String, to address: String) async throws -> SentStanza {
        try await session.send(
            element("<message type='chat' id='\(id)' to='\(address)'><body>\(id)</body></message>"))
    }
}

func element(_ xml: String) throws -> Element { try Element(stanza: xml) }
