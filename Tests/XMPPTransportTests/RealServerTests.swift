// Connections to real servers on the loopback interface, in every possible way.

import Foundation
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import XMPPTransport

@Suite(.endsInTime) struct RealServerTests {
    init() { ServerKind.tellWhatIsMissing() }

    /// A way to connect.
    enum Way: String, CaseIterable, Sendable {
        case unencrypted, startTLS, directTLS
    }

    static func configuration(_ way: Way, _ server: RunningServer) throws -> XMPPConnectorConfiguration {
        var configuration = try XMPPConnectorConfiguration.testing()
        configuration.server =
            switch way {
            case .unencrypted: ServerEndpoint(host: "127.0.0.1", port: server.port, security: .unencrypted)
            case .startTLS: ServerEndpoint(host: "127.0.0.1", port: server.port, security: .startTLS)
            case .directTLS: ServerEndpoint(host: "127.0.0.1", port: server.securePort, security: .directTLS)
            }
        return configuration
    }

    @Test(arguments: ServerKind.tested, Way.allCases)
    func connects(kind: ServerKind, way: Way) async throws {
        let server = try await SharedServers.all.server(kind, for: "transport")
        let connector = try XMPPConnector(
            account: "alice@localhost", password: Password("secret"),
            configuration: try Self.configuration(way, server))
        let connected = try await server.whenReady { try await connector.connect() }
        #expect(connected.isEncrypted == (way != .unencrypted))
        #expect(connected.features.supportsStreamManagement)
        let address = try await connected.transport.bind()
        #expect(address.hasPrefix("alice@localhost/"))
        try await connected.transport.send(Array("<iq type='get' id='p'><ping xmlns='urn:xmpp:ping'/></iq>".utf8))
        let answer = try #require(try await connected.transport.receive())
        #expect(answer["id"] == "p" && answer["type"] == "result")
        await connected.transport.close()
        #expect(try await connected.transport.receive() == nil)
    }
}

extension RealServerTests {
    @Test("A session runs on connections over TLS until it is closed", arguments: ServerKind.tested)
    func session(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "transport")
        let first = try XMPPConnector(
            account: "alice@localhost", password: Password("secret"),
            configuration: try Self.configuration(.unencrypted, server))
        _ = try await server.whenReady { try await first.connect() }
        let secret = "secret"
        var configuration = try Self.configuration(.startTLS, server)
        configuration.userAgent = UserAgent(id: UUID(), software: "tests")
        let session = try await StreamSession(
            account: "alice@localhost", storage: MemoryStorage(), configuration: .patient)
        let events = await session.events()
        let closing = Task {
            for await event in events {
                if case .enabled = event { break }
            }
            await session.close()
        }
        let connector = try XMPPConnector(
            account: "alice@localhost", password: Password(secret), configuration: configuration)
        let end = try await session.run(connecting: connector)
        await closing.value
        guard case .closed = end else {
            Issue.record("expected the session's end to end the run, not \(end)")
            return
        }
        #expect(await session.state != .enabled)
    }
}

extension RealServerTests {
    /// Prosody acknowledges only on request, so that a full queue has to request an acknowledgement.
    @Test(
        "With the default bounds and requests, 10,000 messages are sent in a row", arguments: ServerKind.tested)
    func manyMessages(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "transport")
        func connector(_ user: String) throws -> XMPPConnector {
            try XMPPConnector(
                account: JID(localpart: user, domain: "localhost"), password: Password("secret"),
                configuration: try Self.configuration(.startTLS, server))
        }
        let bob = try await server.whenReady { try await connector("bob").connect().transport }
        let address = try await bob.bind()
        let reading = Task {
            var ids: [String] = []
            while ids.count < 10_000, let stanza = try await bob.receive() {
                if stanza.name == "message", let id = stanza["id"] { ids.append(id) }
            }
            return ids
        }
        var configuration = StreamManagementConfiguration()
        // The session gives up no stream because a task waits for its thread.
        configuration.acknowledgementTimeout = .zero
        configuration.negotiationTimeout = .zero
        configuration.closingTimeout = .zero
        let session = try await StreamSession(
            account: "alice@localhost", storage: MemoryStorage(), configuration: configuration)
        let connectorOfAlice = try connector("alice")
        let run = Task { try await session.run(connecting: connectorOfAlice) }
        for number in 1...10_000 {
            try await session.send(
                Element(stanza: "<message type='chat' id='m\(number)' to='\(address)'/>"))
        }
        #expect(try await reading.value == (1...10_000).map { "m\($0)" })
        try await eventually("all are acknowledged") { await session.unacknowledged.isEmpty }
        await session.close()
        _ = try await run.value
        await bob.close()
    }
}

extension StreamManagementConfiguration {
    /// The configuration of sessions that resume whenever possible. A timeout of zero means none.
    static let patient: StreamManagementConfiguration = {
        var configuration = StreamManagementConfiguration()
        configuration.resumesAutomatically = true
        configuration.acknowledgementTimeout = .zero
        configuration.negotiationTimeout = .zero
        configuration.closingTimeout = .zero
        return configuration
    }()
}

extension XMPPConnectorConfiguration {
    /// Trusts the tests' authority. The timeouts only end tests that hang.
    static func testing(_ server: ServerEndpoint? = nil) throws -> XMPPConnectorConfiguration {
        var configuration = XMPPConnectorConfiguration()
        configuration.server = server
        configuration.trustRoots = .certificates(pem: try Certificates.shared.get().authority)
        configuration.timeouts = .patient
        return configuration
    }
}

extension ConnectionTimeouts {
    static let patient: ConnectionTimeouts = {
        var timeouts = ConnectionTimeouts()
        timeouts.attempt = .seconds(600)
        timeouts.stagger = .seconds(600)
        timeouts.find = .seconds(600)
        timeouts.bind = .seconds(600)
        timeouts.close = .seconds(600)
        return timeouts
    }()
}

extension RunningServer {
    /// Repeats the body until the server is ready. Servers create their accounts after they have opened their port.
    func whenReady<Value>(_ body: () async throws -> Value) async throws -> Value {
        let deadline = ContinuousClock.now + .seconds(600)
        while true {
            do {
                return try await body()
            } catch XMPPConnectionError.authenticationFailed where ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}
