// The cryptography of SCRAM, and the only file here that knows swift-crypto.

import Crypto

/// The hash that a SCRAM mechanism is named after.
enum SCRAMHash: Sendable {
    case sha1, sha256

    /// HMAC of the message.
    func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        switch self {
        case .sha1: Self.code(message, SymmetricKey(data: key), Insecure.SHA1.self)
        case .sha256: Self.code(message, SymmetricKey(data: key), SHA256.self)
        }
    }

    func hash(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sha1: Array(Insecure.SHA1.hash(data: bytes))
        case .sha256: Array(SHA256.hash(data: bytes))
        }
    }

    /// `Hi` of RFC 5802 §2.2, which is PBKDF2 with one block. Takes time that is linear in the iterations.
    func stretch(_ password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8] {
        switch self {
        case .sha1: Self.stretch(password, salt, iterations, Insecure.SHA1.self)
        case .sha256: Self.stretch(password, salt, iterations, SHA256.self)
        }
    }

    private static func code<H: HashFunction>(_ message: [UInt8], _ key: SymmetricKey, _: H.Type) -> [UInt8] {
        Array(HMAC<H>.authenticationCode(for: message, using: key))
    }

    private static func stretch<H: HashFunction>(
        _ password: [UInt8], _ salt: [UInt8], _ iterations: Int, _: H.Type
    ) -> [UInt8] {
        // The key is hashed once, and each round begins with a copy of that.
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

/// Whether two values are equal, in a time that says nothing of where they differ.
func isEqualInConstantTime(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    var difference: UInt8 = 0
    for (a, b) in zip(one, other) { difference |= a ^ b }
    return difference == 0
}
