// One attempt at several servers: after a proof of the password, no other server gets one in the same attempt.

import ServerSupport
import StreamManagement
import TestSupport
import Testing

@testable import XMPPTransport

@Suite(.endsInTime) struct AttemptTests {
    /// A server's fault after it has the client's proof.
    enum Fault: String, CaseIterable {
        case wrongSignature, noSignature, malformedRequest, temporaryFailure, cut, redirection
    }

    private static let namespace = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"

    private func connector(
        change: (inout XMPPConnectorConfiguration) -> Void = { _ in }
    ) throws -> XMPPConnector {
        var configuration = try XMPPConnectorConfiguration.testing()
        change(&configuration)
        return try XMPPConnector(
            account: "alice@localhost", password: Password("secret"), configuration: configuration)
    }

    /// A server that accepts the user, and counts its connections.
    private func honest(_ count: Counter) async throws -> ScriptedServer {
        try await ScriptedServer(.localhost) { server in
            count.next()
            try await server.logIn()
            try await server.open("")
            try await server.wait()
        }
    }

    /// Connects to the first of two servers that answers.
    private func connect(
        _ first: ScriptedServer, _ second: ScriptedServer,
        change: (inout XMPPConnectorConfiguration) -> Void = { _ in }
    ) async throws -> ConnectedStream {
        defer { withExtendedLifetime((first, second)) {} }
        return try await connector(change: change).connect(
            toFirstOf: [first, second].map { $0.endpoint(.directTLS) }, inline: { _ in [] })
    }

    /// Lets the client log in up to its proof.
    private static func takeProof(_ server: ScriptedConnection) async throws {
        let scram = SCRAMServer()
        try await server.open(ScriptedConnection.mechanisms("SCRAM-SHA-256"))
        let first = try await server.hearBase64(until: "</auth>")
        try await server.say("<challenge \(namespace)>\(ScriptedConnection.base64(scram.first(first)))</challenge>")
        try await server.hear("</response>")
    }

    /// Takes the proof, and answers it with a fault.
    private static func fail(_ fault: Fault, _ server: ScriptedConnection, otherPort: UInt16) async throws {
        try await takeProof(server)
        switch fault {
        case .wrongSignature:
            try await server.say("<success \(namespace)>\(ScriptedConnection.base64("v=AAAA"))</success>")
        case .noSignature: try await server.say("<success \(namespace)/>")
        case .malformedRequest: try await server.say("<failure \(namespace)><malformed-request/></failure>")
        case .temporaryFailure: try await server.say("<failure \(namespace)><temporary-auth-failure/></failure>")
        case .cut: return
        case .redirection:
            try await server.say(
                "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>127.0.0.1:\(otherPort)"
                    + "</see-other-host></stream:error></stream:stream>")
        }
        try await server.wait()
    }

