// The measured message in three forms: a payload, reads that are written by hand, and a type for XMLCoder.

import Foundation
import PayloadMacros
import XMLCoder

enum Kind: String, PayloadValue, Codable { case chat, groupchat, normal }

@Payload("{jabber:client}message")
struct Message: Equatable {
    @Attribute var from: JID?
    @Attribute var id: String?
    @Attribute var type: Kind = .normal
    @Child("body") var body: String?
    @Child var delay: Delay?

    static let document = """
        <message xmlns='jabber:client' from='romeo@example.net/orchard' id='9a7c1d0e' type='chat'>\
        <body>Art thou not Juliet, and a Capulet?</body><delay xmlns='urn:xmpp:delay' from='example.net' \
        stamp='2002-09-10T23:08:25Z'/></message>
        """
    static let bodyLength = 35
}

@Payload("{urn:xmpp:delay}delay")
struct Delay: Equatable {
    @Attribute var from: JID?
    @Attribute var stamp: Date
}

/// The reads of an app without payloads, with the same checks.
enum ByHand {
    struct Mistake: Error {}

    static func read(_ message: XMLTree.Element) throws -> Message {
        guard message.name == "message", message.namespace == "jabber:client" else { throw Mistake() }
        var delay: Delay?
        if let element = message.child("delay", namespace: "urn:xmpp:delay") {
            guard let stamp = try element.findFirst("/@stamp|datetime", as: Date.self) else { throw Mistake() }
            delay = Delay(from: try address(element["from"]), stamp: stamp)
        }
        var kind = Kind.normal
        if let type = message["type"] {
            guard let known = Kind(rawValue: type) else { throw Mistake() }
            kind = known
        }
        return Message(
            from: try address(message["from"]), id: message["id"], type: kind, body: message.child("body")?.text,
            delay: delay)
    }

    private static func address(_ text: String?) throws -> JID? { try text.map { try JID(parsing: $0) } }
}

/// The same for XMLCoder, which ignores namespaces, and reads no dates from attributes.
struct Coded: Codable {
    struct CodedDelay: Codable {
        @XMLCoder.Attribute var from: String?
        @XMLCoder.Attribute var stamp: String
    }

    @XMLCoder.Attribute var from: String?
    @XMLCoder.Attribute var id: String?
    @XMLCoder.Attribute var type: Kind
    let body: String?
    let delay: CodedDelay?

    var message: Message {
        get throws {
            Message(
                from: try from.map { try JID(parsing: $0) }, id: id, type: type, body: body,
                delay: try delay.map { delay in
                    Delay(
                        from: try delay.from.map { try JID(parsing: $0) },
                        stamp: try Date(delay.stamp, strategy: .iso8601))
                })
        }
    }
}
