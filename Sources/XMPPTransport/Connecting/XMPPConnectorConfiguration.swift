// What can be set about making connections.

public import Foundation
public import StreamManagement
public import XMLTree

/// How connections are made.
public struct XMPPConnectorConfiguration: Sendable {
    /// The server to connect to; `nil` for the one that DNS names for the account's domain.
    public var server: ServerEndpoint?
    /// Whose certificates are trusted. They have to be for the account's domain, wherever the server stands.
    public var trustRoots = TrustRoots.system
    /// The mechanisms that may be used: the strongest that the server offers is. Without
    /// ``SASLMechanism/plain``, no server is told the password; with it, one is only where it offers nothing better.
    public var mechanisms: Set<SASLMechanism> = .scram
    /// Whether ``mechanisms`` may have PLAIN used on a connection that is not encrypted.
    public var allowsPlainWithoutEncryption = false
    /// Remembers the strongest mechanism that the account was authenticated with: a server that offers only weaker ones
    /// is refused (``XMPPConnectionError/weakerMechanism(_:remembered:)``). Set the app's database, so that it is
    /// remembered when the process has ended.
    public var mechanismStore: any MechanismStore = MemoryMechanismStore()
    /// How many iterations a server may ask SCRAM for. RFC 7677 asks for 4,096 at least; the upper end takes about a
    /// second.
    public var iterationCounts = 4096...1_000_000
    /// The resource to ask for; `nil` to leave that to the server, which is best.
    public var resource: String?
    /// What the server is told about the client where SASL2 is offered.
    public var userAgent: UserAgent?
    /// Whether SASL2 is used where the server offers it on an encrypted connection (XEP-0388): fewer round trips, and
    /// resuming with the password's proof.
    public var usesSASL2 = true
    /// What to ask for in the same step as a resource, where the server takes it there (XEP-0386), such as
    /// `<enable xmlns='urn:xmpp:carbons:2'/>` or `<inactive xmlns='urn:xmpp:csi:0'/>`. Elsewhere nothing is asked for:
    /// an app that needs it sends it after `SessionEvent.bound(address:)`, which a server that has it already allows.
    public var bindRequests: [Element] = []
    /// How long each stage may take.
    public var timeouts = ConnectionTimeouts()
    /// What is done to keep an idle connection open, and to find out whether it is.
    public var keepAlive = KeepAlive()
    /// What the server may send as one stanza.
    public var parserLimits = ParserLimits.stanza

    public init() {}
}

/// Where a server listens.
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

/// How a connection is encrypted. There is no "if the server offers it": whoever stands in between could say that it
/// does not.
public enum ConnectionSecurity: Hashable, Sendable {
    /// TLS comes first (XEP-0368), usually on port 5223.
    case directTLS
    /// TLS is asked for on the stream (RFC 6120 §5), usually on port 5222.
    case startTLS
    /// Not at all: for tests on one machine.
    case unencrypted
}

/// What SASL2 tells the server about a client.
public struct UserAgent: Hashable, Sendable {
    /// Made once for each installation, and kept: the server knows the client by it.
    public var id: UUID
    /// What the software is called.
    public var software: String?
    /// What the user calls the device.
    public var device: String?

    public init(id: UUID, software: String? = nil, device: String? = nil) {
        self.id = id
        self.software = software
        self.device = device
    }
}

/// What is done when nothing is said.
public struct KeepAlive: Hashable, Sendable {
    /// How long nothing may be written before a space is, so that routers remember the connection; zero for never. It
    /// is shorter where the server says that it takes a connection for idle earlier (XEP-0478).
    public var whitespaceInterval: Duration = .seconds(60)
    /// How long nothing may come before the server is sent a ping (XEP-0199); zero for never. Only on streams without
    /// stream management: with it, a ping would be counted by the server and not by the session, which asks for
    /// acknowledgements instead (`ReconnectionPolicy.probeInterval`).
    public var pingInterval: Duration = .seconds(120)
    /// How long the answer to a ping may take before the connection is given up. The time begins anew as long as bytes
    /// come or, of what was to be sent before, go: a slow line is not a dead one. Of what the system has taken it may
    /// still keep some 64 KiB, and what is on the way, which on a slow line has to fit into this time.
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
