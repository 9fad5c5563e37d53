// Requests that a server does not accept. They end, and the app learns why.

import Foundation
import Handlers
import Persistence
import ServerSupport
import SessionCore
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPTransport

@testable import XMPPSession

@Suite(.fewAtOnce) struct RefusedRequestTests {
    init() { ServerKind.tellWhatIsMissing() }

    private static func request(to recipient: String, bytes: Int) -> Element {
        xml(
            "<iq type='set' to='\(recipient)'><vCard xmlns='vcard-temp'><NOTE>"
                + String(repeating: "x", count: bytes) + "</NOTE></vCard></iq>")
    }

    @Test("XEP-0478: a request that waits for a server with a lower limit ends with the reason")
    func limit() async throws {
        let folder = try TemporaryFolder()
        let home = try await Household(folder)
        let server = FakeServer()
        server.limit(to: 10_000)
        let request = Task { try await home.session.request(Self.request(to: "room@example.org", bytes: 10_000)) }
        try await eventually("the request waits") { await home.session.stream.unacknowledged.count == 1 }
        try await home.run(server) {
            await #expect(throws: RequestError.deadLettered(.tooLarge(limit: 10_000))) { try await request.value }
            #expect(server.stanzas.isEmpty)
        }
    }

    @Test("XEP-0478: a stored request that waits for a server with a lower limit ends, too")
    func limitOfStoredRequest() async throws {
        let folder = try TemporaryFolder()
        let home = try await Household(folder)
        let server = FakeServer()
        server.limit(to: 10_000)
        try await home.session.request(
            Self.request(to: "room@example.org", bytes: 10_000), handler: home.handler(), timeout: .seconds(86_400))
        try await home.run(server) {
            try await eventually("it has ended") { try await home.requests().isEmpty }
        }
        #expect(home.journal.all == ["ended disconnected"])
        #expect(server.stanzas.isEmpty)
    }

    @Test("A handler whose request is a dead letter has failed: a lost connection would only repeat it")
    func handlers() {
        func failure(_ error: RequestError) -> DurableSessionCore.Failure {
            DurableSessionCore.Failure(error, lookUp: nil, isInputHeldUp: false, isClosed: false)
        }
        #expect(failure(.deadLettered(.losses(5))) == .failed)
        #expect(failure(.disconnected) == .interrupted)
    }

    @Test("A request beyond Prosody's limit ends at once and is not sent again")
    func prosody() async throws {
        guard ServerKind.tested.contains(.prosody) else { return }
        let server = try await SharedServers.all.server(.prosody, for: "refused requests")
        let folder = try TemporaryFolder()
        let database = try await StanzaDatabase.open(at: folder.database)
        let session = try await DurableSession(
            account: "alice@localhost", database: database, registry: HandlerRegistry(handlers: []),
            configuration: .patient)
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
            try await session.request(Self.request(to: "localhost", bytes: 300_000), timeout: .seconds(86_400))
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
