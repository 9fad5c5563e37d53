// The server's side of a login, correct or with deliberate mistakes.

import Foundation
import StanzaTorture

@testable import XMPPTransport

typealias SCRAMServer = StanzaTorture.SCRAMServer

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
    func open(_ features: String) async throws {
        try await hear("xmlns:stream='http://etherx.jabber.org/streams'>")
        let header = Self.header.replacing("from='localhost'", with: "from='\(domain)'")
        try await say(header + "<stream:features>\(features)</stream:features>")
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
        sendsSignature: Bool = true
    ) async throws {
        let namespace = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"
        try await open(features ?? Self.mechanisms(mechanism))
        try await hear("mechanism='\(mechanism)'")
        let first = try await hearBase64(until: "</auth>")
        let refusal = "<failure \(namespace)><not-authorized/><text>\(Self.refusal)</text></failure>"
        if mechanism == "PLAIN" {
            let isRight = first == Array("\0alice\0\(scram.password)".utf8)
            return try await say(isRight ? "<success \(namespace)/>" : refusal)
        }
        try await say("<challenge \(namespace)>\(Self.base64(scram.first(first)))</challenge>")
        let last = try await hearBase64(until: "</response>")
        guard let signature = scram.last(SCRAMHash(mechanism), first, last) else {
            return try await say(refusal)
        }
        try await say(
            sendsSignature ? "<success \(namespace)>\(Self.base64(signature))</success>" : "<success \(namespace)/>")
    }

    static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    /// Binds any requested resource.
    func bind(as address: String = "alice@localhost/1") async throws {
        let request = try await hear("</iq>")
        let id = request.firstMatch(of: /id=['"]([^'"]*)['"]/).map { String($0.1) } ?? ""
        try await say(
            "<iq type='result' id='\(id)'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>\(address)</jid></bind></iq>"
        )
    }
}
