// The client's side of SCRAM (RFC 5802, RFC 7677). Each message of the server may be hostile.

public import Foundation
import SafeText

/// A server's violation of the rules of SCRAM. Do not trust such a server.
public enum SCRAMError: Error, Hashable, Sendable {
    /// A message does not have the form of RFC 5802 §7.
    case malformed
    /// The server demands an extension that this implementation does not know.
    case unknownExtension
    /// The nonce does not begin with ours, or adds nothing to it.
    case wrongNonce
    /// The server requests too few iterations, which make the password easy to guess, or too many, which keep the
    /// client busy.
    case iterations(Int)
    /// The server does not know the password, or its keys.
    case wrongSignature
    /// The server reports success before it has proved that it knows the password.
    case noSignature
    /// The server has refused the proof, with this error value of RFC 5802 §7.
    case refused(String)
    /// The server has offered other mechanisms or bindings than arrived (XEP-0474): an attacker on the path changed
    /// them.
    case offerChanged
}

extension SCRAMError {
    /// Whether only the owner of the account can repair it: the server rejects the user's name or the password.
    var isOfAccount: Bool {
        switch self {
        case .refused(let reason): ["invalid-proof", "invalid-username-encoding", "unknown-user"].contains(reason)
        case .malformed, .unknownExtension, .wrongNonce, .iterations, .wrongSignature, .noSignature, .offerChanged:
            false
        }
    }
}

extension SCRAMError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .malformed: "the server's SCRAM message is malformed"
        case .unknownExtension: "the server demands an unknown extension of SCRAM"
        case .wrongNonce: "the server's nonce does not continue ours"
        case .iterations(let count):
            "the server requests \(count) iterations of SCRAM, which the configuration's `iterationCounts` does not allow: "
                + "an attacker may request few to guess the password, or many to keep the client busy. Ask the server's "
                + "operator for the number before you change the setting"
        case .wrongSignature: "the server's signature is wrong: it does not know the password"
        case .noSignature: "the server has not proved that it knows the password"
        case .refused(let reason): "the server has refused the proof: \(reason.excerpt())"
        case .offerChanged:
            "the server has offered other mechanisms than arrived here: an attacker on the path has changed them"
        }
    }
}

/// One authentication.
struct SCRAM: Sendable {
    /// The client's secret.
    struct Secret: Sendable {
        /// The password, prepared by ``SASLprep``.
        let password: String?
        let salted: SaltedPassword?
    }

    /// The connection to authenticate, and the mechanisms and bindings offered on it.
    struct Channel: Sendable {
        var binding = ChannelBinding.unsupported
        var offer = SASLOffer()
    }

    private let hash: SCRAMHash
    private let secret: Secret
    private let nonce: String
    private let user: String
    private let iterations: ClosedRange<Int>
    private let channel: Channel
    private var expectedSignature: [UInt8]?
    private(set) var isVerified = false
    /// The password after salting.
    private(set) var saltedPassword: SaltedPassword?

    /// - Parameters:
    ///   - user: the user's name, prepared.
    ///   - iterations: the numbers that the server may request.
    ///   - nonce: random; printable ASCII without a comma.
    init(
        _ hash: SCRAMHash, user: String, secret: Secret, iterations: ClosedRange<Int>, channel: Channel = Channel(),
        nonce: String = Self.randomNonce()
    ) {
        self.hash = hash
        self.user = user.replacing("=", with: "=3D").replacing(",", with: "=2C")
        self.secret = secret
        self.iterations = iterations
        self.channel = channel
        self.nonce = nonce
    }

