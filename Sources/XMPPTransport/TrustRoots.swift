// Whom to believe about certificates.

/// The authorities whose certificates are trusted.
public enum TrustRoots: Hashable, Sendable {
    /// Those that the system trusts.
    case system
    /// These and no others: one or more certificates as PEM.
    case certificates(pem: String)
}
