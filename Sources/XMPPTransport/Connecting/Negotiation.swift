// From a TCP connection to an authenticated stream (RFC 6120 §4.3.2): TLS, authentication, features, in that order.

import Logging
import StreamManagement
import XMLTree

/// One attempt on one connection.
struct Negotiation: Sendable {
    let account: AccountAddress
    let password: Password
    let configuration: XMPPConnectorConfiguration
    let stream: ClientStream
    let logger: Logger

    /// - Parameters:
    ///   - tls: for connections that are to be encrypted.
    ///   - inline: what to put into SASL2's `<authenticate/>`.
    func run(
        _ security: ConnectionSecurity, tls: TLSContext?,
        inline: @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        if security == .directTLS, let tls { try await stream.startTLS(tls, domain: account.domain) }
        var features = try await stream.open(as: account)
        if security == .startTLS, let tls {
            try await startTLS(tls, features)
            features = try await stream.open(as: account)
        }
        return try await stream.channel.within(configuration.timeouts.authenticate, .authenticating) {
            try await authenticate(features, inline)
        }
    }

    /// Asks for TLS. Nothing but `<proceed/>` may come before it: what else did could be anybody's.
    private func startTLS(_ tls: TLSContext, _ features: Element) async throws {
        guard features.child("starttls", namespace: .uri(Namespaces.tls)) != nil else {
            throw XMPPConnectionError.encryptionNotOffered
        }
        try await stream.channel.within(configuration.timeouts.secure, .securing) {
            try await stream.send(MutableElement("starttls", namespace: .uri(Namespaces.tls)).freeze())
            let answer = try await stream.next(.securing, isLast: true)
            if answer.isNamed("failure", Namespaces.tls) { throw XMPPConnectionError.encryptionRefused }
            guard answer.isNamed("proceed", Namespaces.tls) else {
                throw XMPPConnectionError.unexpectedElement(answer.name, .securing)
            }
        }
        try await stream.startTLS(tls, domain: account.domain)
    }

    private func authenticate(
        _ features: Element, _ inline: @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        let offered = Authentication.mechanisms(in: features)
        try await Authentication.run(try exchange(offered), on: stream)
        logger.debug("authenticated")
        let features = try await stream.open(as: account)
        return await connected(features: StreamFeatures(features), inline: nil)
    }

    func exchange(_ offered: [String]) async throws -> SASLExchange {
        let isPlainAllowed: Bool
        if configuration.allowsPlainWithoutEncryption {
            isPlainAllowed = true
        } else {
            isPlainAllowed = await stream.isEncrypted
        }
        guard let mechanism = SASLMechanism.strongest(of: offered, allowingPlain: isPlainAllowed) else {
            throw XMPPConnectionError.noMechanism(offered: offered)
        }
        logger.debug("authenticating", metadata: ["mechanism": "\(mechanism.rawValue)"])
        return try SASLExchange(
            mechanism, user: account.user, password: password, iterations: configuration.iterationCounts)
    }

    func connected(features: StreamFeatures, inline: InlineNegotiation.Result?) async -> ConnectedStream {
        ConnectedStream(
            transport: XMPPStreamTransport(stream, configuration, features, logger: logger), features: features,
            inline: inline, isEncrypted: await stream.isEncrypted)
    }
}
