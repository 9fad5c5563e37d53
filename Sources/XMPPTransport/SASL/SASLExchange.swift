// One exchange of messages with a mechanism. Authentication.swift and Authentication2.swift wrap the messages in XML.

/// The client's side of one authentication.
struct SASLExchange: Sendable {
    let mechanism: SASLMechanism
    /// The client's first message.
    let initialResponse: [UInt8]
    private var scram: SCRAM?
    /// Whether the server may have the client's proof, and has not accepted it with its own.
    private(set) var hasOpenProof: Bool

    /// The client's statement about channel binding.
    var binding: ChannelBinding { scram?.binding ?? .unsupported }

    /// The salted password of SCRAM, once the server has proved that it knows it.
    var saltedPassword: SaltedPassword? { scram?.isVerified == true ? scram?.saltedPassword : nil }

    init(
        _ choice: MechanismChoice, user: String, credential: Credential, iterations: ClosedRange<Int>
    ) throws(XMPPConnectionError) {
        mechanism = choice.mechanism
        // PLAIN's first message is the password.
        hasOpenProof = choice.mechanism.hash == nil
        let prepared: String? =
            if let password = credential.password { try SASLprep.prepare(password.secret) } else { nil }
        if let hash = mechanism.hash {
            let scram = SCRAM(
                hash, user: user, secret: SCRAM.Secret(password: prepared, salted: credential.salted),
                iterations: iterations, channel: choice.channel)
            initialResponse = scram.firstMessage
            self.scram = scram
        } else {
            guard let prepared else { throw .passwordNeeded }
            initialResponse = [0] + Array(user.utf8) + [0] + Array(prepared.utf8)
        }
    }

    /// The answer to a challenge.
    mutating func respond(to challenge: [UInt8]) throws(XMPPConnectionError) -> [UInt8] {
        guard scram != nil else { throw .unexpectedElement("challenge", .authenticating) }
        do throws(SCRAMError) {
            if hasOpenProof {
                // The server's last message may also come as a challenge; the client answers with an empty response.
                if scram?.isVerified == true { throw SCRAMError.malformed }
                try scram?.verify(challenge)
                return []
            }
            if let response = try scram?.respond(to: challenge) {
                hasOpenProof = true
                return response
            }
        } catch {
            throw .serverNotAuthentic(error)
        }
        throw .passwordNeeded
    }

    /// Ends the exchange after the server has reported success. `message` is the mechanism's last one, unless that has
    /// arrived before.
    mutating func finish(_ message: [UInt8]?) throws(XMPPConnectionError) {
        if scram != nil {
            do throws(SCRAMError) {
                if let message, scram?.isVerified == false { try scram?.verify(message) }
                if scram?.isVerified != true { throw SCRAMError.noSignature }
            } catch {
                throw .serverNotAuthentic(error)
            }
        }
        hasOpenProof = false
    }
}
