// The secret that an app can keep instead of a password.

/// A salted password of SCRAM (RFC 5802 §3): it logs in to one account, and does not reveal the password.
///
/// ``XMPPConnector/saltedPassword`` has it after an authentication with SCRAM. Store its ``bytes`` where you would
/// store a password, in a keychain: anyone with these bytes can log in until the password or its salt changes.
///
/// It belongs to one hash, one salt and one number of iterations. If the server requires others, the client needs the
/// password once more (``XMPPConnectionError/passwordNeeded``).
public struct SaltedPassword: Sendable, Equatable {
    let hash: SCRAMHash
    let salt: [UInt8]
    let iterations: Int
    let key: [UInt8]

    /// Derives it. Takes time that is linear in the iterations.
    init(of password: String, _ hash: SCRAMHash, salt: [UInt8], iterations: Int) {
        self.hash = hash
        self.salt = salt
        self.iterations = iterations
        key = hash.stretch(Array(password.utf8), salt: salt, iterations: iterations)
    }

    /// Whether it was made with this hash, salt and number of iterations.
    func isMade(with hash: SCRAMHash, salt: [UInt8], iterations: Int) -> Bool {
        self.hash == hash && self.salt == salt && self.iterations == iterations
    }
}

extension SaltedPassword {
    /// The number of the format, the first of ``bytes``.
    private static let format: UInt8 = 1
    /// Format, hash, and the iterations in four bytes.
    private static let headLength = 6
    /// The longest salt that fits into a message of SCRAM.
    private static let longestSalt = 4096

    /// Reads the format of ``bytes``; `nil` for any other data.
    public init?(bytes: [UInt8]) {
        guard bytes.count > Self.headLength, bytes[0] == Self.format,
            let hash = SCRAMHash.allCases.first(where: { $0.code == bytes[1] })
        else { return nil }
        let iterations = bytes[2..<Self.headLength].reduce(0) { $0 << 8 | Int($1) }
        let key = bytes.dropFirst(Self.headLength).prefix(hash.length)
        let salt = bytes.dropFirst(Self.headLength + hash.length)
        guard iterations > 0, key.count == hash.length, (1...Self.longestSalt).contains(salt.count) else { return nil }
        self.hash = hash
        self.salt = Array(salt)
        self.iterations = iterations
        self.key = Array(key)
    }

    /// All fields as bytes. Store them as a secret.
    public var bytes: [UInt8] {
        let count = UInt32(clamping: iterations)
        return [Self.format, hash.code] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + key + salt
    }
}

extension SaltedPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "(salted password)" }
    public var debugDescription: String { description }
    /// Has no children, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The proof of identity: a password, a salted one, or a password and the latest salted one made from it.
struct Credential: Sendable {
    let password: Password?
    let salted: SaltedPassword?

    /// Whether a mechanism can use it: a salted password belongs to one hash.
    func fits(_ mechanism: SASLMechanism) -> Bool {
        password != nil || (mechanism.hash != nil && mechanism.hash == salted?.hash)
    }
}
