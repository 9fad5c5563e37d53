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
            if await stream.hasInputBehind { throw XMPPConnectionError.dataBeforeTLS }
        }
        try await stream.startTLS(tls, domain: account.domain)
    }

    /// With SASL2 if the server offers it with as strong a mechanism as without.
    private func authenticate(
        _ features: Element, _ inline: @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        let isPlainAllowed = await mayUsePlain()
        func strongest(of offered: [String]) -> SASLMechanism? {
            SASLMechanism.strongest(of: offered, allowingPlain: isPlainAllowed)
        }
        let old = Authentication.mechanisms(in: features)
        let new = configuration.usesSASL2 ? Authentication2.mechanisms(in: features) : []
        guard let mechanism = strongest(of: old + new) else {
            throw XMPPConnectionError.noMechanism(offered: old + new)
        }
        if strongest(of: new) == mechanism { return try await authenticate2(features, mechanism, inline) }
        try await Authentication.run(try exchange(mechanism), on: stream)
        logger.debug("authenticated")
        return await connected(features: StreamFeatures(try await stream.open(as: account)), inline: nil)
    }

    private func authenticate2(
        _ offer: Element, _ mechanism: SASLMechanism, _ inline: @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        let elements = try await inline(StreamFeatures(offer))
        let success = try await Authentication2.run(
            try exchange(mechanism), on: stream, userAgent: configuration.userAgent, inline: elements)
        let result = InlineNegotiation.Result(success: success)
        logger.debug("authenticated", metadata: ["resumed": "\(result.isResumed)", "bound": "\(result.bound != nil)"])
        if result.isResumed {
            // No features follow (XEP-0388): the session goes on as it was.
            var features = StreamFeatures()
            features.supportsStreamManagement = true
            return await connected(features: features, inline: result)
        }
        let features = StreamFeatures(try await stream.features(holdingOthers: true))
        return await connected(features: features, inline: elements.isEmpty ? nil : result)
    }

    private func mayUsePlain() async -> Bool {
        if configuration.allowsPlainWithoutEncryption { return true }
        return await stream.isEncrypted
    }

    private func exchange(_ mechanism: SASLMechanism) throws -> SASLExchange {
        logger.debug("authenticating", metadata: ["mechanism": "\(mechanism.rawValue)"])
        return try SASLExchange(
            mechanism, user: account.user, password: password, iterations: configuration.iterationCounts)
    }

    private func connected(features: StreamFeatures, inline: InlineNegotiation.Result?) async -> ConnectedStream {
        ConnectedStream(
            transport: XMPPStreamTransport(stream, configuration, features), features: features,
            inline: inline, isEncrypted: await stream.isEncrypted)
    }
}
