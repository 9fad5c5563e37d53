// The authorities whose certificates a connection trusts.

/// The authorities whose certificates are trusted.
public enum TrustRoots: Hashable, Sendable {
    /// The authorities that the system trusts.
    case system
    /// The authorities that the system trusts, and these: one or more certificates as PEM.
    case systemAnd(pem: String)
    /// Only these: one or more certificates as PEM.
    case certificates(pem: String)
}
