// Connections to an account's server: start here. Negotiation.swift runs the steps of each attempt.

import Locking
public import Logging
import SafeText
public import StreamManagement
public import XMLTree
public import XMPPCore

/// Connects to an XMPP server as a client: TCP, TLS, authentication.
///
/// ```swift
/// let connector = try XMPPConnector(account: "juliet@example.org", password: Password(secret))
/// ```
///
/// A `StreamSession` runs on its connections, and uses it to reconnect after a loss: `session.run(connecting:
/// connector)`.
public struct XMPPConnector: StreamConnector {
    /// The bare address.
    public let account: JID
    /// The settings. They request the resource of the initializer's account, unless they name another one.
    public let configuration: XMPPConnectorConfiguration
    private let secrets: Secrets
    private let race: ServerRace
    private let order = ServerOrder()

    /// - Parameters:
    ///   - account: the user's address. Its resource is the one to request, unless the configuration names one.
    ///   - password: its password.
    ///   - configuration: the server, the trusted authorities and the timeouts.
    ///   - logger: logs the connection's events, without passwords and without the content of stanzas.
    /// - Throws: ``XMPPConnectionError/invalidAddress(_:)`` for an address without a localpart;
    ///   ``XMPPConnectionError/invalidUserAgent(_:)``.
    public init(
        account: JID, password: Password, configuration: XMPPConnectorConfiguration = XMPPConnectorConfiguration(),
        logger: Logger = Logger(label: "XMPPTransport")
    ) throws(XMPPConnectionError) {
        try self.init(account, Secrets(password: password, salted: nil), configuration, logger)
    }

    /// Creates a connector that does not know the password.
    ///
    /// - Parameters:
    ///   - account: the user's address. Its resource is the one to request, unless the configuration names one.
    ///   - saltedPassword: the salted password from an earlier connector.
    ///   - configuration: the server, the trusted authorities and the timeouts.
    ///   - logger: logs the connection's events, without passwords and without the content of stanzas.
    /// - Throws: ``XMPPConnectionError/invalidAddress(_:)`` for an address without a localpart;
    ///   ``XMPPConnectionError/invalidUserAgent(_:)``.
    public init(
        account: JID, saltedPassword: SaltedPassword,
        configuration: XMPPConnectorConfiguration = XMPPConnectorConfiguration(),
        logger: Logger = Logger(label: "XMPPTransport")
    ) throws(XMPPConnectionError) {
        try self.init(account, Secrets(password: nil, salted: saltedPassword), configuration, logger)
    }

    private init(
        _ account: JID, _ secrets: Secrets, _ configuration: XMPPConnectorConfiguration, _ logger: Logger
    ) throws(XMPPConnectionError) {
        guard let user = account.localpart else { throw .invalidAddress(account.description) }
        // Only some servers offer SASL2. The app gets this error with every server.
        do throws(XMLTreeError) { _ = try configuration.userAgent?.element() } catch { throw .invalidUserAgent(error) }
        self.account = account.bare
        self.secrets = secrets
        var configuration = configuration
        configuration.resource = configuration.resource ?? account.resource
        self.configuration = configuration
        race = ServerRace(
            account: account.bare, user: user, secrets: secrets, configuration: configuration,
            contexts: TLSContexts(configuration.trustRoots),
            resource: RequestedResource(configured: configuration.resource), logger: logger)
    }

    /// The salted password of the last authentication with SCRAM. Store it instead of the password.
    public var saltedPassword: SaltedPassword? { secrets.credential.salted }

    /// Checks the account of a session: only this connector's account may use its connections.
    ///
    /// - Throws: ``XMPPConnectionError/wrongAccount(_:expected:)``.
    public func check(account: JID) throws(XMPPConnectionError) {
        if account.bare != self.account {
            throw .wrongAccount(account.bare.description, expected: self.account.description)
        }
    }

    /// Connects to the first of the account's servers that answers, and authenticates.
    ///
    /// It tries the servers in the order of DNS. After a quarter of a second of silence, it tries the next server, or
    /// the next address of a server, beside the silent ones (RFC 8305, ``ConnectionTimeouts/stagger``).
    ///
    /// It tries no other server after one that has taken a proof of the password and has not proved that it knows the
    /// password: an impostor at each place would get a proof at once. The next attempt begins with the server after it.
    ///
    /// - Throws: ``XMPPConnectionError`` of one of the servers that were tried: of the last one that could not be
    ///   trusted, or else of the last one that may return, or else of the last one;
    ///   ``XMPPConnectionError/timedOut(_:)`` after ``ConnectionTimeouts/attempt``; `CancellationError`; the errors of
    ///   `inline`, and those of reading the configuration's `mechanismStore`.
    public func connect(
        to location: ServerLocation? = nil,
        inline: @escaping @Sendable (StreamFeatures) async throws -> [Element] = { _ in [] }
    ) async throws -> ConnectedStream {
        var attempt = Attempt(timeouts: configuration.timeouts)
        let endpoints = try await endpoints(at: location, attempt)
        return try await connect(to: order.next(endpoints), &attempt, inline)
    }

