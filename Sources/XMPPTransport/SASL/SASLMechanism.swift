// The supported mechanisms, in the order of their strength.

/// A mechanism of SASL. The strongest case comes first.
public enum SASLMechanism: String, CaseIterable, Sendable {
    // Mechanisms that are bound to the server's certificate come first: with the others, a man in the middle whose
    // certificate is trusted can use the client's messages.
    case scramSHA512Plus = "SCRAM-SHA-512-PLUS"
    case scramSHA256Plus = "SCRAM-SHA-256-PLUS"
    case scramSHA1Plus = "SCRAM-SHA-1-PLUS"
    case scramSHA512 = "SCRAM-SHA-512"
    case scramSHA256 = "SCRAM-SHA-256"
    case scramSHA1 = "SCRAM-SHA-1"
    /// Sends the password to the server.
    case plain = "PLAIN"

    /// SCRAM's hash; `nil` for PLAIN.
    package var hash: SCRAMHash? {
        switch self {
        case .scramSHA512Plus, .scramSHA512: .sha512
        case .scramSHA256Plus, .scramSHA256: .sha256
        case .scramSHA1Plus, .scramSHA1: .sha1
        case .plain: nil
        }
    }

    /// Whether it binds the authentication to the connection.
    var bindsChannel: Bool {
        switch self {
        case .scramSHA512Plus, .scramSHA256Plus, .scramSHA1Plus: true
        case .scramSHA512, .scramSHA256, .scramSHA1, .plain: false
        }
    }

    static var strongest: SASLMechanism { allCases[0] }

    func isWeaker(than other: SASLMechanism) -> Bool {
        Self.allCases.firstIndex(of: self) ?? 0 > Self.allCases.firstIndex(of: other) ?? 0
    }
}

extension Set<SASLMechanism> {
    /// All of SCRAM: the server never learns the password, and has to prove that it knows it.
    public static var scram: Self { Set(SASLMechanism.allCases.filter { $0 != .plain }) }

    /// SCRAM with channel binding only. The connector refuses a login that is not bound to the server's certificate
    /// (``XMPPConnectionError/noChannelBinding(kinds:isFinal:)``), and so every login without TLS.
    public static var scramPlus: Self { Set(SASLMechanism.allCases.filter(\.bindsChannel)) }
}
