// A request that Prosody does not accept. It ends, and the app learns why.

import Handlers
import Persistence
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPTransport

@testable import XMPPSession
@testable import XMPPSessionTests

@Suite(.fewAtOnce) struct RefusedRequestServerTests {
    init() { ServerKind.tellWhatIsMissing() }

    @Test("A request beyond Prosody's limit ends at once and is not sent again")
    func prosody() async throws {
        guard ServerKind.tested.contains(.prosody) else { return }
        let server = try await SharedServers.all.server(.prosody, for: "refused requests")
        let folder = try TemporaryFolder()
        let database = try await StanzaDatabase.open(at: folder.database)
        let session = try await DurableSession(
            account: "alice@localhost", database: database, registry: HandlerRegistry(handlers: []),
            configuration: .patient)
        await session.otherwise(.ignore)
        let events = await session.stream.events()
        var configuration = XMPPConnectorConfiguration()
        configuration.server = ServerEndpoint(host: "127.0.0.1", port: server.port, security: .unencrypted)
        let connector = try XMPPConnector(
            account: "alice@localhost", password: Password("secret"), configuration: configuration)
        var policy = ReconnectionPolicy()
        policy.first = .milliseconds(1)
        policy.shortest = .milliseconds(1)
        policy.maximum = .milliseconds(100)
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        let streams = Task {
            var ends: [StreamEnd] = []
            for await event in events { if case .disconnected(let end) = event { ends.append(end) } }
            return ends
        }
        // The server ends the session, and with it the request.
        await #expect(throws: RequestError.disconnected) {
            try await session.request(
                RefusedRequestTests.request(to: "localhost", bytes: 300_000), timeout: .seconds(86_400))
        }
        let ping = xml("<iq type='get' to='localhost'><ping xmlns='urn:xmpp:ping'/></iq>")
        #expect(try await session.request(ping, timeout: .seconds(86_400))["type"] == "result")
        #expect(await session.stream.unacknowledged.allSatisfy { $0.element.child("vCard") == nil })
        await session.close()
        _ = try await run.value
        database.close()
        #expect(await !streams.value.isEmpty)
    }
}
