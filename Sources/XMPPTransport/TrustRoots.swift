// Whose certificates a connection believes.

/// The authorities whose certificates are trusted.
public enum TrustRoots: Hashable, Sendable {
    /// The authorities that the system trusts.
    case system
    /// The authorities that the system trusts, and these: one or more certificates as PEM.
    case systemAnd(pem: String)
    /// These and no others: one or more certificates as PEM.
    case certificates(pem: String)
}
