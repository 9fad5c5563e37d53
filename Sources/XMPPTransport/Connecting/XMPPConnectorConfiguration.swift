// The settings for making connections.

public import Foundation
public import StreamManagement
public import XMLTree

/// How connections are made.
public struct XMPPConnectorConfiguration: Sendable {
    /// The server to connect to; `nil` for the one that DNS names for the account's domain.
    public var server: ServerEndpoint?
    /// The certificate authorities to trust. Certificates must be for the account's domain, wherever the server is.
    public var trustRoots = TrustRoots.system
    /// The allowed mechanisms: the connector uses the strongest that the server offers. Without
    /// ``SASLMechanism/plain``, the connector never sends the password; with it, only to a server that offers nothing
    /// better.
    public var mechanisms: Set<SASLMechanism> = .scram
    /// Whether ``mechanisms`` may have PLAIN used on a connection that is not encrypted.
    public var allowsPlainWithoutEncryption = false
    /// Remembers the strongest mechanism that the account was authenticated with. The connector refuses a server that
    /// offers only weaker ones (``XMPPConnectionError/weakerMechanism(_:remembered:)``). Set the app's database, so
    /// that the mechanism outlives the process.
    public var mechanismStore: any MechanismStore = MemoryMechanismStore()
    /// How many iterations of SCRAM a server may request. RFC 7677 requires 4,096 at least; the upper end takes about a
    /// second.
    public var iterationCounts = 4096...1_000_000
    /// The resource to request; `nil` for the one of the account's address. Without any, the server chooses one, which
    /// is best.
    ///
    /// If another connection of the account takes or has this resource, the connector requests another one that begins
    /// with it (RFC 6120 §4.9.3.3). After three such conflicts in a row, the next one is a final error
    /// (``XMPPConnectionError/resourceConflict(_:)``).
    public var resource: String?
    /// The description of the client that goes to the server where SASL2 is offered.
    public var userAgent: UserAgent?
    /// Whether SASL2 is used where the server offers it on an encrypted connection (XEP-0388): fewer round trips, and
    /// resuming with the password's proof.
    public var usesSASL2 = true
    /// The requests in the same step as the resource, where the server accepts them there (XEP-0386), such as `<enable
    /// xmlns='urn:xmpp:carbons:2'/>` or `<inactive xmlns='urn:xmpp:csi:0'/>`. Elsewhere they are not sent: an app that
    /// needs one sends it after `SessionEvent.bound(address:)`, which a server that has it already allows.
    public var bindRequests: [Element] = []
    /// How long each stage may take.
    public var timeouts = ConnectionTimeouts()
    /// How to keep an idle connection open, and how to find out whether it is.
    public var keepAlive = KeepAlive()
    /// The limits of one stanza from the server.
    public var parserLimits = ParserLimits.stanza

    public init() {}
}

/// The address at which a server listens.
public struct ServerEndpoint: Hashable, Sendable {
    /// A domain name or an address.
    public var host: String
    public var port: UInt16
    public var security: ConnectionSecurity

    public init(host: String, port: UInt16, security: ConnectionSecurity) {
        self.host = host
        self.port = port
        self.security = security
    }
}

/// How a connection is encrypted. No case means "if the server offers it": an attacker on the path could claim that the
/// server does not.
public enum ConnectionSecurity: Hashable, Sendable {
    /// TLS comes first (XEP-0368), usually on port 5223.
    case directTLS
    /// The stream requests TLS (RFC 6120 §5), usually on port 5222.
    case startTLS
    /// Not at all: for tests on one machine.
    case unencrypted
}

/// A client's description of itself to the server, in SASL2.
public struct UserAgent: Hashable, Sendable {
    /// Made once for each installation, and kept: the server knows the client by it.
    public var id: UUID
    /// The name of the software, without characters that XML forbids.
    public var software: String?
    /// The user's name for the device, without characters that XML forbids.
    public var device: String?

    public init(id: UUID, software: String? = nil, device: String? = nil) {
        self.id = id
        self.software = software
        self.device = device
    }

    /// The element for SASL2 (XEP-0388), without a namespace of its own.
    ///
    /// - Throws: `XMLTreeError` for a character that XML forbids.
    func element() throws(XMLTreeError) -> MutableElement {
        let element = MutableElement("user-agent", attributes: ["id": id.uuidString.lowercased()])
        for text in [software, device] { try XMLTreeError.check(text: text ?? "") }
        if let software { element.add(MutableElement("software", text: software)) }
        if let device { element.add(MutableElement("device", text: device)) }
        return element
    }
}

/// Pings on an idle connection.
public struct KeepAlive: Hashable, Sendable {
    /// The time without a write after which the connection writes a space, so that routers remember it; zero for never.
    /// It is shorter if the server announces an earlier idle limit (XEP-0478).
    public var whitespaceInterval: Duration = .seconds(60)
    /// The time without input after which the connection sends the server a ping (XEP-0199); zero for never. Only on
    /// streams without stream management: with it, the server would count a ping that the session does not. There, the
    /// session requests acknowledgements instead (`ReconnectionPolicy.probeInterval`).
    public var pingInterval: Duration = .seconds(120)
    /// How long the answer to a ping may take before the connection is given up. The time starts again whenever bytes
    /// arrive, or bytes from before the ping leave: a slow line is not a dead one. The system may still hold some 64
    /// KiB, and more bytes are in transit. On a slow line, all of them must fit into this time.
    public var pingTimeout: Duration = .seconds(30)

    public init() {}

    /// The same, so that the server does not take the connection for idle.
    func keeping(within limits: StreamLimits) -> KeepAlive {
        guard let idleSeconds = limits.idleSeconds, whitespaceInterval > .zero else { return self }
        var settings = self
        // A silence lasts up to two intervals. The third is for the way to the server.
        let longest = max(.seconds(idleSeconds) / 3, Self.shortestWhitespaceInterval)
        settings.whitespaceInterval = min(whitespaceInterval, longest)
        return settings
    }

    /// No server makes a device write more often.
    static let shortestWhitespaceInterval = Duration.seconds(1)
}

/// The authorities whose certificates are trusted.
public enum TrustRoots: Hashable, Sendable {
    /// The authorities that the system trusts.
    case system
    /// The authorities that the system trusts, and these: one or more certificates as PEM.
    case systemAnd(pem: String)
    /// Only these: one or more certificates as PEM.
    case certificates(pem: String)
}
