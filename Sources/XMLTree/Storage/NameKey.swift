// Keyed hashes of names: one integer comparison decides whether a name and its namespace match.
//
// A key is a 64-bit SipHash-1-3 under a secret of this process. Two different names collide with a probability of
// 2⁻⁶⁴, and an attacker outside the process cannot search for a collision. Keys are never stored or sent: they mean
// nothing to another process. If the environment sets SWIFT_DETERMINISTIC_HASHING, the hash has no secret. Use that
// setting for debugging, not for programs that read untrusted input.
//
// This file does not depend on trees. Next: NameTable.swift.

/// The keyed hash of a local name, a namespace, a qualified name, or a pair of namespace and local name.
///
/// The key of an expanded name is the sum of the keys of its parts, so that one part can be exchanged without hashing
/// again. A query for `body` in the namespace of its parent adds two integers.
@usableFromInline package struct NameKey: Hashable, Sendable, BitwiseCopyable {
    @usableFromInline package let rawValue: UInt64

    @inlinable package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Returns the key of the pair of this namespace and this local name.
    @inlinable package static func + (namespace: NameKey, local: NameKey) -> NameKey {
        NameKey(rawValue: namespace.rawValue &+ local.rawValue)
    }
}

extension NameKey {
    /// The role of the hashed bytes. Equal bytes in different roles have unrelated keys.
    @usableFromInline package enum Role: UInt8 {
        case local, namespace, declaration

        /// A qualified name as written. Without a prefix it is a local name, and has the same key.
        package static var qualified: Role { .local }
    }

    @inline(never)
    package init(_ role: Role, _ bytes: UnsafeBufferPointer<UInt8>) {
        let secret =
            switch role {
            case .local: Self.secrets.local
            case .namespace: Self.secrets.namespace
            case .declaration: Self.secrets.declaration
            }
        rawValue = SipHash.hash(bytes, key: secret)
    }

    package init(_ role: Role, _ string: String) {
        self = string.withBytes { NameKey(role, $0) }
    }

    /// The key of each role's hash.
    private static let secrets = (
        local: secret(of: .local), namespace: secret(of: .namespace), declaration: secret(of: .declaration)
    )

    /// Derives a key from the standard library's secret.
    private static func secret(of role: Role) -> (UInt64, UInt64) {
        func word(_ number: UInt8) -> UInt64 {
            var hasher = Hasher()
            // A program can show hash values, so no other code may hash the same input.
            hasher.combine("XMLTree.NameKey")
            hasher.combine(role.rawValue)
            hasher.combine(number)
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
        return (word(0), word(1))
    }

    /// The key of "no namespace".
    static let noNamespace = NameKey(.namespace, "")

    /// The key of the declaration of a default namespace. No search for a prefix finds it.
    static let defaultDeclaration = NameKey(.namespace, "xmlns")
}
