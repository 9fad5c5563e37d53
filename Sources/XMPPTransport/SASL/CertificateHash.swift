// The hash of a certificate for channel binding (RFC 5929 §4.1). It reads DER (X.690) within bounds, and of a
// certificate only the algorithm of its signature.

/// The hash that an authority has signed a certificate with.
enum CertificateHash: CaseIterable, Sendable {
    case sha256, sha384, sha512

    /// The hash for binding to a certificate; `nil` if RFC 5929 has none, as for Ed25519, or this file does not know
    /// it.
    static func binding(to certificate: [UInt8]) -> [UInt8]? {
        Self(signing: certificate)?.hash(certificate)
    }

    /// `Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signature }` (RFC 5280 §4.1).
    init?(signing certificate: [UInt8]) {
        var file = DERReader(certificate[...])
        guard var fields = file.sequence(), file.isAtEnd, fields.sequence() != nil,
            let algorithm = fields.sequence(), fields.next(0x03) != nil, fields.isAtEnd,
            let hash = Self(signature: algorithm)
        else { return nil }
        self = hash
    }

    /// An `AlgorithmIdentifier` of a signature.
    private init?(signature: DERReader) {
        var fields = signature
        guard let name = fields.next(0x06) else { return nil }
        switch Array(name) {
        // MD5 and SHA-1, which are too weak, are replaced by SHA-256 (RFC 5929).
        case Self.rsa + [4], Self.rsa + [5], Self.rsa + [11], Self.ecdsa + [1], Self.ecdsa + [3, 2]: self = .sha256
        case Self.rsa + [12], Self.ecdsa + [3, 3]: self = .sha384
        case Self.rsa + [13], Self.ecdsa + [3, 4]: self = .sha512
        case Self.rsa + [10]: self.init(pssParameters: &fields)
        default: return nil
        }
    }

    /// RSASSA-PSS names its hash in its parameters, SHA-1 if it names none (RFC 4055 §3.1).
    private init?(pssParameters fields: inout DERReader) {
        guard var parameters = fields.sequence() else { return nil }
        guard let tagged = parameters.next(0xA0) else {
            self = .sha256
            return
        }
        var explicit = DERReader(tagged)
        guard var algorithm = explicit.sequence(), explicit.isAtEnd, let name = algorithm.next(0x06) else { return nil }
        switch Array(name) {
        case Self.sha1, Self.sha2 + [1]: self = .sha256
        case Self.sha2 + [2]: self = .sha384
        case Self.sha2 + [3]: self = .sha512
        default: return nil
        }
    }

    /// 1.2.840.113549.1.1
    private static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1]
    /// 1.2.840.10045.4
    private static let ecdsa: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4]
    /// 2.16.840.1.101.3.4.2
    private static let sha2: [UInt8] = [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2]
    /// 1.3.14.3.2.26
    private static let sha1: [UInt8] = [0x2B, 14, 3, 2, 26]
}

/// Reads one value of DER after another.
private struct DERReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { bytes.isEmpty }

    /// Reads the next value, and returns its content. If the value has another tag or is malformed, it returns `nil`
    /// and stays before the value.
    mutating func next(_ tag: UInt8) -> ArraySlice<UInt8>? {
        var rest = bytes
        guard rest.popFirst() == tag, let length = Self.length(&rest), length <= rest.count else { return nil }
        bytes = rest.dropFirst(length)
        return rest.prefix(length)
    }

    mutating func sequence() -> DERReader? { next(0x30).map(DERReader.init) }

    /// A length in as few bytes as possible, at most three: no certificate is larger.
    private static func length(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard let first = rest.popFirst() else { return nil }
        if first < 0x80 { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...3).contains(count), rest.count >= count else { return nil }
        let length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(count)
        return length >= 0x80 && length >> (8 * (count - 1)) > 0 ? length : nil
    }
}
