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

    @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

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

    package init(_ role: Role, _ string: String) { self = string.withBytes { NameKey(role, $0) } }

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

    static let noNamespace = NameKey(.namespace, "")

    /// The key of the declaration of a default namespace. No search for a prefix finds it.
    static let defaultDeclaration = NameKey(.namespace, "xmlns")
}

enum SipHash {
    /// Returns the hash of bytes under a key of 128 bits.
    @inline(__always)
    static func hash(_ bytes: UnsafeBufferPointer<UInt8>, key: (UInt64, UInt64)) -> UInt64 {
        var a = key.0 ^ 0x736F_6D65_7073_6575
        var b = key.1 ^ 0x646F_7261_6E64_6F6D
        var c = key.0 ^ 0x6C79_6765_6E65_7261
        var d = key.1 ^ 0x7465_6462_7974_6573
        @inline(__always) func mix() {
            a &+= b
            b = b.rotated(13) ^ a
            a = a.rotated(32)
            c &+= d
            d = d.rotated(16) ^ c
            a &+= d
            d = d.rotated(21) ^ a
            c &+= b
            b = b.rotated(17) ^ c
            c = c.rotated(32)
        }
        @inline(__always) func add(_ word: UInt64) {
            d ^= word
            mix()
            a ^= word
        }
        var rest = UInt64(truncatingIfNeeded: bytes.count) &<< 56
        if let start = UnsafeRawPointer(bytes.baseAddress) {
            var offset = 0
            while offset &+ 8 <= bytes.count {
                add(start.word(at: offset))
                offset &+= 8
            }
            if offset > 0 {
                // The shift drops the bytes before the rest.
                rest |= (start.word(at: bytes.count &- 8) &>> 8) &>> UInt64(56 &- 8 &* (bytes.count & 7))
            } else if bytes.count >= 4 {
                let last = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: bytes.count &- 4, as: UInt32.self))
                rest |= UInt64(UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)))
                rest |= UInt64(last) &<< UInt64(8 &* bytes.count &- 32)
            } else if bytes.count > 0 {
                // The first byte, the one in the middle, and the last one: some of them are the same.
                let (middle, last) = (bytes.count / 2, bytes.count &- 1)
                rest |= UInt64(bytes[0]) | UInt64(bytes[middle]) &<< UInt64(8 &* middle)
                rest |= UInt64(bytes[last]) &<< UInt64(8 &* last)
            }
        }
        add(rest)
        c ^= 0xFF
        for _ in 0..<3 { mix() }
        return a ^ b ^ c ^ d
    }
}

extension UInt64 {
    @inline(__always)
    fileprivate func rotated(_ count: UInt64) -> UInt64 { self &<< count | self &>> (64 &- count) }
}
