// Logins that an attacker on the path tries to weaken: it removes, forges and exchanges mechanisms, bindings and
// confirmations. The client trusts the certificate in all of them.

import Foundation
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import XMPPTransport

@Suite(.endsInTime) struct DowngradeTests: HostileServers {
    private static let both = "SCRAM-SHA-256-PLUS"
    private static let offer =
        ScriptedConnection.mechanisms("SCRAM-SHA-256", both, "SCRAM-SHA-1")
        + ScriptedConnection.bindings(ChannelBinding.kind)

    private func configuration(
        _ server: ScriptedServer, change: (inout XMPPConnectorConfiguration) -> Void = { _ in }
    ) throws -> XMPPConnectorConfiguration {
        var configuration = try XMPPConnectorConfiguration.testing(server.endpoint(.directTLS))
        change(&configuration)
        return configuration
    }

    /// A server with TLS that lets a client in by a mechanism, and reports how its first message begins.
    private func server(
        _ mechanism: String, features: String, _ scram: SCRAMServer = SCRAMServer(), isEncrypted: Bool = true
    ) async throws -> (ScriptedServer, AsyncStream<String>) {
        let (headers, continuation) = AsyncStream.makeStream(of: String.self)
        let server = try await ScriptedServer(isEncrypted ? .localhost : nil) { server in
            defer { continuation.finish() }
            try await server.logIn(mechanism, scram, features: features)
            continuation.yield(server.header)
            try await server.open("")
            try await server.wait()
        }
        return (server, headers)
    }

    private func bound(attributes: String = "") throws -> SCRAMServer {
        SCRAMServer(attributes: attributes, certificateHash: try ServerIdentity.localhost.certificateHash)
    }

    // MARK: Channel binding

    @Test("RFC 5929: SCRAM is bound to the server's certificate") func binding() async throws {
        let (server, headers) = try await server(Self.both, features: Self.offer, try bound())
        let connected = try await connector(to: server, .directTLS).connect()
        #expect(connected.isEncrypted)
        #expect(await headers.first { _ in true } == "p=tls-server-end-point")
    }

    @Test("A server with another certificate refuses the client: an attacker relays the connection")
    func wrongBinding() async throws {
        let other = try ServerIdentity(domain: "other.example").certificateHash
        let (server, _) = try await server(Self.both, features: Self.offer, SCRAMServer(certificateHash: other))
        let connector = try connector(to: server, .directTLS)
        let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
        #expect(failure == .authenticationFailed(condition: "not-authorized", text: ScriptedConnection.refusal))
        // As ejabberd does, the server answers as it does to a wrong password, and so the session ends.
        #expect(failure?.isFinal == true)
    }

