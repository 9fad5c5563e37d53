// How SCRAM is bound to the connection that it runs on (RFC 5802 §6), by the server's certificate (RFC 5929 §4).

/// What the client says about channel binding.
enum ChannelBinding: Equatable, Sendable {
    /// The client cannot bind in a way that the server knows, or at all.
    case unsupported
    /// The client could, and the server has not offered it. A server that has offered it learns by this that somebody
    /// took it away.
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

    /// What the client proves that it knows, too.
    var data: [UInt8] {
        if case .certificate(let hash) = self { hash } else { [] }
    }
}
