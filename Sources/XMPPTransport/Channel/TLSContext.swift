// The certificates that TLS trusts, and the meaning of its errors. NIOSSL does the rest of TLS.

import Foundation
import NIOCore
import NIOSSL
import Synchronization

/// The shared TLS settings of connections to an account's servers: trusted roots, versions, the application protocol.
final class TLSContext: Sendable {
    private let context: NIOSSLContext

    /// - Parameter isDirect: whether TLS comes first, and names the protocol by ALPN (XEP-0368).
    init(trust: TrustRoots, isDirect: Bool) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        if isDirect { configuration.applicationProtocols = ["xmpp-client"] }
        do {
            switch trust {
            case .system: break
            case .systemAnd(let pem):
                configuration.additionalTrustRoots = [.certificates(try Self.certificates(pem))]
            case .certificates(let pem):
                configuration.trustRoots = .certificates(try Self.certificates(pem))
            }
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw XMPPConnectionError.invalidTrustRoots("\(error)")
        }
    }

    private static func certificates(_ pem: String) throws -> [NIOSSLCertificate] {
        try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8))
    }

    /// The server's certificate, as DER.
    static func certificate(of channel: any Channel) async throws -> [UInt8]? {
        try await channel.nioSSL_peerCertificate().get()?.toDERBytes()
    }

    /// Makes a handler that accepts only a certificate for this domain: the account's, on any host.
    func makeHandler(domain: String) throws -> NIOSSLClientHandler {
        guard let name = Self.asciiName(of: domain) else { throw XMPPConnectionError.invalidAddress(domain) }
        return try NIOSSLClientHandler(context: context, serverHostname: name)
    }

    /// The domain as certificates name it, in A-labels (RFC 5890).
    static func asciiName(of domain: String) -> String? {
        if domain.utf8.allSatisfy({ $0 < 0x80 }) { return domain }
        var components = URLComponents()
        components.host = domain
        return components.encodedHost.flatMap { name in
            name.utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "%") } ? name : nil
        }
    }

    /// The meaning of an error of the handshake.
    static func diagnose(_ error: any Error, domain: String) -> XMPPConnectionError {
        let text = "\(error)"
        switch error {
        case is NIOSSLExtraError: return .certificateRejected("it is not for \(domain)")
        case NIOSSLError.noCertificateToValidate, NIOSSLError.unableToValidateCertificate:
            return .certificateRejected(text)
        // BoringSSL has one error for all faults of a chain.
        case NIOSSLError.handshakeFailed where text.contains("CERTIFICATE_VERIFY_FAILED"):
            return .certificateRejected(
                "no trusted authority vouches for it now; add the authority to the configuration's `trustRoots`, or "
                    + "check the clock: the certificate may have expired, or be valid later only")
        case NIOSSLError.handshakeFailed where text.contains("WRONG_VERSION_NUMBER"):
            return .tlsFailed(
                "the server answers without TLS; use `.startTLS` for a port that offers STARTTLS (usually 5222)")
        case is ChannelError: return .connectionLost
        default: return .tlsFailed(text)
        }
    }
}

/// The TLS contexts of a connector. It makes each at its first use, because reading the system's roots takes long.
final class TLSContexts: Sendable {
    private let trust: TrustRoots
    private let made = Mutex<[ConnectionSecurity: TLSContext]>([:])

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
