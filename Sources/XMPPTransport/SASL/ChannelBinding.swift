// How SCRAM is bound to the connection that it runs on (RFC 5802 §6), by the server's certificate (RFC 5929 §4).

/// The client's statement about channel binding.
enum ChannelBinding: Equatable, Sendable {
    /// The client cannot bind in a way that the server knows, or at all.
    case unsupported
    /// The client supports it, and the server has not offered it. A server that did offer it learns that an attacker
    /// removed the offer.
    case notOffered
    /// To the hash of the server's certificate.
    case certificate([UInt8])

    /// The kind that is known here, as XEP-0440 lists it.
    static let kind = "tls-server-end-point"

    /// The beginning of SCRAM's first message.
    var header: String {
        switch self {
        case .unsupported: "n,,"
        case .notOffered: "y,,"
        case .certificate: "p=\(Self.kind),,"
        }
    }

    /// The data that the client's proof covers, too.
    var data: [UInt8] {
        if case .certificate(let hash) = self { hash } else { [] }
    }
}
