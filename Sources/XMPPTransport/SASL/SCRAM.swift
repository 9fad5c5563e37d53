// SCRAM (RFC 5802, RFC 7677) as a client: messages in and out, all of them hostile.

import Foundation

/// What a server did against the rules of SCRAM. It is not to be trusted with anything.
public enum SCRAMError: Error, Hashable, Sendable {
    /// A message does not have the form of RFC 5802 §7.
    case malformed
    /// It demands an extension that nobody here knows.
    case unknownExtension
    /// The nonce does not begin with ours, or adds nothing to it.
    case wrongNonce
    /// So few or so many iterations: the first would make the password easy to guess, the second keep us busy.
    case iterations(Int)
    /// The server does not know the password, or its keys.
    case wrongSignature
    /// It says that we are in before it has proved itself.
    case noSignature
    /// It has refused the proof, with this word of RFC 5802 §7.
    case refused(String)
}

extension SCRAMError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed: "the server's SCRAM message is malformed"
        case .unknownExtension: "the server demands an unknown extension of SCRAM"
        case .wrongNonce: "the server's nonce does not continue ours"
        case .iterations(let count): "the server asks for \(count) iterations, which is not within the limits set"
        case .wrongSignature: "the server's signature is wrong: it does not know the password"
        case .noSignature: "the server has not proved that it knows the password"
        case .refused(let reason): "the server has refused the proof: \(reason)"
        }
    }
}

/// One authentication. Channel binding is not offered, and so the flag is `n` (§6).
struct SCRAM: Sendable {
    private let hash: SCRAMHash
    private let password: [UInt8]
    private let nonce: String
    private let user: String
    private let iterations: ClosedRange<Int>
    private var expectedSignature: [UInt8]?
    private(set) var isVerified = false

    /// - Parameters:
    ///   - user: the user's name, prepared.
    ///   - password: prepared (``SASLprep``).
    ///   - iterations: what the server may ask for.
    ///   - nonce: random; printable ASCII without a comma.
    init(
        _ hash: SCRAMHash, user: String, password: String, iterations: ClosedRange<Int>,
        nonce: String = Self.randomNonce()
    ) {
        self.hash = hash
        self.user = user.replacing("=", with: "=3D").replacing(",", with: "=2C")
        self.password = Array(password.utf8)
        self.iterations = iterations
        self.nonce = nonce
    }

    /// 144 random bits.
    static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<18).map { _ in UInt8.random(in: 0...255, using: &generator) }).base64EncodedString()
    }

    private static let header = "n,,"

    /// The client's first message.
    var firstMessage: [UInt8] { Array((Self.header + bareFirst).utf8) }

    private var bareFirst: String { "n=\(user),r=\(nonce)" }

    /// The client's last message, in answer to the server's first.
    mutating func respond(to challenge: [UInt8]) throws(SCRAMError) -> [UInt8] {
        let attributes = try Self.attributes(of: challenge)
        guard attributes.first?.name != "m" else { throw .unknownExtension }
        guard attributes.count >= 3, attributes[0].name == "r", attributes[1].name == "s", attributes[2].name == "i",
            let salt = Data(base64Encoded: String(attributes[1].value)), !salt.isEmpty,
            let count = Int(attributes[2].value), attributes[2].value.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw .malformed }
        let serverNonce = attributes[0].value
        guard serverNonce.utf8.starts(with: nonce.utf8), serverNonce.utf8.count > nonce.utf8.count else {
            throw .wrongNonce
        }
        guard iterations.contains(count) else { throw .iterations(count) }

        let salted = hash.stretch(password, salt: Array(salt), iterations: count)
        let clientKey = hash.authenticate(Array("Client Key".utf8), key: salted)
        let serverKey = hash.authenticate(Array("Server Key".utf8), key: salted)
        let withoutProof = "c=\(Data(Self.header.utf8).base64EncodedString()),r=\(serverNonce)"
        let message = Array("\(bareFirst),".utf8) + challenge + Array(",\(withoutProof)".utf8)
        let signature = hash.authenticate(message, key: hash.hash(clientKey))
        let proof = zip(clientKey, signature).map { $0 ^ $1 }
        expectedSignature = hash.authenticate(message, key: serverKey)
        return Array("\(withoutProof),p=\(Data(proof).base64EncodedString())".utf8)
    }

    /// Checks the server's last message: whether it knows the password, too.
    mutating func verify(_ message: [UInt8]) throws(SCRAMError) {
        guard let expectedSignature else { throw .malformed }
        guard let first = try Self.attributes(of: message).first else { throw .malformed }
        switch first.name {
        case "e": throw .refused(String(first.value.prefix(Self.longestReason)))
        case "v":
            guard let signature = Data(base64Encoded: String(first.value)) else { throw .malformed }
            guard isEqualInConstantTime(Array(signature), expectedSignature) else { throw .wrongSignature }
            isVerified = true
        default: throw .malformed
        }
    }

    /// It goes to logs; RFC 5802's reasons are shorter.
    private static let longestReason = 100

    /// Far more than any server sends.
    private static let longestMessage = 4096

    /// `a=…,b=…` as names and values.
    private static func attributes(of message: [UInt8]) throws(SCRAMError) -> [(name: Character, value: Substring)] {
        guard message.count <= longestMessage, let text = String(validating: message, as: UTF8.self) else {
            throw .malformed
        }
        var attributes: [(name: Character, value: Substring)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let name = part.first, name.isASCII, name.isLetter, part.dropFirst().first == "=" else {
                throw .malformed
            }
            attributes.append((name, part.dropFirst(2)))
        }
        return attributes
    }
}
