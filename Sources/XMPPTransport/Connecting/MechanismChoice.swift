// Chooses a mechanism from the server's offer, and its channel binding.

/// A mechanism, the profile to use it with, and the channel data that SCRAM needs.
struct MechanismChoice: Sendable {
    let mechanism: SASLMechanism
    let isSASL2: Bool
    let channel: SCRAM.Channel
    /// Whether the server offers channel binding, and the client wants it, but not with a kind that both have.
    let lacksBinding: Bool
}

/// The mechanisms that the client may use on a connection.
struct MechanismPolicy: Sendable {
    private let accepted: Set<SASLMechanism>
    /// Whether an accepted mechanism can bind the channel.
    private let wantsBinding: Bool
    /// The certificate hash for channel binding; `nil` if there is none, or no accepted mechanism binds the channel.
    private let certificateHash: [UInt8]?

    /// - Parameter credential: The credential that the client has; `nil` for the password.
    init(
        _ configuration: XMPPConnectorConfiguration, _ credential: Credential?, isEncrypted: Bool,
        certificateHash: [UInt8]?
    ) {
        let mayTellPassword = isEncrypted || configuration.allowsPlainWithoutEncryption
        accepted = configuration.mechanisms.filter { mechanism in
            (mechanism.hash != nil || mayTellPassword) && credential?.fits(mechanism) != false
        }
        wantsBinding = isEncrypted && accepted.contains(where: \.bindsChannel)
        self.certificateHash = wantsBinding ? certificateHash : nil
    }

    /// The strongest mechanism of two offers, with SASL2 if SASL has none that is stronger; `nil` if none may be used.
    func choice(in old: SASLOffer, or new: SASLOffer) -> MechanismChoice? {
        let oldChoice = choice(in: old, isSASL2: false)
        guard let newChoice = choice(in: new, isSASL2: true) else { return oldChoice }
        if let oldChoice, newChoice.mechanism.isWeaker(than: oldChoice.mechanism) { return oldChoice }
        return newChoice
    }

    /// The strongest mechanism of an offer; `nil` if none may be used.
    ///
    /// Without channel binding, the client reports whether that is because the server has not offered any (RFC 5802
    /// §6). A server that only has other kinds, such as Prosody 13, lets in a client that does not bind. An attacker
    /// can remove our kind as long as no login with it is remembered.
    func choice(in offer: SASLOffer, isSASL2: Bool) -> MechanismChoice? {
        let offersOurs = offer.bindings?.contains(ChannelBinding.kind) == true
        let mechanism = SASLMechanism.allCases.first { mechanism in
            accepted.contains(mechanism) && offer.mechanisms.contains(mechanism.rawValue)
                && (!mechanism.bindsChannel || offersOurs && certificateHash != nil)
        }
        guard let mechanism else { return nil }
        var channel = SCRAM.Channel(offer: offer)
        if let certificateHash {
            if mechanism.bindsChannel {
                channel.binding = .certificate(certificateHash)
            } else if !offer.hasBinding {
                channel.binding = .notOffered
            }
        }
        return MechanismChoice(
            mechanism: mechanism, isSASL2: isSASL2, channel: channel,
            lacksBinding: wantsBinding && offer.hasBinding && !mechanism.bindsChannel)
    }
}
