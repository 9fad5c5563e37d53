// Logins at real servers: mechanisms, channel binding, salted passwords.

import Foundation
import ServerSupport
import StreamManagement
import TestSupport
import Testing

@testable import XMPPTransport

@Suite struct RealLoginTests {
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
            #expect(failure?.isFinal == true)
        }
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
    }

    @Test("Prosody's SCRAM refuses a login that is bound to another certificate") func wrongBinding() async throws {
        guard ServerKind.tested.contains(.prosody) else { return ServerKind.tellWhatIsMissing() }
        let server = try await SharedServers.all.server(
            .prosody, for: "wrong binding", modules: Self.modules,
            certificateHash: String(repeating: "00", count: 32))
        let connector = try Self.connector(server)
        let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
        guard case .authenticationFailed? = failure else {
            Issue.record("expected a refusal, found \(String(describing: failure))")
            return
        }
    }
}
