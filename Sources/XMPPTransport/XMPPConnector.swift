// Connections to an account's server: start here. Negotiation.swift tells what happens on each.

public import Logging
public import StreamManagement
public import XMLTree

/// Connects to an XMPP server as a client: TCP, TLS, authentication.
///
/// ```swift
/// let connector = try XMPPConnector(account: "juliet@example.org", password: Password(secret))
/// ```
///
/// A `StreamSession` runs on what it makes, and connects again with it when a connection is lost:
/// `session.run(connecting: connector)`.
public struct XMPPConnector: StreamConnector {
    public let account: AccountAddress
    public let configuration: XMPPConnectorConfiguration
    private let password: Password
    private let logger: Logger

    /// - Parameters:
    ///   - account: the bare address.
    ///   - password: its password.
    ///   - configuration: where to connect to, whom to trust, how long to wait.
    ///   - logger: is told what happens, without passwords and without what stanzas say.
    /// - Throws: ``XMPPConnectionError/invalidAddress(_:)``.
    public init(
        account: String, password: Password, configuration: XMPPConnectorConfiguration = XMPPConnectorConfiguration(),
        logger: Logger = Logger(label: "XMPPTransport")
    ) throws {
        self.account = try AccountAddress(account)
        self.password = password
        self.configuration = configuration
        self.logger = logger
    }

    /// Connects to the first of the account's servers that answers, and authenticates.
    ///
    /// - Throws: ``XMPPConnectionError``, of the last server that was tried; `CancellationError`.
    public func connect(
        to location: ServerLocation? = nil,
        inline: @escaping @Sendable (StreamFeatures) async throws -> [Element] = { _ in [] }
    ) async throws -> ConnectedStream {
        let endpoint = endpoint(at: location)
        return try await connect(to: endpoint, inline)
    }

    /// Where a location is: encrypted as the server that was configured is.
    private func endpoint(at location: ServerLocation?) -> ServerEndpoint {
        let ordinary =
            configuration.server ?? ServerEndpoint(host: account.domain, port: 5222, security: .startTLS)
        guard let location else { return ordinary }
        return ServerEndpoint(
            host: location.host, port: location.port ?? ordinary.port, security: ordinary.security)
    }

    private func connect(
        to endpoint: ServerEndpoint, _ inline: @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        var logger = logger
        logger[metadataKey: "server"] = "\(endpoint.host):\(endpoint.port)"
        let tls =
            endpoint.security == .unencrypted
            ? nil : try TLSContext(trust: configuration.trustRoots, isDirect: endpoint.security == .directTLS)
        logger.debug("connecting")
        let channel = try await open(endpoint)
        let stream = ClientStream(
            channel, limits: configuration.parserLimits, timeouts: configuration.timeouts, logger: logger)
        do {
            return try await withTaskCancellationHandler {
                try Task.checkCancellation()
                return try await Negotiation(
                    account: account, password: password, configuration: configuration, stream: stream, logger: logger
                ).run(endpoint.security, tls: tls, inline: inline)
            } onCancel: {
                channel.abort()
            }
        } catch {
            channel.abort()
            logger.debug("not connected", metadata: ["error": "\(error)"])
            try Task.checkCancellation()
            throw error
        }
    }

    private func open(_ endpoint: ServerEndpoint) async throws -> ByteChannel {
        do {
            return try await ByteChannel.connect(
                host: endpoint.host, port: endpoint.port, timeout: configuration.timeouts.connect)
        } catch {
            throw XMPPConnectionError.notConnected(host: endpoint.host, port: endpoint.port, reason: "\(error)")
        }
    }
}
