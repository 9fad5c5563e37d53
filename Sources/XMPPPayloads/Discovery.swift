// Service discovery: the identity, the features and the items of an entity. It knows no XEP that has features.

public import PayloadMacros

/// The identity and the features of an entity, or the request for them (XEP-0030 §3).
///
/// ```swift
/// let info = try iq.first(DiscoInfo.self)
/// let hasArchive = info?.features.contains("urn:xmpp:mam:2") == true
/// ```
@Payload("{http://jabber.org/protocol/disco#info}query")
public struct DiscoInfo: Sendable, Hashable {
    @Attribute public var node: String?
    @Child public var identities: [DiscoIdentity] = []
    @Child("feature", attribute: "var") public var features: [String] = []
    /// Further information (XEP-0128).
    @Form public var forms: [DataForm] = []

    public init(node: String? = nil, identities: [DiscoIdentity] = [], features: [String] = []) {
        (self.node, self.identities, self.features) = (node, identities, features)
    }
}

/// The kind of an entity, such as a server or a room (XEP-0030 §3.1).
@Payload("{http://jabber.org/protocol/disco#info}identity")
public struct DiscoIdentity: Sendable, Hashable {
    @Attribute public var category: String
    @Attribute public var type: String
    @Attribute public var name: String?
    /// The language of the name.
    @Attribute("xml:lang") public var language: String?

    public init(category: String, type: String, name: String? = nil, language: String? = nil) {
        (self.category, self.type, self.name, self.language) = (category, type, name, language)
    }
}

/// The items of an entity, or the request for them (XEP-0030 §4).
@Payload("{http://jabber.org/protocol/disco#items}query")
public struct DiscoItems: Sendable, Hashable {
    @Attribute public var node: String?
    @Child public var items: [DiscoItem] = []

    public init(node: String? = nil, items: [DiscoItem] = []) { (self.node, self.items) = (node, items) }
}

/// An item of an entity, which has an address, and perhaps a node (XEP-0030 §4.1).
@Payload("{http://jabber.org/protocol/disco#items}item")
public struct DiscoItem: Sendable, Hashable {
    @Attribute public var jid: JID
    @Attribute public var node: String?
    @Attribute public var name: String?

    public init(_ jid: JID, node: String? = nil, name: String? = nil) {
        (self.jid, self.node, self.name) = (jid, node, name)
    }
}
