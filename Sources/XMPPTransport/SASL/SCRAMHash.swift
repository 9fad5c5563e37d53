// The cryptography of SCRAM and channel binding. Only this file of the module uses swift-crypto.

import Crypto

/// The hash that a SCRAM mechanism is named after.
package enum SCRAMHash: CaseIterable, Sendable {
    case sha1, sha256, sha512

    /// The length of its values.
    var length: Int {
        switch self {
        case .sha1: Insecure.SHA1.byteCount
        case .sha256: SHA256.byteCount
        case .sha512: SHA512.byteCount
        }
    }

    /// Its code in a stored ``SaltedPassword``. Codes never change.
    var code: UInt8 {
        switch self {
        case .sha1: 1
        case .sha256: 2
        case .sha512: 3
        }
    }

    /// HMAC of the message.
    package func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        switch self {
        case .sha1: Self.code(message, SymmetricKey(data: key), Insecure.SHA1.self)
        case .sha256: Self.code(message, SymmetricKey(data: key), SHA256.self)
        case .sha512: Self.code(message, SymmetricKey(data: key), SHA512.self)
        }
    }

    package func hash(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sha1: Array(Insecure.SHA1.hash(data: bytes))
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }

    /// `Hi` of RFC 5802 §2.2, which is PBKDF2 with one block. Takes time that is linear in the iterations.
    package func stretch(_ password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8] {
        switch self {
        case .sha1: Self.stretch(password, salt, iterations, Insecure.SHA1.self)
        case .sha256: Self.stretch(password, salt, iterations, SHA256.self)
        case .sha512: Self.stretch(password, salt, iterations, SHA512.self)
        }
    }

    private static func code<H: HashFunction>(_ message: [UInt8], _ key: SymmetricKey, _: H.Type) -> [UInt8] {
        Array(HMAC<H>.authenticationCode(for: message, using: key))
    }

    private static func stretch<H: HashFunction>(
        _ password: [UInt8], _ salt: [UInt8], _ iterations: Int, _: H.Type
    ) -> [UInt8] {
        // The key is hashed once, and each round begins with a copy of that state.
        let keyed = HMAC<H>(key: SymmetricKey(data: password))
        var first = keyed
        first.update(data: salt)
        first.update(data: [0, 0, 0, 1] as [UInt8])
        var block = first.finalize()
        var result = Array(block)
        for _ in 1..<max(1, iterations) {
            var round = keyed
            block.withUnsafeBytes { round.update(bufferPointer: $0) }
            block = round.finalize()
            block.withUnsafeBytes { bytes in
                for index in result.indices { result[index] ^= bytes[index] }
            }
        }
        return result
    }
}

extension HMAC {
    fileprivate mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) { update(data: bytes) }
}

/// Whether two values are equal, in a time that does not depend on where they differ.
func isEqualInConstantTime(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    var difference: UInt8 = 0
    for (a, b) in zip(one, other) { difference |= a ^ b }
    return difference == 0
}

extension CertificateHash {
    func hash(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }
}
