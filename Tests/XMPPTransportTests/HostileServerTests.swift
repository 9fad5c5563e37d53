// Servers and impostors that break every rule: each gets its own error, and none keeps a client waiting.

import Foundation
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import XMPPTransport

@Suite(.endsInTime) struct HostileServerTests: HostileServers {
    // MARK: Time

    @Test("Silence at any stage ends the attempt") func silence() async throws {
        let short = Duration.seconds(2)
        #expect(
            try await failure(change: { $0.timeouts.attempt = short }) { try await $0.wait() } == .timedOut(.connecting)
        )
        #expect(
            try await failure(.directTLS, change: { $0.timeouts.attempt = short }) { try await $0.wait() }
                == .timedOut(.connecting))
        #expect(
            try await failure(.startTLS, change: { $0.timeouts.attempt = short }) { server in
                try await server.open(ScriptedConnection.startTLSFeature)
                try await server.wait()
            } == .timedOut(.connecting))
        #expect(
            try await failure(.startTLS, change: { $0.timeouts.attempt = short }) { server in
                try await server.open(ScriptedConnection.startTLSFeature)
                try await server.hear("/>")
                try await server.say("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
                try await server.wait()
            } == .timedOut(.connecting))
        let (connected, server) = try await connect(change: { $0.timeouts.bind = short }) { server in
            try await server.logIn()
            try await server.open(ScriptedConnection.sm)
            try await server.wait()
        }
        await #expect(throws: XMPPConnectionError.timedOut(.binding)) { try await connected.transport.bind() }
        withExtendedLifetime(server) {}
    }

    @Test("An operation that ends after its time limit fails, even if it ignores the limit") func late() async throws {
        let server = try await ScriptedServer { try await $0.wait() }
        let channel = try await ByteChannel.connect(host: "127.0.0.1", port: server.port, timeout: .seconds(3600))
        await #expect(throws: XMPPConnectionError.timedOut(.opening)) {
            // The operation ends without an error after the connection is cut.
            try await channel.within(.milliseconds(1), .opening) { while (try? await channel.read()) != nil {} }
        }
    }

    @Test("The client waits no longer for a server that trickles than for a silent one") func trickle() async throws {
        let failure = try await failure(change: { $0.timeouts.attempt = .milliseconds(300) }) { server in
            try await server.hear(">")
            while true { try await server.trickle("<?xml version='1.0'", every: .milliseconds(10)) }
        }
        // Either the timeout or the invalid markup comes first.
        #expect(failure == .timedOut(.connecting) || failure.isInvalidXML)
    }

    // MARK: Encryption

    @Test("Unencrypted input after the answer to STARTTLS ends the attempt") func injection() async throws {
        let proceed = "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
        for more in ["<iq type='set' id='evil'/>", " ", "<", "</stream:stream>"] {
            #expect(
                try await failure(.startTLS) { server in
                    try await server.open(ScriptedConnection.startTLSFeature)
                    try await server.hear("/>")
                    try await server.say(proceed + more)
                    try await server.wait()
                } == .dataBeforeTLS)
        }
    }

    @Test("The client discards the features from before encryption, and the input after them")
    func featuresBefore() async throws {
        let failure = try await failure(.startTLS) { server in
            try await server.open(ScriptedConnection.startTLSFeature + ScriptedConnection.mechanisms("PLAIN"))
            try await server.hear("/>")
            try await server.say("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", thenTLSAs: .localhost)
            try await server.open("")
            try await server.wait()
        }
        #expect(failure == .noMechanism(offered: []))
    }

    @Test("A stream error before encryption may be forged, and is not final", arguments: [true, false])
    func forgedError(isEncrypted: Bool) async throws {
        let failure = try await failure(.startTLS) { server in
            if isEncrypted { try await server.encrypt() }
            try await server.hear("xmlns:stream='http://etherx.jabber.org/streams'>")
            try await server.say(
                ScriptedConnection.header
                    + "<stream:error><not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>")
            try await server.wait()
        }
        guard case .streamError(let error)? = failure else {
            Issue.record("expected a stream error, found \(String(describing: failure))")
            return
        }
        #expect(error.condition == "not-authorized" && failure?.isFinal == isEncrypted)
    }

    @Test("A server that does not offer STARTTLS, or refuses it, receives nothing") func noEncryption() async throws {
        #expect(
            try await failure(.startTLS) { server in
                try await server.open(ScriptedConnection.mechanisms("PLAIN"))
                try await server.wait()
            } == .encryptionNotOffered)
        #expect(
            try await failure(.startTLS) { server in
                try await server.open(ScriptedConnection.startTLSFeature)
                try await server.hear("/>")
                try await server.say("<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:stream>")
                try await server.wait()
            } == .encryptionRefused)
        let failure = try await failure(.directTLS) { server in
            // The client's first message names the domain. Earlier bytes would be reported as such.
            try await server.hear("localhost")
            try await server.say("I speak no TLS")
            try await server.wait()
        }
        if case .tlsFailed = failure {
        } else {
            Issue.record("expected a failure of TLS, found \(String(describing: failure))")
        }
        // The user gets a sentence, and no text of a TLS library.
        #expect(failure?.description.contains("SSL") == false)
        #expect(failure?.description.contains("use `.startTLS`") == true)
    }

    @Test("A server that expects TLS at once gets an error that names the setting") func tlsExpected() async throws {
        let failure = try await failure(.startTLS) { server in
            try await server.hear("xmlns:stream='http://etherx.jabber.org/streams'>")
            // A fatal alert of TLS 1.0: unexpected message.
            try await server.say("\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{A}")
            try await server.wait()
        }
        #expect(failure?.description.contains("`.directTLS`") == true && failure?.isFinal == false)
    }

    @Test("Certificates are checked: domain, authority and time", arguments: [ConnectionSecurity.directTLS, .startTLS])
    func certificates(security: ConnectionSecurity) async throws {
        func attempt(
            _ identity: ServerIdentity, change: (inout XMPPConnectorConfiguration) -> Void = { _ in }
        ) async throws -> (ConnectedStream, ScriptedServer) {
            try await connect(security, as: security == .directTLS ? identity : nil, change: change) { server in
                if security == .startTLS { try await server.encrypt(as: identity) }
                try await server.logIn()
                try await server.open("")
                try await server.wait()
            }
        }
        let (connected, server) = try await attempt(.localhost)
        #expect(connected.isEncrypted)
        // The client names the protocol to servers with several on one port (XEP-0368 §4).
        #expect(server.protocols == (security == .directTLS ? ["xmpp-client"] : []))
        // The system's authorities are still trusted, and so are these.
        let authority = try Certificates.shared.get().authority
        let (other, otherServer) = try await attempt(.localhost) { $0.trustRoots = .systemAnd(pem: authority) }
        #expect(other.isEncrypted)
        withExtendedLifetime(otherServer) {}

        let stranger = TrustRoots.certificates(pem: try Certificates.shared.get().strangerAuthority())
        let wrong: [(ServerIdentity, TrustRoots?)] = [
            (.localhost, stranger), (.localhost, .system),
            (.localhost, .systemAnd(pem: try Certificates.shared.get().strangerAuthority())),
            (ServerIdentity(domain: "elsewhere.example"), nil),
            (ServerIdentity(domain: "localhost", days: -1), nil),
        ]
        for (identity, roots) in wrong {
            let failure = await #expect(throws: XMPPConnectionError.self) {
                try await attempt(identity) { if let roots { $0.trustRoots = roots } }
            }
            guard case .certificateRejected? = failure else {
                Issue.record("expected a rejected certificate, found \(String(describing: failure))")
                continue
            }
            #expect(failure?.isFinal == false)
            // The error names the checks before the setting that weakens the client.
            guard identity.domain == "localhost" else { continue }
            let text = failure?.description ?? ""
            for word in ["attacker", "clock", "operator", "`trustRoots`"] { #expect(text.contains(word)) }
        }
    }

    @Test("A network's own certificate does not end a session: the client connects again")
    func loginPage() async throws {
        let count = Counter()
        let server = try await ScriptedServer { server in
            let isFirst = count.next() == 1
            try await server.encrypt(as: isFirst ? ServerIdentity(domain: "portal.example") : .localhost)
            try await server.logIn()
            try await server.open(ScriptedConnection.bindFeature)
            try await server.bind()
            try await server.wait()
        }
        let error = XMPPConnectionError.certificateRejected("it is not for localhost")
        #expect(
            try await firstEvents(on: server) == [
                .notConnected(ConnectionFailure(error: error)), .bound(address: "alice@localhost/1"),
            ])
    }

    // MARK: XML

    @Test(
        "The client answers an invalid stream with a stream error",
        arguments: [
            ("hello", "not-well-formed"), ("<a/>", "invalid-namespace"), ("<!DOCTYPE a>", "restricted-xml"),
            (
                "<stream:stream xmlns='jabber:server' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>",
                "invalid-namespace"
            ),
            (
                "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>",
                "unsupported-version"
            ),
            (
                "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='0.9'>",
                "unsupported-version"
            ),
            ("<stream:stream a='" + String(repeating: "a", count: 2_000_000), "policy-violation"),
            ("\u{1}", "not-well-formed"),
        ])
    func noStream(text: String, condition: String) async throws {
        let told = AsyncStream.makeStream(of: String.self)
        // The server continues until it has received the end.
        let server = try await ScriptedServer { server in
            defer { told.continuation.finish() }
            try await server.hear("xmlns:stream='http://etherx.jabber.org/streams'>")
            try await server.say(text)
            told.continuation.yield(try await server.hear("</stream:stream>"))
        }
        let connector = try connector(to: server)
        let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
        #expect(failure.isInvalidXML || failure.isInvalidStream)
        let errors = await told.stream.first { _ in true }
        withExtendedLifetime(server) {}
        // A server that keeps sending may not receive it.
        if let errors {
            #expect(errors.contains("<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>"))
        } else {
            #expect(condition == "policy-violation")
        }
    }

    @Test("Stream errors are typed, and each way a connection ends has its own error") func endings() async throws {
        let error =
            "<stream:error><host-unknown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>"
            + "<text xmlns='urn:ietf:params:xml:ns:xmpp-streams'>no such host</text><app xmlns='urn:x'/></stream:error>"
        let failure = try await failure { server in
            try await server.hear(">")
            try await server.say(ScriptedConnection.header + error + "</stream:stream>")
            try await server.wait()
        }
        guard case .streamError(let error)? = failure else {
            Issue.record("expected a stream error, found \(String(describing: failure))")
            return
        }
        #expect(error.condition == "host-unknown" && error.text == "no such host" && error.application?.name == "app")
        #expect(
            try await self.failure { server in
                try await server.hear(">")
                try await server.say(ScriptedConnection.header + "</stream:stream>")
                try await server.wait()
            } == .closedByServer(.opening))
        #expect(try await self.failure { try await $0.hear(">") } == .connectionReset)
        #expect(
            try await self.failure { server in
                try await server.hear(">")
                try await server.say(ScriptedConnection.header + "<message/>")
                try await server.wait()
            } == .unexpectedElement("message", .opening))
    }
}

extension XMPPConnectionError? {
    var isInvalidXML: Bool { if case .invalidXML? = self { true } else { false } }
    var isInvalidStream: Bool { if case .invalidStream? = self { true } else { false } }
}
