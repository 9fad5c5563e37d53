// Stanzas beyond Prosody's limit of 256 KiB, on its connections with and without TLS.

import Foundation
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import XMPPTransport

@Suite(.endsInTime) struct LargeStanzaTests {
    private static func message(_ id: String, bytes: Int, to recipient: String = "bob@localhost") throws -> Element {
        MutableElement(
            "message", namespace: .uri("jabber:client"), attributes: ["type": "chat", "id": id, "to": recipient]
        ) {
            MutableElement("body", text: String(repeating: "x", count: bytes))
        }.freeze()
    }

    /// Prosody closes the connection before it has read such a stanza, so the system resets the connection.
    @Test(
        "A message of megabytes becomes a dead letter, and the next one is acknowledged",
        arguments: [300_000, 1_000_000, 3_000_000], [RealServerTests.Way.unencrypted, .startTLS])
    func deadLetter(bytes: Int, way: RealServerTests.Way) async throws {
        guard ServerKind.tested.contains(.prosody) else { return }
        let server = try await SharedServers.all.server(.prosody, for: "transport")
        let connector = try XMPPConnector(
            account: "alice@localhost", password: Password("secret"),
            configuration: try RealServerTests.configuration(way, server))
        let bob = try await TestAccount("bob", on: server)
        try await bob.connect()
        let bobAddress = await bob.address
        let session = try await StreamSession(
            account: "alice@localhost", storage: MemoryStorage(), configuration: .patient)
        let events = await session.events()
        let first = try await session.send(Self.message("first", bytes: 1, to: bobAddress))
        let large = try await session.send(Self.message("large", bytes: bytes, to: bobAddress))
        let next = try await session.send(Self.message("next", bytes: 1, to: bobAddress))
        var policy = ReconnectionPolicy()
        policy.first = .milliseconds(1)
        policy.shortest = .milliseconds(1)
        policy.maximum = .milliseconds(10)
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        #expect(await large.outcome() == .failed)
        #expect(large.deadLetterReason == .losses(5))
        try await eventually("the next message is acknowledged") {
            try? await session.requestAcknowledgement()
            return next.state == .acknowledged
        }
        #expect(await first.outcome() == .acknowledged)
        try await eventually("both arrive") { Set(await bob.messages) == ["first", "next"] }
        await session.close()
        _ = try await run.value
        await bob.session.close()
        var complaints = 0
        for await event in events {
            if case .disconnected(.abandoned(.streamError)) = event { complaints += 1 }
            if case .deadLettered(let stanza, _) = event { #expect(stanza.number == large.number) }
        }
        // The session has read the reason, and not only the end of the connection.
        #expect(complaints > 0)
    }

    @Test(
        "A message of megabytes becomes a dead letter even while the app reads nothing",
        arguments: [RealServerTests.Way.unencrypted, .startTLS])
    func unreadStanzas(way: RealServerTests.Way) async throws {
        guard ServerKind.tested.contains(.prosody) else { return }
        let server = try await SharedServers.all.server(.prosody, for: "transport")
        func connector(_ user: String) throws -> XMPPConnector {
            try XMPPConnector(
                account: JID(localpart: user, domain: "localhost"), password: Password("secret"),
                configuration: try RealServerTests.configuration(way, server))
        }
        let bob = try await server.whenReady { try await connector("bob").connect() }.transport
        _ = try await bob.bind()
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumUnhandled = 1
        let session = try await StreamSession(
            account: "alice@localhost", storage: MemoryStorage(), configuration: configuration,
            handling: .deciding { _ in .pending(id: nil) })
        let alice = try connector("alice")
        var policy = ReconnectionPolicy()
        policy.first = .milliseconds(1)
        policy.shortest = .milliseconds(1)
        policy.maximum = .milliseconds(10)
        let run = Task { [policy] in try await session.run(connecting: alice, policy: policy) }
        try await eventually("the session is bound") { await session.address != nil }
        let address = try #require(await session.address)
        // From then on, only writes show the end of a connection.
        try await bob.send(Array("<message to='\(address)' id='unread'/>".utf8))
        try await eventually("the session pauses reading") { await session.isInputHeldUp }
        let large = try await session.send(Self.message("large", bytes: 3_000_000))
        #expect(await large.outcome() == .failed)
        #expect(large.deadLetterReason == .losses(5))
        await bob.close()
        await session.close()
        _ = try await run.value
    }
}
