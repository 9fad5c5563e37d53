// Logins at real servers: mechanisms, channel binding, salted passwords.

import Foundation
import Logging
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import XMPPTransport

@Suite(.endsInTime) struct RealLoginTests {
    private static func connector(
        _ server: RunningServer, password: String = "secret",
        change: (inout XMPPConnectorConfiguration) -> Void = { _ in }
    ) throws -> XMPPConnector {
        var configuration = try RealServerTests.configuration(.startTLS, server)
        change(&configuration)
        return try XMPPConnector(
            account: "alice@localhost", password: Password(password), configuration: configuration)
    }

    @Test("Each SCRAM mechanism of a server lets in a client with the password", arguments: ServerKind.tested)
    func mechanisms(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "transport")
        let mechanisms: [SASLMechanism] =
            kind == .ejabberd ? [.scramSHA512, .scramSHA256, .scramSHA1] : [.scramSHA256, .scramSHA1]
        for mechanism in mechanisms {
            let store = MemoryMechanismStore()
            let connector = try Self.connector(server) {
                $0.mechanisms = [mechanism]
                $0.mechanismStore = store
            }
            let connected = try await server.whenReady { try await connector.connect() }
            #expect(connected.isEncrypted)
            #expect(store.strongestMechanism(of: "alice@localhost") == mechanism.rawValue)
            await connected.transport.close()
            let wrong = try Self.connector(server, password: "wrong") { $0.mechanisms = [mechanism] }
            let failure = await #expect(throws: XMPPConnectionError.self) { try await wrong.connect() }
            Self.expectNotAuthorized(failure)
        }
    }

    /// Expects the answer to a wrong password.
    private static func expectNotAuthorized(
        _ failure: XMPPConnectionError?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .authenticationFailed("not-authorized", _)? = failure else {
            Issue.record(
                "expected not-authorized, found \(String(describing: failure))", sourceLocation: sourceLocation)
            return
        }
        #expect(failure?.isFinal == true, sourceLocation: sourceLocation)
    }

    @Test("A salted password logs in where the server keeps its salt", arguments: ServerKind.tested)
    func keptSalt(kind: ServerKind) async throws {
        let server = try await RunningServer(kind, hashesPasswords: true)
        let first = try Self.connector(server)
        let connected = try await server.whenReady { try await first.connect() }
        await connected.transport.close()
        let bytes = try #require(first.saltedPassword).bytes
        let second = try XMPPConnector(
            account: "alice@localhost", saltedPassword: try #require(SaltedPassword(bytes: bytes)),
            configuration: try RealServerTests.configuration(.startTLS, server))
        let again = try await second.connect()
        #expect(again.isEncrypted)
        await again.transport.close()
    }

    // Both keep passwords as they are, and salt them again for each login.
    @Test("A server that has another salt by now needs the password", arguments: ServerKind.tested)
    func saltedPassword(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "transport")
        let first = try Self.connector(server)
        let connected = try await server.whenReady { try await first.connect() }
        await connected.transport.close()
        let salted = try #require(first.saltedPassword)
        let second = try XMPPConnector(
            account: "alice@localhost", saltedPassword: salted,
            configuration: try RealServerTests.configuration(.startTLS, server))
        await #expect(throws: XMPPConnectionError.passwordNeeded) { try await second.connect() }
    }

    private static let modules = ["server_end_point", "sasl2", "sasl2_bind2", "tls_info"]

    @Test(
        "Prosody's SCRAM accepts a login that is bound to its certificate, with SASL and SASL2",
        arguments: [true, false])
    func binding(usesSASL2: Bool) async throws {
        guard ServerKind.tested.contains(.prosody) else { return ServerKind.tellWhatIsMissing() }
        let server = try await SharedServers.all.server(
            .prosody, for: "binding", modules: Self.modules,
            certificateHash: try Certificates.shared.get().hash(for: "localhost"))
        let store = MemoryMechanismStore()
        let connected = try await Self.connector(server) {
            $0.mechanismStore = store
            $0.usesSASL2 = usesSASL2
        }.connect()
        #expect(store.strongestMechanism(of: "alice@localhost") == "SCRAM-SHA-256-PLUS")
        await connected.transport.close()
        for mechanisms in [Set<SASLMechanism>.scramPlus, [.scramSHA256]] {
            let wrong = try Self.connector(server, password: "wrong") {
                $0.mechanisms = mechanisms
                $0.usesSASL2 = usesSASL2
            }
            Self.expectNotAuthorized(await #expect(throws: XMPPConnectionError.self) { try await wrong.connect() })
        }
    }

    @Test("ejabberd: a login is bound to the certificate if the server names that kind, and is not otherwise")
    func ejabberdBinding() async throws {
        guard ServerKind.tested.contains(.ejabberd) else { return ServerKind.tellWhatIsMissing() }
        let server = try await SharedServers.all.server(.ejabberd, for: "transport")
        let (stream, features) = try await Self.open(server)
        let offer = Authentication.offer(in: features)
        await stream.close()
        // 23.01 has `tls-unique`, and does not list its kinds (XEP-0440).
        #expect(offer.mechanisms.contains("SCRAM-SHA-512-PLUS"))
        let isBound = offer.bindings?.contains(ChannelBinding.kind) == true
        let store = MemoryMechanismStore()
        let connector = try Self.connector(server) { $0.mechanismStore = store }
        let connected = try await server.whenReady { try await connector.connect() }
        await connected.transport.close()
        #expect(
            store.strongestMechanism(of: "alice@localhost") == (isBound ? "SCRAM-SHA-512-PLUS" : "SCRAM-SHA-512"))
        if isBound { return }
        let strict = try Self.connector(server) { $0.mechanisms = .scramPlus }
        await #expect(throws: XMPPConnectionError.noChannelBinding(kinds: offer.bindings ?? [], isFinal: true)) {
            try await strict.connect()
        }
    }

    /// Opens an encrypted stream, and returns its features.
    private static func open(_ server: RunningServer) async throws -> (ClientStream, Element) {
        let channel = try await ByteChannel.connect(
            host: "127.0.0.1", port: server.securePort, timeout: .seconds(600))
        let stream = ClientStream(
            channel, limits: .stanza, timeouts: .patient, logger: Logger(label: "tests"))
        let trust = TrustRoots.certificates(pem: try Certificates.shared.get().authority)
        try await stream.startTLS(try TLSContext(trust: trust, isDirect: true), domain: "localhost")
        return (stream, try await stream.open(as: "alice@localhost"))
    }

    @Test("Prosody refuses a client that reports no offer of a binding: an attacker removed the offer")
    func removedOffer() async throws {
        guard ServerKind.tested.contains(.prosody) else { return ServerKind.tellWhatIsMissing() }
        let server = try await SharedServers.all.server(
            .prosody, for: "binding", modules: Self.modules,
            certificateHash: try Certificates.shared.get().hash(for: "localhost"))
        let (stream, features) = try await Self.open(server)
        #expect(Authentication.offer(in: features).hasBinding)
        var channel = SCRAM.Channel()
        channel.binding = .notOffered
        var exchange = try SASLExchange(
            MechanismChoice(mechanism: .scramSHA256, isSASL2: false, channel: channel, lacksBinding: false),
            user: "alice", credential: Credential(password: Password("secret"), salted: nil),
            iterations: 4096...1_000_000)
        let failure = await #expect(throws: XMPPConnectionError.self) {
            try await Authentication.run(&exchange, on: stream)
        }
        // The server has detected a relay.
        guard case .bindingRefused? = failure else {
            Issue.record("expected a refusal, found \(String(describing: failure))")
            return
        }
        #expect(failure?.isFinal == false)
        await stream.close()
    }

    @Test("Prosody's SCRAM refuses a login that is bound to another certificate") func wrongBinding() async throws {
        guard ServerKind.tested.contains(.prosody) else { return ServerKind.tellWhatIsMissing() }
        let server = try await SharedServers.all.server(
            .prosody, for: "wrong binding", modules: Self.modules,
            certificateHash: String(repeating: "00", count: 32))
        let connector = try Self.connector(server)
        let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
        guard case .bindingRefused? = failure else {
            Issue.record("expected a refusal, found \(String(describing: failure))")
            return
        }
        // The server has detected a relay: that must not end the session for good.
        #expect(failure?.isFinal == false)
    }
}
