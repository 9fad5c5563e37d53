// Chooses a mechanism from the server's offer, and its channel binding.

/// A mechanism, the profile to use it with, and the channel data that SCRAM needs.
struct MechanismChoice: Sendable {
    let mechanism: SASLMechanism
    let isSASL2: Bool
    let channel: SCRAM.Channel
}

/// The mechanisms that the client may use on a connection.
struct MechanismPolicy: Sendable {
    private let accepted: Set<SASLMechanism>
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
        self.certificateHash = accepted.contains(where: \.bindsChannel) ? certificateHash : nil
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
    /// §6). A server that offers other kinds, or lists none, has to confirm that wherever it must offer ours: where it
    /// lists kinds, and with SASL2 (XEP-0440 §3, XEP-0474 §7). Servers from before the list offer `tls-unique` only.
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
            } else {
                channel.needsConfirmation = isSASL2 || offer.bindings != nil
            }
        }
        return MechanismChoice(mechanism: mechanism, isSASL2: isSASL2, channel: channel)
    }
}
