// Which mechanisms there are, which one is chosen, and one exchange of messages with it. How messages are wrapped in
// XML is Authentication.swift's and Authentication2.swift's.

/// A mechanism that is known here, the strongest first.
enum SASLMechanism: String, CaseIterable, Sendable {
    case scramSHA256 = "SCRAM-SHA-256"
    case scramSHA1 = "SCRAM-SHA-1"
    /// Tells the server the password.
    case plain = "PLAIN"

    /// The strongest of those offered; `nil` if none may be used.
    static func strongest(of offered: [String], allowingPlain: Bool) -> SASLMechanism? {
        allCases.first { offered.contains($0.rawValue) && ($0 != .plain || allowingPlain) }
    }
}

/// One authentication, as the client sees it.
struct SASLExchange: Sendable {
    let mechanism: SASLMechanism
    /// What is sent first.
    let initialResponse: [UInt8]
    private var scram: SCRAM?
    private var hasResponded = false

    init(
        _ mechanism: SASLMechanism, user: String, password: Password, iterations: ClosedRange<Int>
    ) throws(XMPPConnectionError) {
        self.mechanism = mechanism
        let prepared = try SASLprep.prepare(password.secret)
        switch mechanism {
        case .plain: initialResponse = [0] + Array(user.utf8) + [0] + Array(prepared.utf8)
        case .scramSHA1, .scramSHA256:
            let hash: SCRAMHash = mechanism == .scramSHA1 ? .sha1 : .sha256
            let scram = SCRAM(hash, user: user, password: prepared, iterations: iterations)
            initialResponse = scram.firstMessage
            self.scram = scram
        }
    }

    /// The answer to a challenge.
    mutating func respond(to challenge: [UInt8]) throws(XMPPConnectionError) -> [UInt8] {
        guard scram != nil else { throw .unexpectedElement("challenge", .authenticating) }
        do {
            if !hasResponded {
                hasResponded = true
                return try scram?.respond(to: challenge) ?? []
            }
            // The server's last message may come as a challenge, too, which is answered with nothing.
            if scram?.isVerified == true { throw SCRAMError.malformed }
            try scram?.verify(challenge)
            return []
        } catch let error as SCRAMError {
            throw .serverNotAuthentic(error)
        } catch {
            throw .serverNotAuthentic(.malformed)
        }
    }

    /// The server says that we are in, with what the mechanism's last message is, if that has not come before.
    mutating func finish(_ message: [UInt8]?) throws(XMPPConnectionError) {
        guard scram != nil else { return }
        do {
            if let message, scram?.isVerified == false { try scram?.verify(message) }
            if scram?.isVerified != true { throw SCRAMError.noSignature }
        } catch let error as SCRAMError {
            throw .serverNotAuthentic(error)
        } catch {
            throw .serverNotAuthentic(.malformed)
        }
    }
}
