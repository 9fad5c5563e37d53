// The server's side of SCRAM (RFC 5802), correct or with deliberate mistakes. It may not know XML. ServerLogin.swift
// uses it, and so do the tests of XMPPTransport.

import Foundation
import XMPPTransport

/// How a server proves itself with SCRAM.
package struct SCRAMServer: Sendable {
    package var password = "secret"
    package var iterations = 4096
    package var nonce = "server"
    package var salt = "salt"
    /// The text after the iterations.
    package var attributes = ""
    /// The channel-binding data that the client must use, if it binds the authentication.
    package var certificateHash: [UInt8] = []
    package var keepsClientNonce = true
    package var signature: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    package init(
        password: String = "secret", iterations: Int = 4096, nonce: String = "server", salt: String = "salt",
        attributes: String = "", certificateHash: [UInt8] = [], keepsClientNonce: Bool = true,
        signature: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) {
        self.password = password
        self.iterations = iterations
        self.nonce = nonce
        self.salt = salt
        self.attributes = attributes
        self.certificateHash = certificateHash
        self.keepsClientNonce = keepsClientNonce
        self.signature = signature
    }

    /// Returns the server's first message for the client's first message.
    package func first(_ clientFirst: [UInt8]) -> String {
        let salt = Data(salt.utf8).base64EncodedString()
        return "\(fullNonce(clientFirst)),s=\(salt),i=\(iterations)\(attributes)"
    }

    /// The attribute with the nonces of both sides, which the client has to repeat (RFC 5802 §5.1).
    private func fullNonce(_ clientFirst: [UInt8]) -> String {
        let attributes = String(decoding: clientFirst, as: UTF8.self).split(separator: ",")
        let clientNonce = attributes.first { $0.hasPrefix("r=") }?.dropFirst(2) ?? ""
        return "r=\(keepsClientNonce ? clientNonce : "other")\(nonce)"
    }

    /// Returns the last message; `nil` if the client has the wrong password or channel binding.
    package func last(_ hash: SCRAMHash, _ clientFirst: [UInt8], _ clientLast: [UInt8]) -> String? {
        let final = String(decoding: clientLast, as: UTF8.self)
        guard let proofStart = final.range(of: ",p=") else { return nil }
        let text = String(decoding: clientFirst, as: UTF8.self)
        guard let bareStart = text.range(of: ",,")?.upperBound else { return nil }
        let header = Data(text[..<bareStart].utf8) + (text.hasPrefix("p=") ? Data(certificateHash) : Data())
        let attributes = final[..<proofStart.lowerBound].split(separator: ",")
        guard attributes.starts(with: ["c=\(header.base64EncodedString())", fullNonce(clientFirst)[...]]) else {
            return nil
        }
        let message = Array("\(text[bareStart...]),\(first(clientFirst)),\(final[..<proofStart.lowerBound])".utf8)
        let salted = hash.stretch(Array(password.utf8), salt: Array(salt.utf8), iterations: iterations)
        let clientKey = hash.authenticate(Array("Client Key".utf8), key: salted)
        let proof = zip(clientKey, hash.authenticate(message, key: hash.hash(clientKey))).map { $0 ^ $1 }
        guard final[proofStart.upperBound...] == Data(proof).base64EncodedString() else { return nil }
        let serverKey = hash.authenticate(Array("Server Key".utf8), key: salted)
        return "v=" + Data(signature(hash.authenticate(message, key: serverKey))).base64EncodedString()
    }
}

extension SCRAMHash {
    /// The hash of a mechanism.
    package init(_ mechanism: String) {
        self = SASLMechanism(rawValue: mechanism)?.hash ?? .sha256
    }
}