    /// 144 random bits.
    static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<18).map { _ in UInt8.random(in: 0...255, using: &generator) }).base64EncodedString()
    }

    /// The client's first message.
    var firstMessage: [UInt8] { Array((channel.binding.header + bareFirst).utf8) }

    private var bareFirst: String { "n=\(user),r=\(nonce)" }

    /// The client's statement about channel binding.
    var binding: ChannelBinding { channel.binding }

    /// The client's last message, in answer to the server's first; `nil` if it needs the password, because the salted
    /// password has another salt or number of iterations.
    mutating func respond(to challenge: [UInt8]) throws(SCRAMError) -> [UInt8]? {
        let attributes = try Self.attributes(of: challenge)
        guard attributes.first?.name != "m" else { throw .unknownExtension }
        guard attributes.count >= 3, attributes[0].name == "r", attributes[1].name == "s", attributes[2].name == "i",
            let salt = SASLText.base64(attributes[1].value), !salt.isEmpty,
            let count = Int(attributes[2].value), attributes[2].value.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw .malformed }
        let serverNonce = attributes[0].value
        guard serverNonce.utf8.starts(with: nonce.utf8), serverNonce.utf8.count > nonce.utf8.count else {
            throw .wrongNonce
        }
        guard iterations.contains(count) else { throw .iterations(count) }
        try checkOffer(attributes.dropFirst(3))

        guard let salted = saltedPassword(salt: salt, iterations: count) else { return nil }
        let clientKey = hash.authenticate(Array("Client Key".utf8), key: salted.key)
        let serverKey = hash.authenticate(Array("Server Key".utf8), key: salted.key)
        let bound = Data(channel.binding.header.utf8) + channel.binding.data
        let withoutProof = "c=\(bound.base64EncodedString()),r=\(serverNonce)"
        let message = Array("\(bareFirst),".utf8) + challenge + Array(",\(withoutProof)".utf8)
        let signature = hash.authenticate(message, key: hash.hash(clientKey))
        let proof = zip(clientKey, signature).map { $0 ^ $1 }
        expectedSignature = hash.authenticate(message, key: serverKey)
        saltedPassword = salted
        return Array("\(withoutProof),p=\(Data(proof).base64EncodedString())".utf8)
    }

    /// The server's signature covers these attributes: an attacker that forges one cannot finish the authentication.
    private func checkOffer(_ attributes: ArraySlice<Attribute>) throws(SCRAMError) {
        let confirmations = attributes.filter { SASLOffer.isConfirmation($0.name) }
        guard confirmations.allSatisfy({ channel.offer.isConfirmed(by: $0, hash) }) else { throw .offerChanged }
    }

    private func saltedPassword(salt: [UInt8], iterations: Int) -> SaltedPassword? {
        if let salted = secret.salted, salted.isMade(with: hash, salt: salt, iterations: iterations) { return salted }
        return secret.password.map { SaltedPassword(of: $0, hash, salt: salt, iterations: iterations) }
    }

    /// Checks the server's last message, which proves that the server knows the password.
    mutating func verify(_ message: [UInt8]) throws(SCRAMError) {
        guard let expectedSignature else { throw .malformed }
        guard let first = try Self.attributes(of: message).first else { throw .malformed }
        switch first.name {
        case "e": throw .refused(String(first.value.prefix(Self.longestReason)))
        case "v":
            guard let signature = SASLText.base64(first.value) else { throw .malformed }
            guard isEqualInConstantTime(signature, expectedSignature) else { throw .wrongSignature }
            isVerified = true
        default: throw .malformed
        }
    }

    /// The longest reason that an error keeps, because logs contain it. RFC 5802's reasons are shorter.
    private static let longestReason = 100

    /// The longest message, in bytes: far more than any server sends.
    private static let longestMessage = 4096

    private typealias Attribute = (name: Character, value: Substring)

    /// Parses `a=…,b=…` into names and values.
    private static func attributes(of message: [UInt8]) throws(SCRAMError) -> [Attribute] {
        guard message.count <= longestMessage, let text = String(validUTF8: message) else {
            throw .malformed
        }
        var attributes: [Attribute] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let name = part.first, name.isASCII, name.isLetter, part.dropFirst().first == "=" else {
                throw .malformed
            }
            attributes.append((name, part.dropFirst(2)))
        }
        return attributes
    }
}
