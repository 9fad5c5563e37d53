// The server's part of a login on one connection, as a value: elements in, actions out. It offers STARTTLS, SCRAM and
// PLAIN, SASL2 if the scenario does (XEP-0388, with inline resumption and Bind 2), and then the features of a stream.
// It may not know the scenario's script: Scene.swift decides about points at which the server does something else.

import Foundation
import StreamReference
import XMLTree
import XMPPTransport

struct ServerLogin {
    /// The offers of the server.
    struct Offer {
        var encrypts = true
        var managesStreams = true
        var hasSASL2 = false
    }

    enum Action {
        case write(String)
        case startTLS
        /// The client opens the stream again.
        case restart
        /// A request of SASL2 that belongs to the session: `<resume/>`, or `<bind/>` of Bind 2.
        case inline(resume: Element?, bind: Element?, success: String)
    }

    private enum Stage {
        case anonymous
        case challenged(mechanism: String, first: [UInt8], request: Element)
        case done
    }

    private let account: TortureAccount
    private(set) var isEncrypted = false
    private var stage = Stage.anonymous
    /// How the server proves itself; a scenario changes it.
    var scram: SCRAMServer

    init(account: TortureAccount) {
        self.account = account
        scram = SCRAMServer(password: account.password)
    }

    var isAuthenticated: Bool { if case .done = stage { true } else { false } }

    /// The answer to a stream header.
    func header(_ offer: Offer) -> String {
        "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='\(Names.stream)' id='torture' "
            + "from='\(account.domain)' version='1.0'>"
            + (isAuthenticated || !offer.encrypts || isEncrypted
                ? features(offer)
                : "<stream:features><starttls xmlns='\(Names.tls)'><required/></starttls></stream:features>")
    }

    private func features(_ offer: Offer) -> String {
        var features = ""
        let mechanisms = ["SCRAM-SHA-256", "SCRAM-SHA-1", "PLAIN"].map { "<mechanism>\($0)</mechanism>" }.joined()
        if isAuthenticated {
            features += "<bind xmlns='\(Names.bind)'/><session xmlns='\(Names.session)'><optional/></session>"
            if offer.managesStreams { features += "<sm xmlns='\(Names.management)'/>" }
        } else {
            features += "<mechanisms xmlns='\(Names.sasl)'>\(mechanisms)</mechanisms>"
            if offer.hasSASL2 {
                features +=
                    "<authentication xmlns='\(Names.sasl2)'>\(mechanisms)<inline><sm xmlns='\(Names.management)'/>"
                    + "<bind xmlns='\(Names.bind2)'><inline><feature var='\(Names.management)'/></inline></bind>"
                    + "</inline></authentication>"
            }
        }
        return "<stream:features>\(features)</stream:features>"
    }

    /// Takes an element of a client that is not authenticated.
    mutating func receive(_ element: Element, _ offer: Offer) throws(Violation) -> [Action] {
        switch (element.namespace, element.name) {
        case (Names.tls, "starttls") where offer.encrypts && !isEncrypted:
            isEncrypted = true
            return [.write("<proceed xmlns='\(Names.tls)'/>"), .startTLS, .restart]
        case (Names.sasl, "auth") where isEncrypted || !offer.encrypts:
            return begin(element, mechanism: element["mechanism"] ?? "", initial: element.text ?? "")
        case (Names.sasl2, "authenticate") where offer.hasSASL2 && (isEncrypted || !offer.encrypts):
            return begin(
                element, mechanism: element["mechanism"] ?? "", initial: element.child("initial-response")?.text ?? "")
        case (Names.sasl, "abort"), (Names.sasl2, "abort"):
            stage = .anonymous
            return [.write("<failure xmlns='\(element.namespace ?? "")'><aborted xmlns='\(Names.sasl)'/></failure>")]
        case (Names.sasl, "response"), (Names.sasl2, "response"):
            return respond(Self.bytes(element.text ?? ""))
        default:
            throw Violation("a client logs in before it sends anything else", element.description)
        }
    }

    private mutating func begin(_ request: Element, mechanism: String, initial: String) -> [Action] {
        let initial = Self.bytes(initial)
        if mechanism == "PLAIN" {
            let secret = Array("\0\(account.user)\0\(account.password)".utf8)
            // A client may name the identity that it acts as (RFC 4616 §2): its own.
            let isRight = initial == secret || initial == Array(account.address.utf8) + secret
            return isRight ? succeed(request, data: nil) : refuse(request)
        }
        guard mechanism == "SCRAM-SHA-256" || mechanism == "SCRAM-SHA-1" else { return refuse(request) }
        stage = .challenged(mechanism: mechanism, first: initial, request: request)
        let challenge = Data(scram.first(initial).utf8).base64EncodedString()
        return [.write("<challenge xmlns='\(request.namespace ?? "")'>\(challenge)</challenge>")]
    }

    private mutating func respond(_ final: [UInt8]) -> [Action] {
        guard case .challenged(let mechanism, let first, let request) = stage else { return [] }
        guard let proof = scram.last(SCRAMHash(mechanism), first, final) else { return refuse(request) }
        return succeed(request, data: Data(proof.utf8).base64EncodedString())
    }

    private mutating func refuse(_ request: Element) -> [Action] {
        stage = .anonymous
        return [.write("<failure xmlns='\(request.namespace ?? "")'><not-authorized xmlns='\(Names.sasl)'/></failure>")]
    }

    private mutating func succeed(_ request: Element, data: String?) -> [Action] {
        stage = .done
        guard request.namespace == Names.sasl2 else {
            return [.write("<success xmlns='\(Names.sasl)'>\(data ?? "")</success>"), .restart]
        }
        let proof = data.map { "<additional-data>\($0)</additional-data>" } ?? ""
        return [
            .inline(
                resume: request.child("resume", namespace: .uri(Names.management)),
                bind: request.child("bind", namespace: .uri(Names.bind2)), success: proof)
        ]
    }

    /// The features after an authentication with SASL2.
    func featuresAfterSASL2(_ offer: Offer) -> String { features(offer) }

    private static func bytes(_ base64: String) -> [UInt8] { Array(Data(base64Encoded: base64) ?? Data()) }
}

/// The namespaces that a server uses.
enum Names {
    static let stream = "http://etherx.jabber.org/streams"
    static let streams = "urn:ietf:params:xml:ns:xmpp-streams"
    static let stanzas = "urn:ietf:params:xml:ns:xmpp-stanzas"
    static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
    static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    static let sasl2 = "urn:xmpp:sasl:2"
    static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
    static let bind2 = "urn:xmpp:bind:0"
    static let session = "urn:ietf:params:xml:ns:xmpp-session"
    static let management = "urn:xmpp:sm:3"
    static let client = "jabber:client"

    /// A text as part of an attribute or of content.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("'", with: "&apos;")
            .replacing("]]>", with: "]]&gt;")
    }
}