    @Test("A refusal that Prosody uses for a wrong statement about channel binding is an error of its own")
    func refusedBinding() async throws {
        for (mechanisms, features, isStated) in [
            (Set<SASLMechanism>.scram, ScriptedConnection.mechanisms("SCRAM-SHA-256"), true),
            (.scram, Self.offer, true), ([.scramSHA256], Self.offer, false),
        ] {
            let server = try await ScriptedServer(.localhost) { server in
                try await server.open(features)
                try await server.hear("</auth>")
                try await server.say(
                    "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><malformed-request/><text>wrong</text></failure>"
                )
                try await server.wait()
            }
            let connector = try connector(to: server, .directTLS) { $0.mechanisms = mechanisms }
            let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
            #expect(
                failure
                    == (isStated
                        ? .bindingRefused(text: "wrong")
                        : .authenticationFailed(condition: "malformed-request", text: "wrong")))
            #expect(failure?.isFinal == false && failure?.isOfSecurity == isStated)
        }
    }

    @Test(
        "Only a failure that the owner of the account can repair is final",
        arguments: [
            ("not-authorized", true), ("account-disabled", true), ("credentials-expired", true),
            ("invalid-authzid", true), ("temporary-auth-failure", false),
            ("aborted", false), ("encryption-required", false), ("incorrect-encoding", false),
            ("invalid-mechanism", false), ("mechanism-too-weak", false), ("x-unknown", false),
        ])
    func failures(condition: String, isFinal: Bool) async throws {
        let server = try await ScriptedServer(.localhost) { server in
            try await server.open(ScriptedConnection.mechanisms("SCRAM-SHA-256"))
            try await server.hear("</auth>")
            try await server.say("<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><\(condition)/></failure>")
            try await server.wait()
        }
        let connector = try connector(to: server, .directTLS)
        let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
        #expect(failure == .authenticationFailed(condition: condition, text: nil) && failure?.isFinal == isFinal)
    }

    @Test("The client reports a missing offer of a binding to the server that made one") func flag() async throws {
        let (server, headers) = try await server(
            "SCRAM-SHA-256", features: ScriptedConnection.mechanisms("SCRAM-SHA-256"))
        _ = try await connector(to: server, .directTLS).connect()
        #expect(await headers.first { _ in true } == "y")
        let (open, openHeaders) = try await self.server(
            "SCRAM-SHA-256", features: ScriptedConnection.mechanisms("SCRAM-SHA-256"), isEncrypted: false)
        _ = try await connector(to: open, .unencrypted).connect()
        #expect(await openHeaders.first { _ in true } == "n")
        // A server from before XEP-0440 that binds with another kind.
        let (older, olderHeaders) = try await self.server(
            "SCRAM-SHA-256", features: ScriptedConnection.mechanisms("SCRAM-SHA-256", Self.both))
        _ = try await connector(to: older, .directTLS).connect()
        #expect(await olderHeaders.first { _ in true } == "n")
    }

    /// Prosody 13 by default.
    @Test("A server with other kinds of binding alone lets the client in, with a warning, until it once had our kind")
    func otherKinds() async throws {
        let features =
            ScriptedConnection.mechanisms("SCRAM-SHA-256", Self.both) + ScriptedConnection.bindings("tls-exporter")
        let store = MemoryMechanismStore()
        let lines = LoggedLines()
        func connect(_ server: ScriptedServer) async throws {
            _ = try await XMPPConnector(
                account: "alice@localhost", password: Password("secret"),
                configuration: try configuration(server) { $0.mechanismStore = store }, logger: lines.logger
            ).connect()
        }
        func warnings() -> [String] {
            lines.all.filter { $0.level == .warning && $0.text.contains("not bound") }.map(\.text)
        }
        // The server remembers nothing of earlier logins, so only the first of them is news.
        for _ in 1...2 {
            let (server, headers) = try await server("SCRAM-SHA-256", features: features)
            try await connect(server)
            #expect(await headers.first { _ in true } == "n")
            #expect(warnings().count == 1)
        }
        #expect(warnings().first?.contains("kinds=tls-exporter") == true)
        #expect(store.strongestMechanism(of: "alice@localhost") == "SCRAM-SHA-256")
        // The server confirms the offer, or an attacker exchanged the kinds.
        for (kind, error) in [
            ("tls-exporter", nil), (ChannelBinding.kind, XMPPConnectionError.serverNotAuthentic(.offerChanged)),
        ] {
            let hash = SCRAMHash.sha256.hash(Array("SCRAM-SHA-256\u{1E}SCRAM-SHA-256-PLUS\u{1F}\(kind)".utf8))
            let (server, _) = try await server(
                "SCRAM-SHA-256", features: features,
                SCRAMServer(attributes: ",h=\(Data(hash).base64EncodedString())"))
            let result = await Task { try await connect(server) }.result
            if let error {
                #expect(throws: error) { try result.get() }
            } else {
                #expect(throws: Never.self) { try result.get() }
            }
        }
        // From the first bound login on, its loss is refused, and the error names the remedy.
        let (strong, _) = try await server(Self.both, features: Self.offer, try bound())
        try await connect(strong)
        let (downgraded, _) = try await server("SCRAM-SHA-256", features: features)
        let failure = await #expect(throws: XMPPConnectionError.self) { try await connect(downgraded) }
        #expect(failure == .weakerMechanism("SCRAM-SHA-256", remembered: Self.both) && failure?.isFinal == false)
        #expect(failure?.description.contains("`setStrongestMechanism(nil, of: account)`") == true)
        store.setStrongestMechanism(nil, of: "alice@localhost")
        try await connect(downgraded)
        #expect(warnings().count == 2)
    }

    // MARK: Mechanisms

    @Test("XEP-0474: an offer that does not arrive as it was sent ends the login", arguments: ["h", "d"])
    func changedOffer(attribute: String) async throws {
        let (name, list) = attribute == "h" ? ("\u{1E}", "\u{1F}") : (",", "|")
        let sent = ["SCRAM-SHA-1", "SCRAM-SHA-256", Self.both].joined(separator: name) + list + ChannelBinding.kind
        let hash = Data(SCRAMHash.sha256.hash(Array(sent.utf8))).base64EncodedString()
        let (server, _) = try await server(
            Self.both, features: Self.offer, try bound(attributes: ",\(attribute)=\(hash)"))
        _ = try await connector(to: server, .directTLS).connect()
        // An attacker removed the strongest one, or forged the hash.
        for (features, confirmation) in [
            (ScriptedConnection.mechanisms("SCRAM-SHA-256", "SCRAM-SHA-1"), hash),
            (Self.offer, "AAAA" + hash.dropFirst(4)),
        ] {
            let (server, _) = try await self.server(
                features == Self.offer ? Self.both : "SCRAM-SHA-256", features: features,
                try bound(attributes: ",\(attribute)=\(confirmation)"))
            let connector = try connector(to: server, .directTLS)
            let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
            #expect(failure == .serverNotAuthentic(.offerChanged) && failure?.isFinal == false)
        }
    }

    @Test("A server that suddenly offers only weaker mechanisms receives nothing, until that is accepted")
    func strippedMechanisms() async throws {
        let store = MemoryMechanismStore()
        let (server, _) = try await server(Self.both, features: Self.offer, try bound())
        _ = try await connector(to: server, .directTLS) { $0.mechanismStore = store }.connect()
        #expect(store.strongestMechanism(of: "alice@localhost") == Self.both)

        let weaker = ScriptedConnection.mechanisms("SCRAM-SHA-1", "PLAIN")
        let heard = Counter()
        let stripped = try await ScriptedServer(.localhost) { server in
            try await server.open(weaker)
            try await server.hear("<auth")
            heard.next()
            try await server.wait()
        }
        let connector = try connector(to: stripped, .directTLS) {
            $0.mechanismStore = store
            $0.mechanisms = Set(SASLMechanism.allCases)
        }
        let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
        // The session retries, and reports each failure: an attacker does not end it for good.
        #expect(failure == .weakerMechanism("SCRAM-SHA-1", remembered: Self.both) && failure?.isFinal == false)
        // The error says how to accept it.
        #expect(failure?.description.contains("`setStrongestMechanism(nil, of: account)`") == true)
        #expect(heard.value == 0)

        // The app may write the account in any letter case.
        store.setStrongestMechanism(nil, of: "Alice@LocalHost")
        let (changed, _) = try await self.server("SCRAM-SHA-1", features: weaker)
        _ = try await self.connector(to: changed, .directTLS) { $0.mechanismStore = store }.connect()
        #expect(store.strongestMechanism(of: "alice@localhost") == "SCRAM-SHA-1")
    }

    @Test("A remembered mechanism that is unknown here counts as the strongest that is known, and stays")
    func unknownMechanism() async throws {
        let store = MemoryMechanismStore()
        store.setStrongestMechanism("SCRAM-SHA3-512-PLUS", of: "alice@localhost")
        let (weaker, _) = try await server(Self.both, features: Self.offer, try bound())
        let refused = try connector(to: weaker, .directTLS) { $0.mechanismStore = store }
        await #expect(
            throws: XMPPConnectionError.weakerMechanism(Self.both, remembered: "SCRAM-SHA3-512-PLUS")
        ) { try await refused.connect() }
        let offer =
            ScriptedConnection.mechanisms("SCRAM-SHA-512-PLUS") + ScriptedConnection.bindings(ChannelBinding.kind)
        let (strong, _) = try await server("SCRAM-SHA-512-PLUS", features: offer, try bound())
        _ = try await connector(to: strong, .directTLS) { $0.mechanismStore = store }.connect()
        #expect(store.strongestMechanism(of: "alice@localhost") == "SCRAM-SHA3-512-PLUS")
    }

    @Test("A client that requires channel binding logs in with it, and is silent without it")
    func requiredBinding() async throws {
        let (server, headers) = try await server(Self.both, features: Self.offer, try bound())
        _ = try await connector(to: server, .directTLS) { $0.mechanisms = .scramPlus }.connect()
        #expect(await headers.first { _ in true } == "p=tls-server-end-point")
        let heard = Counter()
        for (features, error) in [
            // SASL2 and the list of kinds are missing. By default, the client would log in without channel binding.
            (
                ScriptedConnection.mechanisms("SCRAM-SHA-256", Self.both),
                XMPPConnectionError.noChannelBinding(kinds: [], isFinal: true)
            ),
            (
                ScriptedConnection.mechanisms(Self.both) + ScriptedConnection.bindings("tls-exporter"),
                .noChannelBinding(kinds: ["tls-exporter"], isFinal: true)
            ),
            (
                ScriptedConnection.mechanisms("SCRAM-SHA-256"),
                .noMechanism(offered: ["SCRAM-SHA-256"], isFinal: true)
            ),
        ] {
            let stripped = try await ScriptedServer(.localhost) { server in
                try await server.open(features)
                try await server.hear("<auth")
                heard.next()
            }
            let connector = try connector(to: stripped, .directTLS) { $0.mechanisms = .scramPlus }
            await #expect(throws: error) { try await connector.connect() }
        }
        #expect(heard.value == 0)
    }

    @Test("A login that fails is not remembered, and one that succeeds is, for its account alone")
    func remembering() async throws {
        let store = MemoryMechanismStore()
        let (impostor, _) = try await server(
            Self.both, features: Self.offer, SCRAMServer(password: "another"))
        let connector = try connector(to: impostor, .directTLS) { $0.mechanismStore = store }
        await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
        #expect(store.strongestMechanism(of: "alice@localhost") == nil)
        let (server, _) = try await server(
            "SCRAM-SHA-512", features: ScriptedConnection.mechanisms("SCRAM-SHA-512"))
        let configuration = try configuration(server) { $0.mechanismStore = store }
        _ = try await XMPPConnector(
            account: "Alice@LOCALHOST", password: Password("secret"), configuration: configuration
        ).connect()
        #expect(store.strongestMechanism(of: "alice@localhost") == "SCRAM-SHA-512")
        #expect(store.strongestMechanism(of: "bob@localhost") == nil)
    }

    @Test("A server that asks for the password does not get it, even over TLS") func plain() async throws {
        let (server, _) = try await server("PLAIN", features: ScriptedConnection.mechanisms("PLAIN"))
        let connector = try connector(to: server, .directTLS)
        let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
        #expect(failure == .noMechanism(offered: ["PLAIN"], isFinal: true) && failure?.isFinal == true)
        // The server offered a stronger one before: an attacker may have removed that.
        let store = MemoryMechanismStore()
        store.setStrongestMechanism("SCRAM-SHA-1", of: "alice@localhost")
        let known = try self.connector(to: server, .directTLS) { $0.mechanismStore = store }
        let stripped = await #expect(throws: XMPPConnectionError.self) { try await known.connect() }
        #expect(stripped == .noMechanism(offered: ["PLAIN"], isFinal: false) && stripped?.isFinal == false)
        let allowed = try self.connector(to: server, .directTLS) { $0.mechanisms.insert(.plain) }
        #expect(try await allowed.connect().isEncrypted)
    }

    // MARK: The salted password

    @Test("A salted password logs in, but not with other iterations") func saltedPassword() async throws {
        let (server, _) = try await server(Self.both, features: Self.offer, try bound())
        let first = try connector(to: server, .directTLS)
        #expect(first.saltedPassword == nil)
        _ = try await first.connect()
        let stored = try #require(first.saltedPassword).bytes
        let salted = try #require(SaltedPassword(bytes: stored))
        func again(_ server: ScriptedServer) throws -> XMPPConnector {
            try XMPPConnector(
                account: "alice@localhost", saltedPassword: salted, configuration: try configuration(server))
        }
        #expect(try await again(server).connect().isEncrypted)
        for scram in [SCRAMServer(iterations: 5000), SCRAMServer(salt: "pepper")] {
            let (other, _) = try await self.server(Self.both, features: Self.offer, scram)
            let connector = try again(other)
            let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
            #expect(failure == .passwordNeeded && failure?.isFinal == true)
        }
    }

    @Test("A server that does not offer the salted password's hash needs the password itself")
    func saltedPasswordOfAnotherHash() async throws {
        let salted = SaltedPassword(of: "secret", .sha256, salt: Array("salt".utf8), iterations: 4096)
        for (mechanism, expected) in [
            ("SCRAM-SHA-512", XMPPConnectionError.passwordNeeded),
            // The configuration does not accept these mechanisms, so a password would not help either.
            ("PLAIN", .noMechanism(offered: ["PLAIN"], isFinal: true)),
            ("X-UNKNOWN", .noMechanism(offered: ["X-UNKNOWN"], isFinal: true)),
        ] {
            let server = try await ScriptedServer(.localhost) { server in
                try await server.open(ScriptedConnection.mechanisms(mechanism))
                try await server.wait()
            }
            let connector = try XMPPConnector(
                account: "alice@localhost", saltedPassword: salted, configuration: try configuration(server))
            await #expect(throws: expected) { try await connector.connect() }
        }
    }

    @Test("A stored salted password does not hide that the server offers only weaker mechanisms")
    func saltedPasswordAndRememberedMechanism() async throws {
        let salted = SaltedPassword(of: "secret", .sha256, salt: Array("salt".utf8), iterations: 4096)
        for (remembered, offered, expected) in [
            // An attacker removed the salted password's hash.
            (
                Self.both, ["SCRAM-SHA-1"], XMPPConnectionError.weakerMechanism("SCRAM-SHA-1", remembered: Self.both)
            ),
            ("SCRAM-SHA-256", ["SCRAM-SHA-1"], .weakerMechanism("SCRAM-SHA-1", remembered: "SCRAM-SHA-256")),
            // The server still offers a mechanism of that strength, for the password.
            ("SCRAM-SHA-512", ["SCRAM-SHA-256", "SCRAM-SHA-512"], .passwordNeeded),
            ("SCRAM-SHA-256", ["SCRAM-SHA-512"], .passwordNeeded),
        ] {
            let store = MemoryMechanismStore()
            store.setStrongestMechanism(remembered, of: "alice@localhost")
            let heard = Counter()
            let server = try await ScriptedServer(.localhost) { server in
                try await server.open(
                    "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
                        + offered.map { "<mechanism>\($0)</mechanism>" }.joined() + "</mechanisms>")
                try await server.hear("<auth")
                heard.next()
            }
            let connector = try XMPPConnector(
                account: "alice@localhost", saltedPassword: salted,
                configuration: try configuration(server) { $0.mechanismStore = store })
            let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
            #expect(failure == expected && failure?.isFinal == (expected == .passwordNeeded))
            #expect(heard.value == 0)
        }
    }
}
