// The certificates that TLS trusts, and the meaning of its errors. NIOSSL does the rest of TLS.

import Foundation
import Locking
import NIOCore
import NIOSSL
import SafeText
import StreamManagement

/// The shared TLS settings of connections to an account's servers: trusted roots, versions, the application protocol.
final class TLSContext: Sendable {
    private let context: NIOSSLContext
    private let isDirect: Bool

    /// - Parameters:
    ///   - isDirect: whether TLS comes first, and names the protocol by ALPN (XEP-0368).
    ///   - system: the authorities that the system trusts.
    /// - Throws: ``XMPPConnectionError/invalidTrustRoots(_:)`` for the app's PEM. ``XMPPConnectionError/tlsFailed(_:)``
    ///   for the system's file, which may be readable at the next attempt.
    init(trust: TrustRoots, isDirect: Bool, system: NIOSSLTrustRoots = .default) throws(XMPPConnectionError) {
        self.isDirect = isDirect
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // NIOSSL still accepts common names and partial wildcards. CertificateNames.swift checks the names.
        configuration.certificateVerification = .noHostnameVerification
        if isDirect { configuration.applicationProtocols = ["xmpp-client"] }
        switch trust {
        case .system: configuration.trustRoots = system
        case .systemAnd(let pem):
            configuration.trustRoots = system
            configuration.additionalTrustRoots = [.certificates(try Self.certificates(pem))]
        case .certificates(let pem):
            configuration.trustRoots = .certificates(try Self.certificates(pem))
        }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .tlsFailed(
                "the trusted authorities cannot be loaded; those of the system are in a package such as Debian's "
                    + "ca-certificates, and the process needs a free file descriptor to read them"
                    + Self.detail(error))
        }
    }

    private static func certificates(_ pem: String) throws(XMPPConnectionError) -> [NIOSSLCertificate] {
        do {
            return try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8))
        } catch {
            throw .invalidTrustRoots("expected one or more certificates as PEM" + detail(error))
        }
    }

    /// The library's own words, for a report to the developers of the app.
    private static func detail(_ error: any Error) -> String { " (detail: \("\(error)".excerpt()))" }

    /// The server's certificate, as DER. It is for this domain: the account's, on any host.
    ///
    /// - Throws: ``XMPPConnectionError/certificateRejected(_:)`` for a certificate with other names.
    static func certificate(of channel: any Channel, domain: String) async throws -> [UInt8] {
        guard let certificate = try await channel.nioSSL_peerCertificate().get() else {
            throw NIOSSLError.noCertificateToValidate
        }
        let names = certificate._subjectAlternativeNames().filter { $0.nameType == .dnsName }
            .map { $0.contents.withUnsafeBufferPointer(Array.init) }
        guard CertificateNames.cover(ServerFinder.asciiDomain(domain), in: names) else {
            throw XMPPConnectionError.certificateRejected("it is not for \(domain.excerpt())")
        }
        return try certificate.toDERBytes()
    }

    /// Makes a handler for a connection to the domain.
    ///
    /// - Throws: ``XMPPConnectionError/unnameableDomain(_:)``; an error of NIOSSL.
    func makeHandler(domain: String) throws -> NIOSSLClientHandler {
        if domain.utf8.contains(UInt8(ascii: "_")) { throw XMPPConnectionError.unnameableDomain(domain) }
        return try NIOSSLClientHandler(context: context, serverHostname: ServerFinder.asciiDomain(domain))
    }

    /// Whether TLS cannot name the domain, which may be an IP address.
    private static func isOfDomain(_ error: NIOSSLExtraError) -> Bool {
        [.cannotUseIPAddressInSNI, .invalidSNIHostname].contains(error)
    }

    /// The meaning of an error of the handshake.
    func diagnose(_ error: any Error, domain: String) -> XMPPConnectionError {
        switch error {
        case let error as NIOSSLExtraError where Self.isOfDomain(error): return .invalidAddress(domain)
        case NIOSSLError.noCertificateToValidate: return .certificateRejected("the server has not sent any")
        case NIOSSLError.unableToValidateCertificate:
            return .certificateRejected("the TLS library cannot check it" + Self.detail(error))
        // BoringSSL has one error for all faults of a chain.
        case NIOSSLError.handshakeFailed where "\(error)".contains("CERTIFICATE_VERIFY_FAILED"):
            return .certificateRejected(
                "no trusted authority vouches for it at this time. An attacker, or a network with a login page, may show "
                    + "its own certificate: check the network and the clock first. Add the authority to the configuration's "
                    + "`trustRoots` only if the server's operator confirms it")
        case NIOSSLError.handshakeFailed where "\(error)".contains("WRONG_VERSION_NUMBER"):
            return .tlsFailed(
                isDirect
                    ? "the server answers without TLS; use `.startTLS` for a port that offers STARTTLS (usually 5222)"
                    : "the server agreed to encrypt, and continues without TLS; a device on the path may have changed that"
            )
        case is ChannelError: return .connectionLost
        default:
            return .tlsFailed(
                "the handshake failed: the server may have no version of TLS or no cipher that the client accepts"
                    + Self.detail(error))
        }
    }
}

/// The TLS contexts of a connector. It makes each at its first use, because reading the system's roots takes long.
final class TLSContexts: Sendable {
    private let trust: TrustRoots
    private let made = Lock<[ConnectionSecurity: TLSContext]>([:])

    init(_ trust: TrustRoots) {
        self.trust = trust
    }

    /// The context for connections of this kind; `nil` for unencrypted ones.
    func context(for security: ConnectionSecurity) throws -> TLSContext? {
        if security == .unencrypted { return nil }
        return try made.withLock { made in
            if let known = made[security] { return known }
            let context = try TLSContext(trust: trust, isDirect: security == .directTLS)
            made[security] = context
            return context
        }
    }
}
