// Enabling and resuming within the authentication, with mod_sasl2, mod_sasl2_bind2 and mod_sasl2_sm of Debian's
// prosody-modules. Debian 12's Prosody 0.12 lacks functions that they call;
// Tests/ServerSupport/prosody-modules has them.

import Foundation
import Locking
import ServerSupport
import StreamManagement
import Testing
import XMLTree
import XMPPCore

@testable import XMPPTransport

@Suite(.endsInTime) struct InlineResumptionTests {
    private static let modules = ["sasl2", "sasl2_bind2", "sasl2_sm", "smacks_inline", "tls_info"]

    @Test("Prosody's modules enable and resume a session within the authentication, and nothing is lost")
    func resumes() async throws {
        guard ServerKind.tested.contains(.prosody) else { return ServerKind.tellWhatIsMissing() }
        let server = try await SharedServers.all.server(.prosody, for: "inline", modules: Self.modules)
        let alice = try Self.connector("alice@localhost", server)
        let bob = try await Self.connector("bob@localhost", server).connect()
        _ = try await bob.transport.bind()
        try await bob.transport.send(Array("<presence/>".utf8))

        let session = try await StreamSession(
            account: "alice@localhost", storage: MemoryStorage(), configuration: .patient)
        let watched = WatchedConnector(alice)
        var policy = ReconnectionPolicy()
        policy.first = .zero
        policy.probeInterval = .zero
        let events = await session.events()
        let run = Task { try await session.run(connecting: watched, tag: "swift", policy: policy) }
        var occurred: [String] = []
        for await event in events {
            switch event {
            case .enabled(_, let resumption):
                occurred.append(resumption == nil ? "enabled" : "resumable")
                let address = try #require(await session.address)
                // The message arrives without a connection, or without an acknowledgement.
                await watched.atNextConnection {
                    try await bob.transport.send(
                        Array("<message to='\(address)' type='chat' id='while-away'><body>hello</body></message>".utf8))
                    // The server answers bob's ping after it has taken the message.
                    try await bob.transport.send(
                        Array("<iq type='get' to='localhost' id='p'><ping xmlns='urn:xmpp:ping'/></iq>".utf8))
                    while let stanza = try await bob.transport.receive(), stanza["id"] != "p" {}
                }
                await watched.cut()
                try await session.send(
                    try Element(
                        parsing: "<message to='bob@localhost' type='chat' id='from-alice'><body>hello</body></message>",
                        in: .clientStream))
            case .resumed: occurred.append("resumed")
            case .notResumed, .sessionLost: occurred.append("lost")
            default: continue
            }
            if occurred.count == 2 { break }
        }
        #expect(occurred == ["resumable", "resumed"])
        for await stanza in session.stanzas where stanza.element["id"] == "while-away" { break }
        while let stanza = try await bob.transport.receive(), stanza["id"] != "from-alice" {}
        #expect(await session.didResume)
        #expect(await watched.inline.map(\.isResumed) == [false, true])
        await session.close()
        _ = try await run.value
        await bob.transport.close()
    }

    private static func connector(_ account: JID, _ server: RunningServer) throws -> XMPPConnector {
        var configuration = try XMPPConnectorConfiguration.testing(
            ServerEndpoint(host: "127.0.0.1", port: server.port, security: .startTLS))
        configuration.keepAlive.pingTimeout = .seconds(600)
        configuration.userAgent = UserAgent(id: UUID(), software: "tests")
        return try XMPPConnector(account: account, password: Password("secret"), configuration: configuration)
    }
}

/// Records the result of each authentication, can cut the connection, and runs an action before it makes the next one.
private actor WatchedConnector: StreamConnector {
    private let connector: XMPPConnector
    private var transport: (any StanzaTransport)?
    private var beforeConnecting: (@Sendable () async throws -> Void)?
    private(set) var inline: [InlineNegotiation.Result] = []

    init(_ connector: XMPPConnector) { self.connector = connector }

    func atNextConnection(_ body: @escaping @Sendable () async throws -> Void) { beforeConnecting = body }

    func cut() async { await transport?.abort() }

    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        try await beforeConnecting?()
        beforeConnecting = nil
        let connected = try await connector.connect(to: location, inline: inline)
        transport = connected.transport
        if let result = connected.inline { self.inline.append(result) }
        return connected
    }
}