    @Test("After a fault of a server that has a proof, no other server gets one", arguments: Fault.allCases)
    func faultAfterProof(fault: Fault) async throws {
        let count = Counter()
        let second = try await honest(count)
        let port = second.port
        let first = try await ScriptedServer(.localhost) { try await Self.fail(fault, $0, otherPort: port) }
        let failure = await #expect(throws: XMPPConnectionError.self) {
            try await connect(first, second)
        }
        #expect(count.value == 0)
        #expect(failure?.isFinal == false)
        switch fault {
        case .wrongSignature: #expect(failure == .serverNotAuthentic(.wrongSignature))
        case .noSignature: #expect(failure == .serverNotAuthentic(.noSignature))
        case .malformedRequest: #expect(failure == .bindingRefused(text: nil))
        case .temporaryFailure:
            #expect(failure == .authenticationFailed(condition: "temporary-auth-failure", text: nil))
        case .cut: #expect(failure == .connectionReset)
        case .redirection:
            guard case .streamError(let error)? = failure else {
                Issue.record("expected the redirection as an error, found \(String(describing: failure))")
                return
            }
            #expect(error.otherHost == ServerLocation("127.0.0.1:\(port)"))
        }
    }

    @Test("A server that takes the proof and is silent ends the attempt by its timeout") func silence() async throws {
        // On a machine without a free thread, a time may be over before the proof: the next one is longer.
        for seconds in [1, 10, 100] {
            let proofs = Counter()
            let count = Counter()
            let first = try await ScriptedServer(.localhost) { server in
                try await Self.takeProof(server)
                proofs.next()
                try await server.wait()
            }
            let second = try await honest(count)
            let result = await Task {
                try await connect(first, second) { $0.timeouts.attempt = .seconds(seconds) }
            }.result
            if proofs.value == 0 { continue }
            #expect(throws: XMPPConnectionError.timedOut(.authenticating)) { try result.get() }
            #expect(count.value == 0)
            return
        }
        Issue.record("the client sent no proof in time")
    }

    @Test("The attempt after a fault begins with the next server, and the one after that with the first")
    func order() async throws {
        let (firstCount, secondCount) = (Counter(), Counter())
        let second = try await honest(secondCount)
        let first = try await ScriptedServer(.localhost) { server in
            firstCount.next()
            try await Self.fail(.temporaryFailure, server, otherPort: 0)
        }
        let endpoints = [first, second].map { $0.endpoint(.directTLS) }
        let connector = try connector()
        for attempt in 1...3 {
            if attempt == 2 {
                let connected = try await connector.connect(toFirstOf: endpoints, inline: { _ in [] })
                #expect(connected.isEncrypted)
            } else {
                await #expect(
                    throws: XMPPConnectionError.authenticationFailed(condition: "temporary-auth-failure", text: nil)
                ) { try await connector.connect(toFirstOf: endpoints, inline: { _ in [] }) }
            }
            #expect(firstCount.value == (attempt + 1) / 2 && secondCount.value == min(attempt - 1, 1))
        }
        withExtendedLifetime((first, second)) {}
    }

    @Test("That also holds with SASL2, with PLAIN, and at a server found by redirection") func otherWays() async throws
    {
        let count = Counter()
        let second = try await honest(count)
        let impostor = try await ScriptedServer(.localhost) { server in
            try await SASL2Tests.logIn(server, SCRAMServer(signature: { $0.reversed() }), success: "")
            try await server.wait()
        }
        await #expect(throws: XMPPConnectionError.serverNotAuthentic(.wrongSignature)) {
            try await connect(impostor, second)
        }
        let plain = try await ScriptedServer(.localhost) { server in
            try await server.open(ScriptedConnection.mechanisms("PLAIN"))
            try await server.hear("</auth>")
        }
        await #expect(throws: XMPPConnectionError.connectionReset) {
            try await connect(plain, second) { $0.mechanisms = [.plain] }
        }
        let port = impostor.port
        let redirecting = try await ScriptedServer(.localhost) { server in
            try await server.hear("xmlns:stream='http://etherx.jabber.org/streams'>")
            try await server.say(
                ScriptedConnection.header
                    + "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>127.0.0.1:\(port)"
                    + "</see-other-host></stream:error></stream:stream>")
            try await server.wait()
        }
        await #expect(throws: XMPPConnectionError.serverNotAuthentic(.wrongSignature)) {
            try await connect(redirecting, second)
        }
        #expect(count.value == 0)
        withExtendedLifetime(impostor) {}
    }

    @Test("A server that fails before it has a proof, or after its own, does not end the attempt")
    func harmlessFaults() async throws {
        let scripts: [@Sendable (ScriptedConnection) async throws -> Void] = [
            { try await $0.hear("xmlns:stream='http://etherx.jabber.org/streams'>") },
            { server in
                try await server.open(ScriptedConnection.mechanisms("SCRAM-SHA-256"))
                try await server.hear("</auth>")
            },
            { server in
                try await server.logIn("SCRAM-SHA-256", SCRAMServer(iterations: 1))
                try await server.wait()
            },
            { server in
                try await server.open(ScriptedConnection.mechanisms("SCRAM-SHA-256"))
                try await server.hear("</auth>")
                try await server.say("<failure \(Self.namespace)><temporary-auth-failure/></failure>")
                try await server.wait()
            },
            { server in
                try await server.logIn()
                try await server.hear("xmlns:stream='http://etherx.jabber.org/streams'>")
            },
        ]
        for (number, script) in scripts.enumerated() {
            let count = Counter()
            let first = try await ScriptedServer(.localhost, script)
            let connected = try await connect(first, try await honest(count))
            #expect(connected.isEncrypted && count.value == 1, "fault \(number)")
        }
    }

    @Test("An error about security at an earlier server is reported") func earlierError() async throws {
        let stranger = try await ScriptedServer(ServerIdentity(domain: "elsewhere.example")) { try await $0.wait() }
        let broken = try await ScriptedServer(.localhost) { try await Self.fail(.cut, $0, otherPort: 0) }
        await #expect(throws: XMPPConnectionError.certificateRejected("it is not for localhost")) {
            try await connect(stranger, broken)
        }
    }
}
