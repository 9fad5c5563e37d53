// The errors of TLS: plain sentences with a repair, the library's text only as a detail, and the roots to trust.

import Foundation
import NIOCore
import NIOSSL
import ServerSupport
import StreamManagement
import TestSupport
import Testing

@testable import XMPPTransport

@Suite(.endsInTime) struct TLSErrorTests: HostileServers {
    private static func context(isDirect: Bool) throws -> TLSContext {
        try TLSContext(trust: .certificates(pem: try Certificates.shared.get().authority), isDirect: isDirect)
    }

    /// The text of the TLS library.
    private static let raw = NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake]))

    @Test(
        "The text of a TLS library is only a detail",
        arguments: [raw, NIOSSLError.unableToValidateCertificate, BoringSSLError.wantRead] as [any Error])
    func details(error: any Error) throws {
        let text = try Self.context(isDirect: true).diagnose(error, domain: "localhost").description
        let parts = text.components(separatedBy: " (detail: ")
        try #require(parts.count == 2)
        #expect(!parts[0].contains("SSL") && !parts[0].contains("NIO") && parts[0].count > 20)
        #expect(parts[1] == "\(error))")
    }

    @Test("A long text of a TLS library does not hide the sentence") func longDetail() throws {
        let errors = Array(repeating: BoringSSLInternalError.eofDuringHandshake, count: 100)
        let error = NIOSSLError.handshakeFailed(.sslError(errors))
        let text = try Self.context(isDirect: true).diagnose(error, domain: "localhost").description
        #expect(text.contains("no cipher that the client accepts") && text.hasSuffix("…)"))
    }

    @Test("A missing certificate, and a domain that no certificate can name, have their own errors")
    func certificates() async throws {
        let context = try Self.context(isDirect: true)
        let missing = context.diagnose(NIOSSLError.noCertificateToValidate, domain: "localhost")
        #expect(missing == .certificateRejected("the server has not sent any"))
        #expect(context.diagnose(ChannelError.eof, domain: "localhost") == .connectionLost)
        // The account's domain is an IP address.
        let server = try await ScriptedServer(.localhost) { try await $0.wait() }
        let configuration = try XMPPConnectorConfiguration.testing(server.endpoint(.directTLS))
        let connector = try XMPPConnector(
            account: "alice@127.0.0.1", password: Password("secret"), configuration: configuration)
        let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
        #expect(failure == .invalidAddress("127.0.0.1") && failure?.isFinal == true)
        // It has an underscore.
        let other = try XMPPConnector(
            account: "alice@my_host.example", password: Password("secret"), configuration: configuration)
        let unnamed = await #expect(throws: XMPPConnectionError.self) { try await other.connect() }
        #expect(unnamed == .unnameableDomain("my_host.example") && unnamed?.isFinal == true)
    }

    @Test(
        "RFC 9525: a certificate is for a domain by its DNS names only",
        arguments: [
            ("localhost", "localhost", true), ("localhost", "LocalHost", true), ("localhost", "other.example", false),
            ("chat.example.org", "*.example.org", true), ("b\u{FC}cher.example.org", "*.example.org", true),
            ("b\u{FC}cher.example.org", "xn--bcher-kva.example.org", true),
            ("example.org", "*.example.org", false), ("a.b.example.org", "*.example.org", false),
            ("chat.example.org", "c*.example.org", false), ("chat.example.org", "*t.example.org", false),
            ("chat.example.org", "chat.*.org", false), ("localhost", "*", false),
        ])
    func names(domain: String, name: String, isAccepted: Bool) async throws {
        #expect(try await accepts(ServerIdentity(domain: name), domain: domain) == isAccepted)
    }

    @Test("RFC 9525 §6.4.4: a common name alone is not a name") func commonName() async throws {
        #expect(try await accepts(ServerIdentity(domain: "localhost", isNamed: false), domain: "localhost") == false)
        // Nor is any other text.
        for name in ["", ".", "localhost.", ".localhost", "a..b", "*.", "*..", "local\0host", "*.*"] {
            #expect(!CertificateNames.cover("localhost", in: [Array(name.utf8)]))
            #expect(!CertificateNames.cover("a.b", in: [Array(name.utf8)]))
        }
    }

    /// Whether a client accepts a server with this certificate, as the server of a domain.
    private func accepts(_ identity: ServerIdentity, domain: String) async throws -> Bool {
        let server = try await ScriptedServer(identity) { try await $0.wait() }
        let channel = try await ByteChannel.connect(host: "127.0.0.1", port: server.port, timeout: .seconds(3600))
        defer { channel.abort() }
        do {
            _ = try await channel.startTLS(Self.context(isDirect: true), domain: domain)
            return true
        } catch XMPPConnectionError.certificateRejected("it is not for \(domain)") {
            return false
        }
    }

    @Test("A server that continues without TLS gets a repair for the mode of the connection") func modes() async throws
    {
        let started = try await failure(.startTLS) { server in
            try await server.open(ScriptedConnection.startTLSFeature)
            try await server.hear("/>")
            try await server.say("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
            try await server.hear("localhost")
            try await server.say("I speak no TLS")
            try await server.wait()
        }
        guard case .tlsFailed? = started else {
            Issue.record("expected a failure of TLS, found \(String(describing: started))")
            return
        }
        // The connection uses `.startTLS` already.
        #expect(started?.description.contains("`.startTLS`") == false && started?.isFinal == false)
        #expect(started?.description.contains("continues without TLS") == true)
    }

    @Test("A connection that ends during the handshake is not reported as a fault of TLS", arguments: [true, false])
    func droppedHandshake(isReset: Bool) async throws {
        let failure = try await failure(.directTLS) { server in
            try await server.hear("localhost")
            try await server.cut(isReset: isReset)
        }
        #expect(failure == .connectionReset)
    }

    @Test(
        "The app's roots that cannot be read are a final error with the expected format",
        arguments: ["", "no PEM", "\u{0}"])
    func unreadableRoots(pem: String) throws {
        for trust in [TrustRoots.certificates(pem: pem), .systemAnd(pem: pem)] {
            let failure = #expect(throws: XMPPConnectionError.self) { try TLSContext(trust: trust, isDirect: true) }
            let text = failure?.description ?? ""
            #expect(text.contains("expected one or more certificates as PEM (detail: ") && failure?.isFinal == true)
        }
        let failure = #expect(throws: XMPPConnectionError.self) {
            try TLSContext(trust: .system, isDirect: true, system: .file("/nothing/here"))
        }
        // The app's settings are right, and the file may be readable at the next attempt.
        #expect(failure?.description.contains("ca-certificates") == true && failure?.isFinal == false)
    }

    // MARK: Roots

    /// Whether a client with these roots accepts the server of the tests' authority.
    private func accepts(_ trust: TrustRoots, system: NIOSSLTrustRoots) async throws -> Bool {
        let server = try await ScriptedServer(.localhost) { try await $0.wait() }
        let channel = try await ByteChannel.connect(host: "127.0.0.1", port: server.port, timeout: .seconds(3600))
        defer { channel.abort() }
        let context = try TLSContext(trust: trust, isDirect: true, system: system)
        do {
            _ = try await channel.startTLS(context, domain: "localhost")
            return true
        } catch XMPPConnectionError.certificateRejected {
            return false
        }
    }

    @Test("Roots of one's own are trusted in addition to the file of the system's") func additionalRoots() async throws
    {
        let certificates = try Certificates.shared.get()
        let stranger = try certificates.strangerAuthority()
        func file(_ name: String) -> NIOSSLTrustRoots {
            .file(certificates.folder.appending(path: "\(name).crt").path)
        }
        let (own, other) = (file("authority"), file("stranger"))
        // The system's file has the server's authority, or the given roots have it, or none has it.
        #expect(try await accepts(.systemAnd(pem: stranger), system: own))
        #expect(try await accepts(.systemAnd(pem: certificates.authority), system: other))
        #expect(try await accepts(.systemAnd(pem: stranger), system: other) == false)
        #expect(try await accepts(.system, system: own))
        #expect(try await accepts(.system, system: other) == false)
        // Roots in place of the system's.
        #expect(try await accepts(.certificates(pem: stranger), system: own) == false)
        // The real file of the system, if it has one.
        #expect(try await accepts(.systemAnd(pem: certificates.authority), system: .default))
    }
}
