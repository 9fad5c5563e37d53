// The server's side of a login, correct or with deliberate mistakes.

import Foundation

@testable import XMPPTransport

/// How a server proves itself with SCRAM.
struct SCRAMServer: Sendable {
    var password = "secret"
    var iterations = 4096
    var nonce = "server"
    var salt = "salt"
    /// The text after the iterations.
    var attributes = ""
    /// The channel-binding data that the client must use, if it binds the authentication.
    var certificateHash: [UInt8] = []
    var keepsClientNonce = true
    var signature: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    /// Returns the server's first message for the client's first message.
    func first(_ clientFirst: [UInt8]) -> String {
        let text = String(decoding: clientFirst, as: UTF8.self)
        let clientNonce = text.split(separator: ",").last.map { $0.dropFirst(2) } ?? ""
        let salt = Data(salt.utf8).base64EncodedString()
        return "r=\(keepsClientNonce ? clientNonce : "other")\(nonce),s=\(salt),i=\(iterations)\(attributes)"
    }

    /// Returns the last message; `nil` if the client has the wrong password or channel binding.
    func last(_ hash: SCRAMHash, _ clientFirst: [UInt8], _ clientLast: [UInt8]) -> String? {
        let final = String(decoding: clientLast, as: UTF8.self)
        guard let proofStart = final.range(of: ",p=") else { return nil }
        let text = String(decoding: clientFirst, as: UTF8.self)
        guard let bareStart = text.range(of: ",,")?.upperBound else { return nil }
        let header = Data(text[..<bareStart].utf8) + (text.hasPrefix("p=") ? Data(certificateHash) : Data())
        guard final.hasPrefix("c=\(header.base64EncodedString()),r=") else { return nil }
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
    init(_ mechanism: String) {
        self = SASLMechanism(rawValue: mechanism)?.hash ?? .sha256
    }
}

extension ScriptedConnection {
    static let header =
        "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
        + "id='1' from='localhost' version='1.0'>"

    static let startTLSFeature = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>"

    static func mechanisms(_ names: String...) -> String {
        "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
            + names.map { "<mechanism>\($0)</mechanism>" }.joined() + "</mechanisms>"
    }

    /// The text with which a scripted server rejects a client.
    static let refusal = "wrong user or password"

    static let sm = "<sm xmlns='urn:xmpp:sm:3'/>"
    static let bindFeature = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"

    /// Answers a stream header.
    func open(_ features: String, trickling: Bool = false) async throws {
        try await hear("xmlns:stream='http://etherx.jabber.org/streams'>")
        let header = Self.header.replacing("from='localhost'", with: "from='\(domain)'")
        let text = header + "<stream:features>\(features)</stream:features>"
        if trickling { try await trickle(text) } else { try await say(text) }
    }

    /// Offers STARTTLS, and encrypts the connection.
    func encrypt(as identity: ServerIdentity = .localhost) async throws {
        try await open(Self.startTLSFeature)
        try await hear("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
        // The server switches to TLS before the client can begin its handshake.
        try await say("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", thenTLSAs: identity)
    }

    /// Kinds of channel binding (XEP-0440).
    static func bindings(_ kinds: String...) -> String {
        "<sasl-channel-binding xmlns='urn:xmpp:sasl-cb:0'>"
            + kinds.map { "<channel-binding type='\($0)'/>" }.joined() + "</sasl-channel-binding>"
    }

    /// Accepts a client that knows the password.
    ///
    /// - Parameters:
    ///   - mechanism: The mechanism that the client uses.
    ///   - features: The offered features; `nil` offers that mechanism.
    func logIn(
        _ mechanism: String = "SCRAM-SHA-256", _ scram: SCRAMServer = SCRAMServer(), features: String? = nil,
        sendsSignature: Bool = true, trickling: Bool = false
    ) async throws {
        func answer(_ text: String) async throws {
            if trickling { try await trickle(text) } else { try await say(text) }
        }
        let namespace = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"
        try await open(features ?? Self.mechanisms(mechanism), trickling: trickling)
        try await hear("mechanism='\(mechanism)'")
        let first = try await hearBase64(until: "</auth>")
        let refusal = "<failure \(namespace)><not-authorized/><text>\(Self.refusal)</text></failure>"
        if mechanism == "PLAIN" {
            let isRight = first == Array("\0alice\0\(scram.password)".utf8)
            return try await answer(isRight ? "<success \(namespace)/>" : refusal)
        }
        try await answer("<challenge \(namespace)>\(Self.base64(scram.first(first)))</challenge>")
        let last = try await hearBase64(until: "</response>")
        guard let signature = scram.last(SCRAMHash(mechanism), first, last) else {
            return try await answer(refusal)
        }
        try await answer(
            sendsSignature ? "<success \(namespace)>\(Self.base64(signature))</success>" : "<success \(namespace)/>")
    }

    static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    /// Binds any requested resource.
    func bind(as address: String = "alice@localhost/1", trickling: Bool = false) async throws {
        let request = try await hear("</iq>")
        let id = request.firstMatch(of: /id=['"]([^'"]*)['"]/).map { String($0.1) } ?? ""
        let answer =
            "<iq type='result' id='\(id)'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>\(address)</jid></bind></iq>"
        if trickling { try await trickle(answer) } else { try await say(answer) }
    }
}
