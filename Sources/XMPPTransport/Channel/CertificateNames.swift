// The names of a server's certificate (RFC 9525). NIOSSL checks everything else about the certificate.

/// Decides whether a certificate is for a domain.
enum CertificateNames {
    /// Whether one of a certificate's DNS names covers a domain (RFC 9525 §6.3).
    ///
    /// A wildcard is a whole label, the first one, and covers exactly one label, which may be the encoding of an
    /// internationalized one. Common names do not count.
    ///
    /// - Parameters:
    ///   - domain: The domain, in ASCII.
    ///   - names: The `dNSName`s of the certificate's `subjectAltName`.
    static func cover(_ domain: String, in names: [[UInt8]]) -> Bool {
        let labels = labels(of: Array(domain.utf8))
        return names.contains { name in
            let pattern = Self.labels(of: name)
            guard pattern.count == labels.count, !pattern.contains(where: \.isEmpty) else { return false }
            if pattern[0] == [UInt8(ascii: "*")], pattern.count > 1 { return pattern.dropFirst() == labels.dropFirst() }
            return pattern == labels
        }
    }

    /// The labels of a name, in lower case: capitals of other scripts do not occur in ASCII.
    private static func labels(of name: [UInt8]) -> [[UInt8]] {
        name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { label in
            label.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        }
    }
}
