// Binds SCRAM to its connection (RFC 5802 §6), by the server's certificate (RFC 5929 §4).

/// The client's statement about channel binding.
enum ChannelBinding: Equatable, Sendable {
    /// The client cannot bind, or not in a way that the server knows.
    case unsupported
    /// The client supports it, and the server has not offered it. A server that did offer it learns that an attacker
    /// removed the offer.
    case notOffered
    /// The client binds to this hash of the server's certificate.
    case certificate([UInt8])

    /// The supported kind, by its name in XEP-0440.
    static let kind = "tls-server-end-point"

    /// The beginning of SCRAM's first message.
    var header: String {
        switch self {
        case .unsupported: "n,,"
        case .notOffered: "y,,"
        case .certificate: "p=\(Self.kind),,"
        }
    }

    /// The data of the binding, which the client's proof covers.
    var data: [UInt8] {
        if case .certificate(let hash) = self { hash } else { [] }
    }
}
