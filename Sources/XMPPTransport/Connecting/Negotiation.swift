// From a TCP connection to an authenticated stream (RFC 6120 §4.3.2): TLS, authentication, features, in that order.

import Logging
import SafeText
import StreamManagement
import XMLTree
import XMPPCore

/// One attempt to authenticate on one connection.
struct Negotiation: Sendable {
    let account: JID
    /// The name of the user in SASL.
    let user: String
    let credential: Credential
    let configuration: XMPPConnectorConfiguration
    let stream: ClientStream
    let channel: ByteChannel
    let resource: RequestedResource
    let logger: Logger
    /// Receives the salted password.
    let keep: @Sendable (SaltedPassword) -> Void

    /// Opens the stream, and returns the server's features.
    ///
    /// - Parameters:
    ///   - tls: the context of an encrypted connection; `nil` without encryption.
    ///   - progress: reports each step that the server has answered.
    func open(
        _ security: ConnectionSecurity, tls: TLSContext?, progress: @Sendable () -> Void
    ) async throws -> Element {
        if security == .directTLS, let tls {
            try await stream.startTLS(tls, domain: account.domain)
            progress()
        }
        let features = try await stream.open(as: account)
        guard security == .startTLS, let tls else { return features }
        progress()
        try await startTLS(tls, features)
        progress()
        return try await stream.open(as: account)
    }

    /// Authenticates within a time.
    ///
    /// - Parameter inline: the elements for SASL2's `<authenticate/>`.
    func authenticate(
        _ features: Element, within time: Duration, inline: @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        try await channel.within(time, .authenticating) { try await authenticate(features, inline) }
    }

    /// Requests TLS. Only `<proceed/>` may arrive before it: anyone could have sent other data.
    private func startTLS(_ tls: TLSContext, _ features: Element) async throws {
        guard features.child("starttls", namespace: .uri(Namespaces.tls)) != nil else {
            throw XMPPConnectionError.encryptionNotOffered
        }
        try await stream.send(MutableElement("starttls", namespace: .uri(Namespaces.tls)).freeze())
        let answer = try await stream.next(.securing, isLast: true)
        if answer.isNamed("failure", Namespaces.tls) { throw XMPPConnectionError.encryptionRefused }
        guard answer.isNamed("proceed", Namespaces.tls) else {
            throw XMPPConnectionError.unexpectedElement(answer.name, .securing)
        }
        if await stream.hasInputBehind { throw XMPPConnectionError.dataBeforeTLS }
        try await stream.startTLS(tls, domain: account.domain)
    }

    /// Authenticates with the strongest mechanism, unless a stronger one is remembered. SASL2 is for encrypted streams
    /// only (XEP-0388 §2.1).
    private func authenticate(
        _ features: Element, _ inline: @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        let isEncrypted = await stream.isEncrypted
        let certificateHash = await stream.certificateHash
        func policy(_ credential: Credential?) -> MechanismPolicy {
            MechanismPolicy(configuration, credential, isEncrypted: isEncrypted, certificateHash: certificateHash)
        }
        let old = Authentication.offer(in: features)
        let new = configuration.usesSASL2 && isEncrypted ? Authentication2.offer(in: features) : SASLOffer()
        let remembered = try await rememberedMechanism()
        guard let best = policy(nil).choice(in: old, or: new) else {
            throw refusal(of: old, or: new, isEncrypted: isEncrypted, isKnown: remembered != nil)
        }
        func isTooWeak(_ choice: MechanismChoice) -> Bool {
            remembered.map { choice.mechanism.isWeaker(than: $0.strength) } == true
        }
        if let remembered, isTooWeak(best) {
            throw XMPPConnectionError.weakerMechanism(best.mechanism.rawValue, remembered: remembered.name)
        }
        // A salted password fits only the mechanisms of its hash.
        guard let choice = policy(credential).choice(in: old, or: new), !isTooWeak(choice) else {
            throw XMPPConnectionError.passwordNeeded
        }
        if choice.lacksBinding, remembered == nil {
            let kinds = choice.channel.offer.bindings?.joined(separator: ", ").excerpt() ?? "not listed"
            logger.warning(
                """
                the login is not bound to the server's certificate: the server has no channel binding of the kind \
                \(ChannelBinding.kind), or an attacker on the path removed it; the operator can offer that kind, in \
                Prosody with the option tls_server_end_point_hash
                """,
                metadata: ["kinds": "\(kinds)"])
        }
        if choice.isSASL2 { return try await authenticate2(features, choice, inline) }
        var exchange = try exchange(choice)
        try await Authentication.run(&exchange, on: stream)
        await succeeded(exchange)
        return await connected(features: StreamFeatures(try await stream.open(as: account)), inline: nil)
    }

