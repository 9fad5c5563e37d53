// A message, and the small payloads in it: delays, identifiers, receipts, markers, chat states.
//
// The structures hold the content that the XEPs define, and ignore all other content. They know nothing of sessions.
// ForwardedMessages.swift has the messages in messages.

public import Foundation
@_exported public import PayloadMacros

/// A message between clients (RFC 6121 §5), with the payloads of this file.
///
/// ```swift
/// let message = try ChatMessage(stanza)
/// if let body = message.body { show(body, message.from) }
/// ```
@Payload("{jabber:client}message")
public struct ChatMessage: Sendable, Hashable {
    @Attribute public var from: JID?
    @Attribute public var to: JID?
    @Attribute public var id: String?
    @Attribute public var type: MessageType = .normal
    /// The text in each language (RFC 6121 §5.2.3).
    @Child("body") public var bodies: LocalizedText = LocalizedText()
    @Child("subject") public var subjects: LocalizedText = LocalizedText()
    @Child("thread") public var thread: String?
    /// The entities that held the message, each with its time.
    @Child public var delays: [Delay] = []
    @Child public var originID: OriginID?
    @Child public var stanzaIDs: [StanzaIdentifier] = []
    @Child public var state: ChatState?
    /// Whether the sender wants a receipt (XEP-0184 §5).
    @Flag("{urn:xmpp:receipts}request") public var wantsReceipt: Bool = false
    @Child public var receipt: Receipt?
    /// Whether the sender wants markers (XEP-0333 §4).
    @Flag("{urn:xmpp:chat-markers:0}markable") public var isMarkable: Bool = false
    @Child public var marker: ChatMarker?

    /// The first text; `nil` for a message without one, such as a receipt.
    public var body: String? { bodies.first }

    /// Makes a message. Set the other properties afterwards.
    public init(to: JID? = nil, type: MessageType = .chat, id: String? = nil, body: LocalizedText = LocalizedText()) {
        (self.to, self.type, self.id, bodies) = (to, type, id, body)
    }
}

/// The type of a message (RFC 6121 §5.2.2). One that is not known is `normal`.
public enum MessageType: String, Sendable, CaseIterable, PayloadValue {
    case chat, error, groupchat, headline, normal

    public init?(payloadText text: String) { self = Self(rawValue: text) ?? .normal }
}

/// When a stanza was sent that arrives late (XEP-0203).
@Payload("{urn:xmpp:delay}delay")
public struct Delay: Sendable, Hashable {
    /// The entity that held the stanza.
    @Attribute public var from: JID?
    @Attribute public var stamp: Date
    /// The reason for people.
    @Text public var reason: String?

    public init(from: JID? = nil, stamp: Date, reason: String? = nil) {
        (self.from, self.stamp, self.reason) = (from, stamp, reason)
    }
}

/// The identifier that an archive or a room gave a message (XEP-0359 §2). Trust it only if `by` has announced that it
/// removes those of others (§6).
@Payload("{urn:xmpp:sid:0}stanza-id")
public struct StanzaIdentifier: Sendable, Hashable {
    @Attribute public var id: String
    @Attribute public var by: JID

    public init(id: String, by: JID) { (self.id, self.by) = (id, by) }
}

/// The identifier that the sender gave a message (XEP-0359 §2).
@Payload("{urn:xmpp:sid:0}origin-id")
public struct OriginID: Sendable, Hashable {
    @Attribute public var id: String

    public init(id: String) { self.id = id }
}

/// The activity of the partner in a chat (XEP-0085).
@Payload("{http://jabber.org/protocol/chatstates}")
public enum ChatState: String, Sendable, Hashable, CaseIterable {
    case active, composing, paused, inactive, gone
}

/// The request for a receipt (XEP-0184 §5).
@Payload("{urn:xmpp:receipts}request")
public struct ReceiptRequest: Sendable, Hashable {
    public init() {}
}

/// The receipt of a message (XEP-0184 §5).
@Payload("{urn:xmpp:receipts}received")
public struct Receipt: Sendable, Hashable {
    /// The identifier of the message that arrived.
    @Attribute public var id: String

    public init(id: String) { self.id = id }
}

/// How far a reader has come in a chat (XEP-0333).
@Payload
public enum ChatMarker: Sendable, Hashable {
    case received(ReceivedMarker)
    case displayed(DisplayedMarker)
    case acknowledged(AcknowledgedMarker)

    /// The identifier of the last message up to which it counts.
    public var id: String {
        switch self {
        case .received(let marker): marker.id
        case .displayed(let marker): marker.id
        case .acknowledged(let marker): marker.id
        }
    }
}

/// The message arrived at the reader's client (XEP-0333, before version 0.5).
@Payload("{urn:xmpp:chat-markers:0}received")
public struct ReceivedMarker: Sendable, Hashable {
    @Attribute public var id: String

    public init(id: String) { self.id = id }
}

/// The message was displayed (XEP-0333 §4).
@Payload("{urn:xmpp:chat-markers:0}displayed")
public struct DisplayedMarker: Sendable, Hashable {
    @Attribute public var id: String

    public init(id: String) { self.id = id }
}

/// The reader has confirmed the message (XEP-0333, before version 0.5).
@Payload("{urn:xmpp:chat-markers:0}acknowledged")
public struct AcknowledgedMarker: Sendable, Hashable {
    @Attribute public var id: String

    public init(id: String) { self.id = id }
}
