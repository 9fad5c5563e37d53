// Secrets that no log may show: the password, and every proof of it.

import Foundation
import Logging
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import XMPPTransport

@Suite(.endsInTime) struct SecretsTests {
    /// A way to log in.
    enum Way: String, CaseIterable, Sendable {
        case plain = "PLAIN"
        case scramSHA1 = "SCRAM-SHA-1"
        case scramSHA256 = "SCRAM-SHA-256"
        case scramSHA512 = "SCRAM-SHA-512"
        case scramSHA256Plus = "SCRAM-SHA-256-PLUS"
        case sasl2

        /// Whether this way needs an encrypted connection.
        var isEncrypted: Bool { self == .sasl2 || self == .scramSHA256Plus }

        /// The failure at a server that does not know the user.
        var refusal: ConnectionFailure {
            switch self {
            // The server accepts the login with an empty signature.
            case .sasl2: ConnectionFailure(error: XMPPConnectionError.serverNotAuthentic(.malformed))
            case .plain, .scramSHA1, .scramSHA256, .scramSHA512, .scramSHA256Plus:
                ConnectionFailure(
                    error: XMPPConnectionError.authenticationFailed(
                        condition: "not-authorized", text: ScriptedConnection.refusal), isFinal: true)
            }
        }
    }

    private static let password = "hunter-two"

    private func connector(
        _ server: ScriptedServer, _ way: Way, _ logger: Logger,
        mechanismStore: any MechanismStore = MemoryMechanismStore()
    ) throws -> XMPPConnector {
        var configuration = try XMPPConnectorConfiguration.testing(
            server.endpoint(way.isEncrypted ? .directTLS : .unencrypted))
        configuration.mechanisms = Set(SASLMechanism.allCases)
        configuration.allowsPlainWithoutEncryption = true
        configuration.mechanismStore = mechanismStore
        return try XMPPConnector(
            account: "alice@localhost", password: Password(Self.password), configuration: configuration, logger: logger)
    }

    /// A server that accepts known users. It reports the client's bytes so far, and the login of the client.
    private func server(
        _ way: Way, _ password: String, _ heard: AsyncStream<[String]>.Continuation
    ) async throws -> ScriptedServer {
        let hash = try ServerIdentity.localhost.certificateHash
        return try await ScriptedServer(way.isEncrypted ? .localhost : nil) { server in
            defer { heard.finish() }
            let scram = SCRAMServer(password: password, certificateHash: hash)
            if way == .sasl2 {
                try await SASL2Tests.logIn(server, scram, success: "")
            } else {
                try await server.logIn(
                    way.rawValue, scram,
                    features: ScriptedConnection.mechanisms(way.rawValue)
                        + ScriptedConnection.bindings(ChannelBinding.kind))
            }
            heard.yield(server.credentials)
            if way == .sasl2 { try await server.say("<stream:features/>") } else { try await server.open("") }
            // An authenticated client requests a resource.
            try await server.hear("</iq>")
            heard.yield([])
            try await server.wait()
        }
    }

    @Test("No log shows the password or its proof", arguments: Way.allCases)
    func logs(way: Way) async throws {
        let lines = LoggedLines()
        var secrets = [Self.password]
        // The server accepts one client and rejects the other.
        for known in [Self.password, "another"] {
            let (heard, continuation) = AsyncStream.makeStream(of: [String].self)
            let server = try await server(way, known, continuation)
            let session = try await StreamSession(
                account: "alice@localhost", storage: MemoryStorage(), logger: lines.logger)
            let connector = try connector(server, way, lines.logger)
            let events = await session.events()
            let run = Task {
                // The end of the session ends its events.
                do { _ = try await session.run(connecting: connector) } catch {}
                await session.close()
            }
            var stages = heard.makeAsyncIterator()
            secrets += await stages.next() ?? []
            if known == Self.password {
                // The login is complete, so the log has all its lines.
                #expect(await stages.next() == [])
                if way != .plain { secrets += try saltedSecrets(of: connector) }
            } else {
                let failure = await events.first { if case .notConnected = $0 { true } else { false } }
                #expect(failure == .notConnected(way.refusal))
            }
            // After a failure that is not final, the session connects again.
            run.cancel()
            await run.value
        }
        #expect(secrets.count == (way == .plain ? 3 : 7) && !secrets.contains(""))
        let text = lines.text
        #expect(text.contains("authenticat"))
        for secret in secrets { #expect(!text.contains(secret)) }
    }

    /// A store that fails with an error that names a path.
    private struct FailingStore: MechanismStore {
        struct Failure: Error {
            let path = "/home/juliet/a.db"
        }

        let isReadable: Bool

        func strongestMechanism(of account: JID) throws -> String? {
            if isReadable { return nil }
            throw Failure()
        }

        func setStrongestMechanism(_ mechanism: String?, of account: JID) throws { throw Failure() }
    }

    @Test("No log shows the path in an error of the store of mechanisms", arguments: [true, false])
    func paths(isReadable: Bool) async throws {
        let lines = LoggedLines()
        let (_, continuation) = AsyncStream.makeStream(of: [String].self)
        let server = try await server(.scramSHA256, Self.password, continuation)
        let connector = try connector(
            server, .scramSHA256, lines.logger, mechanismStore: FailingStore(isReadable: isReadable))
        _ = try? await connector.connect()
        let text = isReadable ? "the mechanism is not remembered" : "not connected"
        #expect(lines.all.contains { $0.text.hasPrefix(text) && $0.text.contains("error=Failure") })
        #expect(!lines.text.contains("juliet"))
    }

    /// Returns the salted password, in each spelling of its bytes.
    private func saltedSecrets(of connector: XMPPConnector) throws -> [String] {
        let key = try #require(connector.saltedPassword).key
        return [Data(key).base64EncodedString(), "\(key)"]
    }

    @Test("No description or mirror shows the password") func descriptions() throws {
        let password = Password(Self.password)
        let connector = try XMPPConnector(account: "alice@localhost", password: password)
        var dumped = ""
        dump(connector, to: &dumped)
        for text in [
            "\(password)", "\(connector)", String(reflecting: connector), String(reflecting: password), dumped,
        ] {
            #expect(!text.contains(Self.password))
        }
    }

    @Test("No description or mirror shows a salted password") func saltedDescriptions() throws {
        let salted = SaltedPassword(of: Self.password, .sha256, salt: [1], iterations: 1)
        let connector = try XMPPConnector(account: "alice@localhost", saltedPassword: salted)
        var dumped = ""
        dump(connector, to: &dumped)
        dump(salted, to: &dumped)
        let bytes = salted.key.map { "\($0)" }.joined(separator: ", ")
        for text in ["\(salted)", "\(connector)", String(reflecting: connector), String(reflecting: salted), dumped] {
            #expect(!text.contains(bytes) && !text.contains("SCRAMHash"))
        }
    }
}