    /// The error for two offers of which no mechanism may be used.
    ///
    /// - Parameter isKnown: whether the account was authenticated before. If not, the server may always have had this
    ///   offer, and only the owner can change that.
    private func refusal(
        of old: SASLOffer, or new: SASLOffer, isEncrypted: Bool, isKnown: Bool
    ) -> XMPPConnectionError {
        let offered = old.mechanisms + new.mechanisms
        // No setting helps with a server that offers nothing.
        let isFinal = !isKnown && !offered.isEmpty
        guard isEncrypted else {
            let encrypted = MechanismPolicy(configuration, nil, isEncrypted: true, certificateHash: nil)
            let isPlain = encrypted.choice(in: old, isSASL2: false) != nil
            return isPlain ? .plainWithoutEncryption(offered: offered) : .noMechanism(offered: offered)
        }
        if configuration.mechanisms.contains(where: { $0.bindsChannel && offered.contains($0.rawValue) }) {
            return .noChannelBinding(kinds: old.bindings ?? new.bindings ?? [], isFinal: isFinal)
        }
        return .noMechanism(offered: offered, isFinal: isFinal)
    }

    private func authenticate2(
        _ offer: Element, _ choice: MechanismChoice, _ inline: @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        var exchange = try exchange(choice)
        let offered = StreamFeatures(offer)
        let elements = Authentication2.inline(
            try await inline(offered), asking: configuration.bindRequests, of: offered)
        let success = try await Authentication2.run(
            &exchange, on: stream, userAgent: configuration.userAgent, inline: elements)
        await succeeded(exchange)
        let result = InlineNegotiation.Result(success: success)
        if let address = result.address { try account.check(bound: address) }
        logger.debug("negotiated", metadata: ["resumed": "\(result.isResumed)", "bound": "\(result.bound != nil)"])
        if result.isResumed {
            // No features follow (XEP-0388): the session continues as it was, within the same limits.
            var features = StreamFeatures()
            features.supportsStreamManagement = true
            return await connected(features: features, inline: result)
        }
        let features = StreamFeatures(try await stream.features(holdingOthers: true))
        return await connected(features: features, inline: elements.isEmpty ? nil : result)
    }

    private func exchange(_ choice: MechanismChoice) throws -> SASLExchange {
        logger.debug("authenticating", metadata: ["mechanism": "\(choice.mechanism.rawValue)"])
        return try SASLExchange(
            choice, user: user, credential: credential, iterations: configuration.iterationCounts)
    }

    /// Returns the name of the strongest mechanism that has authenticated the account, and the known mechanism of that
    /// strength. An unknown name was stored by a later version of the app, and counts as the strongest known mechanism.
    private func rememberedMechanism() async throws -> (name: String, strength: SASLMechanism)? {
        try await configuration.mechanismStore.strongestMechanism(of: account).map { name in
            (name, SASLMechanism(rawValue: name) ?? .strongest)
        }
    }

    /// Remembers the mechanism of a login that has succeeded. If that fails, the next login does it.
    private func succeeded(_ exchange: SASLExchange) async {
        await stream.note(exchange)
        logger.debug("authenticated")
        if let salted = exchange.saltedPassword { keep(salted) }
        do {
            let remembered = try await rememberedMechanism()
            if let remembered, !remembered.strength.isWeaker(than: exchange.mechanism) { return }
            try await configuration.mechanismStore.setStrongestMechanism(exchange.mechanism.rawValue, of: account)
        } catch {
            logger.warning("the mechanism is not remembered", metadata: ["error": "\(error.loggable)"])
        }
    }

    private func connected(features: StreamFeatures, inline: InlineNegotiation.Result?) async -> ConnectedStream {
        ConnectedStream(
            transport: XMPPStreamTransport(
                stream, over: channel, of: account, configuration, features, resource: resource, logger),
            features: features, inline: inline, isEncrypted: await stream.isEncrypted)
    }
}