    /// Connects to the first of these servers that answers.
    func connect(
        toFirstOf endpoints: [ServerEndpoint], inline: @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        var attempt = Attempt(timeouts: configuration.timeouts)
        return try await connect(to: order.next(endpoints), &attempt, inline)
    }

    /// The state of one attempt, across all servers.
    private struct Attempt {
        let start = ContinuousClock.now
        let end: ContinuousClock.Instant
        /// How long looking up a domain may take.
        let findTimeout: Duration
        var redirections = 0
        /// Whether no other server may be tried.
        var isOver = false

        init(timeouts: ConnectionTimeouts) {
            end = start + timeouts.attempt
            findTimeout = timeouts.find
        }

        /// How long the next look-up of a domain may take.
        var findLimit: Duration { min(findTimeout, end - .now) }
    }

    /// Connects to the first endpoint that answers.
    private func connect(
        to endpoints: [ServerEndpoint], _ attempt: inout Attempt,
        _ inline: @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        var rest = Array(endpoints.prefix(Self.mostServers))
        var failure: XMPPConnectionError?
        while !rest.isEmpty {
            let outcome = try await race.run(rest, since: attempt.start)
            for (_, error) in outcome.failures { failure = failure?.orRather(error) ?? error }
            guard let (winner, server) = outcome.winner else { break }
            do {
                return try await authenticate(with: server, &attempt, inline)
            } catch let error as XMPPConnectionError where !error.isOfAccount {
                failure = failure?.orRather(error) ?? error
                if attempt.isOver {
                    order.note(server.endpoint)
                    break
                }
            }
            let failed = Set(outcome.failures.map(\.index) + [winner])
            rest = rest.indices.filter { !failed.contains($0) }.map { rest[$0] }
        }
        if let failure { throw failure }
        if !endpoints.isEmpty { throw XMPPConnectionError.timedOut(.connecting) }
        throw XMPPConnectionError.notConnected(
            host: account.domain, port: 5222, reason: "the domain declares that it has no server for clients")
    }

    /// The connector gives up after this many of a domain's servers.
    private static let mostServers = 8

    private func endpoints(at location: ServerLocation?, _ attempt: Attempt) async throws -> [ServerEndpoint] {
        if let server = configuredServer(at: location) { return [server] }
        guard let location else { return try await servers(of: account.domain, attempt) }
        return try await ServerFinder.endpoints(at: location, amongServersOf: account.domain) { domain in
            try await servers(of: domain, attempt)
        }
    }

    /// The servers at the place of a redirection.
    private func endpoints(
        at place: ServerLocation, from known: ServerEndpoint, _ attempt: Attempt
    ) async throws -> [ServerEndpoint] {
        if let server = configuredServer(at: place) { return [server] }
        if let endpoints = ServerFinder.endpoints(at: place, among: [known]) { return endpoints }
        return try await servers(of: place.host, attempt)
    }

    /// With a configured server, the connector looks up no other in DNS. The other places use the same encryption.
    private func configuredServer(at place: ServerLocation?) -> ServerEndpoint? {
        configuration.server.map { server in
            ServerEndpoint(
                host: place?.host ?? server.host, port: place?.port ?? server.port, security: server.security)
        }
    }

    /// The domain's servers in DNS.
    private func servers(of domain: String, _ attempt: Attempt) async throws -> [ServerEndpoint] {
        try await ServerFinder.endpoints(of: domain, within: attempt.findLimit)
    }

    /// Authenticates, or follows a redirection that arrived encrypted, so that only the server can have sent it.
    private func authenticate(
        with server: ServerRace.Server, _ attempt: inout Attempt,
        _ inline: @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        do {
            return try await race.authenticate(with: server, until: attempt.end, inline: inline)
        } catch {
            // A redirection by a server with an open proof leads to another one, too.
            attempt.isOver = await server.hasOpenProof
            guard case XMPPConnectionError.streamError(let streamError) = error, !attempt.isOver,
                await server.isEncrypted, let other = streamError.otherHost
            else { throw error }
            if attempt.redirections == Self.mostRedirections { throw XMPPConnectionError.tooManyRedirections }
            attempt.redirections += 1
            let others = try await endpoints(at: other, from: server.endpoint, attempt)
            do {
                return try await connect(to: others, &attempt, inline)
            } catch XMPPConnectionError.streamError(var error) {
                error.mayNotComeAgain = true
                throw XMPPConnectionError.streamError(error)
            }
        }
    }

    /// The connector gives up after this many redirections, because they may be circular.
    private static let mostRedirections = 3
}

/// The proofs of identity. All copies of a connector share them, so that the password is salted once and not for each
/// connection.
final class Secrets: Sendable, CustomReflectable {
    private let password: Password?
    private let salted: Lock<SaltedPassword?>

    init(password: Password?, salted: SaltedPassword?) {
        self.password = password
        self.salted = Lock(salted)
    }

    var credential: Credential { Credential(password: password, salted: salted.withLock(\.self)) }

    func keep(_ salted: SaltedPassword) { self.salted.withLock { $0 = salted } }

    var customMirror: Mirror { Mirror(self, children: []) }
}
