// Servers and impostors that break the rules of authentication: the client rejects each, and connects again.

import ServerSupport
import StreamManagement
import TestSupport
import Testing

@testable import XMPPTransport

@Suite(.endsInTime) struct HostileLoginTests: HostileServers {
    /// The first answer of a hostile server to a login with SCRAM.
    enum Hostility: CaseIterable {
        case fewIterations, manyIterations, foreignNonce, wrongSignature, malformedChallenge

        fileprivate var error: SCRAMError {
            switch self {
            case .fewIterations: .iterations(1)
            case .manyIterations: .iterations(9_999_999)
            case .foreignNonce: .wrongNonce
            case .wrongSignature: .wrongSignature
            case .malformedChallenge: .malformed
            }
        }

        fileprivate func logIn(_ server: ScriptedConnection) async throws {
            switch self {
            case .fewIterations: try await server.logIn("SCRAM-SHA-1", SCRAMServer(iterations: 1))
            case .manyIterations: try await server.logIn("SCRAM-SHA-1", SCRAMServer(iterations: 9_999_999))
            case .foreignNonce: try await server.logIn("SCRAM-SHA-1", SCRAMServer(keepsClientNonce: false))
            case .wrongSignature: try await server.logIn("SCRAM-SHA-1", SCRAMServer(signature: { $0.reversed() }))
            case .malformedChallenge:
                try await server.open(ScriptedConnection.mechanisms("SCRAM-SHA-1"))
                try await server.hear("</auth>")
                let text = ScriptedConnection.base64("no attributes")
                try await server.say("<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(text)</challenge>")
            }
        }
    }

    @Test("A server that breaks SCRAM does not end a session: the client connects again", arguments: Hostility.allCases)
    func sessionSurvives(hostility: Hostility) async throws {
        let count = Counter()
        let server = try await ScriptedServer { server in
            let isFirst = count.next() == 1
            try await server.encrypt()
            if isFirst {
                try await hostility.logIn(server)
                return try await server.wait()
            }
            try await server.logIn()
            try await server.open(ScriptedConnection.bindFeature)
            try await server.bind()
            try await server.wait()
        }
        #expect(
            try await firstEvents(on: server) == [
                .notConnected(ConnectionFailure(error: XMPPConnectionError.serverNotAuthentic(hostility.error))),
                .bound(address: "alice@localhost/1"),
            ])
    }

    @Test("The session waits between attempts at such a server, and longer each time") func backOff() async throws {
        let count = Counter()
        let server = try await ScriptedServer { server in
            let isImpostor = count.next() <= 2
            try await server.encrypt()
            if isImpostor {
                try await Hostility.wrongSignature.logIn(server)
                return try await server.wait()
            }
            try await server.logIn()
            try await server.open(ScriptedConnection.bindFeature)
            try await server.bind()
            try await server.wait()
        }
        let lines = LoggedLines()
        let session = try await StreamSession(
            account: "alice@localhost", storage: MemoryStorage(), logger: lines.logger)
        let events = await session.events()
        var policy = ReconnectionPolicy()
        policy.first = .seconds(40_000)
        policy.maximum = .seconds(100_000)
        policy.jitter = 0
        policy.shortest = .zero
        let connector = try connector(to: server, .startTLS)
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        for (attempt, wait) in [(1, 40_000), (2, 80_000)] {
            try await eventually("attempt \(attempt) has failed") { lines.text.contains("\(wait).0 seconds") }
            #expect(count.value == attempt)
            await session.networkChanged()
        }
        #expect(await events.first { $0 == .bound(address: "alice@localhost/1") } != nil)
        #expect(count.value == 3)
        run.cancel()
        _ = await run.result
    }

    @Test("The client rejects a server that does not know the password, or breaks SCRAM's rules")
    func impostors() async throws {
        let cases: [(SCRAMServer, SCRAMError)] = [
            (SCRAMServer(keepsClientNonce: false), .wrongNonce), (SCRAMServer(nonce: ""), .wrongNonce),
            (SCRAMServer(iterations: 4095), .iterations(4095)),
            (SCRAMServer(iterations: 1_000_001), .iterations(1_000_001)),
            (SCRAMServer(signature: { $0.reversed() }), .wrongSignature),
            (SCRAMServer(signature: { _ in [] }), .wrongSignature),
        ]
        for (scram, error) in cases {
            let failure = try await failure { server in
                try await server.logIn("SCRAM-SHA-1", scram)
                try await server.wait()
            }
            #expect(failure == .serverNotAuthentic(error))
            // An attacker on the path, or a broken server, can cause it.
            #expect(failure?.isFinal == false)
        }
        let unsigned = try await failure { server in
            try await server.logIn(sendsSignature: false)
            try await server.wait()
        }
        #expect(unsigned == .serverNotAuthentic(.noSignature) && unsigned?.isFinal == false)
        let early = try await failure { server in
            try await server.open(ScriptedConnection.mechanisms("SCRAM-SHA-256"))
            try await server.hear("</auth>")
            try await server.say("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>")
            try await server.wait()
        }
        #expect(early == .serverNotAuthentic(.noSignature) && early?.isFinal == false)
    }

    @Test("Wrong passwords, and servers that ask for the password itself") func refusals() async throws {
        let failure = try await failure { server in
            try await server.logIn("SCRAM-SHA-256", SCRAMServer(password: "other"))
            try await server.wait()
        }
        #expect(failure == .authenticationFailed(condition: "not-authorized", text: ScriptedConnection.refusal))
        #expect(failure?.isFinal == true)
        #expect(
            try await self.failure { server in
                try await server.open(ScriptedConnection.mechanisms("PLAIN", "X"))
                try await server.wait()
            } == .noMechanism(offered: ["PLAIN", "X"]))
        // The setting that allows the server's mechanism is not `mechanisms`.
        let unprotected = try await self.failure(change: { $0.mechanisms.insert(.plain) }) { server in
            try await server.open(ScriptedConnection.mechanisms("PLAIN", "X"))
            try await server.wait()
        }
        #expect(unprotected?.description.contains("`allowsPlainWithoutEncryption`") == true)
        #expect(unprotected?.description.contains("`mechanisms`") == false && unprotected?.isFinal == false)
        func allowPlain(_ configuration: inout XMPPConnectorConfiguration) {
            configuration.mechanisms = [.plain]
            configuration.allowsPlainWithoutEncryption = true
        }
        let (_, server) = try await connect(change: allowPlain) { server in
            try await server.logIn("PLAIN")
            try await server.open("")
            try await server.wait()
        }
        withExtendedLifetime(server) {}
        // PLAIN sends user and password, and the server accepts nothing else.
        let refused = try await self.failure(change: allowPlain) { server in
            try await server.logIn("PLAIN", SCRAMServer(password: "other"))
            try await server.wait()
        }
        #expect(refused == .authenticationFailed(condition: "not-authorized", text: ScriptedConnection.refusal))
    }
}
