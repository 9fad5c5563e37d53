// A canceled connection attempt waits neither for name servers nor for silent servers.

import Foundation
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import XMPPTransport

@Suite(.endsInTime) struct CancelingTests {
    /// The stage at which a server stops responding.
    enum Stage: CaseIterable {
        case opening, securing, shakingHands, directTLS, authenticating, responding, reopening
    }

    private static func reach(_ stage: Stage, _ server: ScriptedConnection) async throws {
        switch stage {
        case .opening: try await server.hear("xmlns:stream='http://etherx.jabber.org/streams'>")
        case .securing, .shakingHands:
            try await server.open(ScriptedConnection.startTLSFeature)
            try await server.hear("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
            guard stage == .shakingHands else { return }
            try await server.say("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
            // The client's first message names the domain.
            try await server.hear("localhost")
        case .directTLS: try await server.hear("localhost")
        case .authenticating, .responding:
            try await server.open(ScriptedConnection.mechanisms("SCRAM-SHA-256"))
            let first = try await server.hearBase64(until: "</auth>")
            guard stage == .responding else { return }
            try await server.say(
                "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
                    + "\(ScriptedConnection.base64(SCRAMServer().first(first)))</challenge>")
            try await server.hear("</response>")
        case .reopening:
            try await server.logIn()
            try await server.hear("xmlns:stream='http://etherx.jabber.org/streams'>")
        }
    }

    @Test("Connecting can be canceled at every stage", arguments: Stage.allCases)
    func stages(stage: Stage) async throws {
        let reached = AsyncStream.makeStream(of: Void.self)
        let server = try await ScriptedServer { server in
            defer { reached.continuation.finish() }
            try await Self.reach(stage, server)
            reached.continuation.finish()
            try await server.wait()
        }
        var configuration = try XMPPConnectorConfiguration.testing()
        let security: ConnectionSecurity =
            switch stage {
            case .securing, .shakingHands: .startTLS
            case .directTLS: .directTLS
            case .opening, .authenticating, .responding, .reopening: .unencrypted
            }
        configuration.server = server.endpoint(security)
        let connector = try XMPPConnector(
            account: "alice@localhost", password: Password("secret"), configuration: configuration)
        let connecting = Task { try await connector.connect() }
        for await _ in reached.stream {}
        connecting.cancel()
        await #expect(throws: CancellationError.self) { try await connecting.value }
    }

    @Test("A silent resolver delays neither a canceled caller nor one past its time limit")
    func resolver() async throws {
        let end = DispatchSemaphore(value: 0)
        defer { for _ in 1...2 { end.signal() } }
        let asked = AsyncStream.makeStream(of: Void.self)
        let asking = Task {
            try await ServerFinder.answer(within: .seconds(3600)) {
                asked.continuation.finish()
                end.wait()
            }
        }
        for await _ in asked.stream {}
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        #expect(try await ServerFinder.answer(within: .milliseconds(10)) { end.wait() } == nil)
        #expect(try await ServerFinder.answer(within: .seconds(3600)) { 1 } == 1)
    }

    @Test("Abandoned resolvers block a limited number of threads") func resolvers() async throws {
        let end = DispatchSemaphore(value: 0)
        let begun = Counter()
        let threads = ServerFinder.threads(atMost: 1)
        for _ in 1...10 {
            let asking = Task {
                try await ServerFinder.answer(within: .seconds(3600), on: threads) {
                    begun.next()
                    end.wait()
                }
            }
            asking.cancel()
            await #expect(throws: CancellationError.self) { try await asking.value }
        }
        #expect(begun.value <= 1)
        end.signal()
        // The callers queued after the blocked one have left, so their requests are dropped.
        #expect(try await ServerFinder.answer(within: .seconds(3600), on: threads) { 1 } == 1)
        #expect(begun.value <= 1)
    }

    @Test("The caller does not wait for an operation that ignores cancellation") func deafness() async throws {
        let (end, endOfTest) = AsyncStream.makeStream(of: Void.self)
        defer { endOfTest.finish() }
        let begun = AsyncStream.makeStream(of: Void.self)
        let waiting = Task {
            try await untilCancelled {
                begun.continuation.finish()
                await Task { for await _ in end {} }.value
            }
        }
        for await _ in begun.stream {}
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(try await untilCancelled { 1 } == 1)
    }
}
