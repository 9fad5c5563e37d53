// Connecting to scripted servers that break rules.

import ServerSupport
import StreamManagement
import TestSupport
import Testing

@testable import XMPPTransport

/// A suite with servers that break rules.
protocol HostileServers {}

extension HostileServers {
    typealias Script = @Sendable (ScriptedConnection) async throws -> Void

    /// Connects to a server with this script.
    func connect(
        _ security: ConnectionSecurity = .unencrypted, as identity: ServerIdentity? = nil,
        change: (inout XMPPConnectorConfiguration) -> Void = { _ in }, _ script: @escaping Script
    ) async throws -> (ConnectedStream, ScriptedServer) {
        let server = try await ScriptedServer(identity, script)
        return (try await connector(to: server, security, change: change).connect(), server)
    }

    func connector(
        to server: ScriptedServer, _ security: ConnectionSecurity = .unencrypted,
        change: (inout XMPPConnectorConfiguration) -> Void = { _ in }
    ) throws -> XMPPConnector {
        var configuration = try XMPPConnectorConfiguration.testing(server.endpoint(security))
        change(&configuration)
        return try XMPPConnector(
            account: "alice@localhost", password: Password("secret"), configuration: configuration)
    }

    /// The error that a script causes.
    func failure(
        _ security: ConnectionSecurity = .unencrypted, as identity: ServerIdentity? = nil,
        change: (inout XMPPConnectorConfiguration) -> Void = { _ in }, _ script: @escaping Script
    ) async throws -> XMPPConnectionError? {
        await #expect(throws: XMPPConnectionError.self) {
            try await connect(security, as: identity, change: change, script)
        }
    }

    /// Runs a session on a server, and returns its first two events.
    func firstEvents(on server: ScriptedServer) async throws -> [SessionEvent] {
        let connector = try connector(to: server, .startTLS)
        let session = try await StreamSession(account: "alice@localhost", storage: MemoryStorage())
        let events = await session.events()
        var policy = ReconnectionPolicy()
        policy.first = .milliseconds(1)
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        // A run that ends before the second event ends the wait for it.
        let end = Task {
            _ = await run.result
            await session.close()
        }
        var told: [SessionEvent] = []
        for await event in events {
            told.append(event)
            if told.count == 2 { break }
        }
        run.cancel()
        await end.value
        withExtendedLifetime(server) {}
        return told
    }
}
