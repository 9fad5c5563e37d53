// Items of publish-subscribe, and the contents of two kinds of them: avatars and keys for encryption.

public import Foundation
public import PayloadMacros

/// A notification about a node (XEP-0060 §7.1.2.1).
///
/// ```swift
/// let items = try message.first(PubSubEvent.self)?.items?.items ?? []
/// let devices = try items.first?.payload.map { try OMEMODevices($0) }
/// ```
@Payload("{http://jabber.org/protocol/pubsub#event}event")
public struct PubSubEvent: Sendable, Hashable {
    @Child public var items: EventItems?

    public init(_ items: EventItems?) { self.items = items }
}

/// The items of a notification (XEP-0060 §7.1.2.1, §7.2.2.1).
@Payload("{http://jabber.org/protocol/pubsub#event}items")
public struct EventItems: Sendable, Hashable {
    @Attribute public var node: String
    @Child public var items: [EventItem] = []
    /// The identifiers of items that were retracted.
    @Child("retract", attribute: "id") public var retracted: [String] = []

    public init(node: String, items: [EventItem] = [], retracted: [String] = []) {
        (self.node, self.items, self.retracted) = (node, items, retracted)
    }
}

/// An item of a notification (XEP-0060 §7.1.2.1).
@Payload("{http://jabber.org/protocol/pubsub#event}item")
public struct EventItem: Sendable, Hashable {
    @Attribute public var id: String?
    @Attribute public var publisher: String?
    /// The content, unless the notification leaves it out.
    @Rest public var payload: Element?

    public init(id: String?, publisher: String? = nil, payload: Element? = nil) {
        (self.id, self.publisher, self.payload) = (id, publisher, payload)
    }
}

/// A request for the items of a node, or the answer (XEP-0060 §6.5).
@Payload("{http://jabber.org/protocol/pubsub}pubsub")
public struct PubSubItemsRequest: Sendable, Hashable {
    @Child public var items: PubSubItems
    @Child public var page: ResultPage?

    public init(_ items: PubSubItems, page: ResultPage? = nil) { (self.items, self.page) = (items, page) }
}

/// The items of a node (XEP-0060 §6.5.2).
@Payload("{http://jabber.org/protocol/pubsub}items")
public struct PubSubItems: Sendable, Hashable {
    @Attribute public var node: String
    /// The number of the newest items that are requested.
    @Attribute("max_items") public var max: Int?
    @Child public var items: [PubSubItem] = []

    public init(node: String, max: Int? = nil, items: [PubSubItem] = []) {
        (self.node, self.max, self.items) = (node, max, items)
    }
}

/// An item of a node (XEP-0060 §6.5.2).
@Payload("{http://jabber.org/protocol/pubsub}item")
public struct PubSubItem: Sendable, Hashable {
    @Attribute public var id: String?
    @Rest public var payload: Element?

    public init(id: String?, payload: Element? = nil) { (self.id, self.payload) = (id, payload) }
}

// MARK: Avatars

/// The images of an avatar; none of them if the avatar was removed (XEP-0084 §4.2).
@Payload("{urn:xmpp:avatar:metadata}metadata")
public struct AvatarMetadata: Sendable, Hashable {
    @Child public var images: [AvatarImage] = []

    public init(_ images: [AvatarImage] = []) { self.images = images }
}

/// One form of an avatar's image (XEP-0084 §4.2.1).
@Payload("{urn:xmpp:avatar:metadata}info")
public struct AvatarImage: Sendable, Hashable {
    /// The SHA-1 of the image, and the identifier of its item.
    @Attribute public var id: String
    /// The media type, such as `image/png`.
    @Attribute public var type: String
    /// The size in bytes.
    @Attribute public var bytes: Int
    @Attribute public var width: Int?
    @Attribute public var height: Int?
    /// Where the image is, if it is not published as an item.
    @Attribute public var url: URL?

    public init(id: String, type: String, bytes: Int, url: URL? = nil) {
        (self.id, self.type, self.bytes, self.url) = (id, type, bytes, url)
    }
}

// MARK: Encryption

/// The devices of an account that can decrypt messages (XEP-0384 §5.3.1).
@Payload("{urn:xmpp:omemo:2}devices")
public struct OMEMODevices: Sendable, Hashable {
    @Child public var devices: [OMEMODevice] = []

    public init(_ devices: [OMEMODevice] = []) { self.devices = devices }
}

/// A device that can decrypt messages (XEP-0384 §5.3.1).
@Payload("{urn:xmpp:omemo:2}device")
public struct OMEMODevice: Sendable, Hashable {
    @Attribute public var id: UInt32
    @Attribute public var label: String?
    /// The signature of the label.
    @Attribute("labelsig") public var labelSignature: Data?

    public init(id: UInt32, label: String? = nil) { (self.id, self.label) = (id, label) }
}

/// The public keys of a device (XEP-0384 §5.3.2).
///
/// ```swift
/// let bundle = try OMEMOBundle(element)
/// let preKey = bundle.preKeys.randomElement()
/// ```
@Payload("{urn:xmpp:omemo:2}bundle")
public struct OMEMOBundle: Sendable, Hashable {
    @Child public var signedPreKey: OMEMOSignedPreKey
    @Child("spks") public var signature: Data
    @Child("ik") public var identityKey: Data
    @Child(in: "prekeys") public var preKeys: [OMEMOPreKey] = []

    public init(signedPreKey: OMEMOSignedPreKey, signature: Data, identityKey: Data, preKeys: [OMEMOPreKey]) {
        (self.signedPreKey, self.signature) = (signedPreKey, signature)
        (self.identityKey, self.preKeys) = (identityKey, preKeys)
    }
}

/// The pre-key that the identity key signs (XEP-0384 §5.3.2).
@Payload("{urn:xmpp:omemo:2}spk")
public struct OMEMOSignedPreKey: Sendable, Hashable {
    @Attribute public var id: UInt32
    @Text public var key: Data

    public init(id: UInt32, key: Data) { (self.id, self.key) = (id, key) }
}

/// A pre-key, which starts one session (XEP-0384 §5.3.2).
@Payload("{urn:xmpp:omemo:2}pk")
public struct OMEMOPreKey: Sendable, Hashable {
    @Attribute public var id: UInt32
    @Text public var key: Data

    public init(id: UInt32, key: Data) { (self.id, self.key) = (id, key) }
}
