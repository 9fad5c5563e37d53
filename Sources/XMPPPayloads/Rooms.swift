// Rooms: the request to join one, and the state of its occupants. Discovery.swift finds rooms.

public import Foundation
public import PayloadMacros

/// The request to join a room, in a presence to it (XEP-0045 §7.2).
///
/// ```swift
/// let presence = MutableElement(
///     "presence", namespace: "jabber:client", attributes: ["to": "coven@chat.example/hag"])
/// try presence.add(RoomJoin(history: RoomHistory(maxStanzas: 20)))
/// ```
@Payload("{http://jabber.org/protocol/muc}x")
public struct RoomJoin: Sendable, Hashable {
    @Child("password") public var password: String?
    @Child public var history: RoomHistory?

    public init(password: String? = nil, history: RoomHistory? = nil) {
        (self.password, self.history) = (password, history)
    }
}

/// How much of a room's history is requested (XEP-0045 §7.2.14).
@Payload("{http://jabber.org/protocol/muc}history")
public struct RoomHistory: Sendable, Hashable {
    @Attribute("maxchars") public var maxCharacters: Int?
    @Attribute("maxstanzas") public var maxStanzas: Int?
    @Attribute public var seconds: Int?
    @Attribute public var since: Date?

    public init(maxStanzas: Int? = nil, since: Date? = nil) { (self.maxStanzas, self.since) = (maxStanzas, since) }
}

/// The state of an occupant and of the room, in a presence from the room (XEP-0045 §7.2, §15.6).
@Payload("{http://jabber.org/protocol/muc#user}x")
public struct RoomStatus: Sendable, Hashable {
    /// The code of a presence about oneself.
    public static let ownPresence = 110

    @Child public var item: RoomItem?
    /// The codes, such as `ownPresence` (XEP-0045 §15.6.2).
    @Child("status", attribute: "code") public var codes: [Int] = []

    public init(item: RoomItem? = nil, codes: [Int] = []) { (self.item, self.codes) = (item, codes) }
}

/// An occupant of a room (XEP-0045 §7.2.3).
@Payload("{http://jabber.org/protocol/muc#user}item")
public struct RoomItem: Sendable, Hashable {
    @Attribute public var affiliation: Affiliation?
    @Attribute public var role: Role?
    /// The address, unless the room hides it.
    @Attribute public var jid: JID?
    /// The new nickname.
    @Attribute public var nick: String?
    @Child("reason") public var reason: String?

    public init(affiliation: Affiliation? = nil, role: Role? = nil, jid: JID? = nil) {
        (self.affiliation, self.role, self.jid) = (affiliation, role, jid)
    }

    /// The lasting relation of an account to a room (XEP-0045 §5.2).
    public enum Affiliation: String, Sendable, CaseIterable, PayloadValue {
        case admin, member, none, outcast, owner
    }

    /// The rights of an occupant until it leaves (XEP-0045 §5.1).
    public enum Role: String, Sendable, CaseIterable, PayloadValue {
        case moderator, none, participant, visitor
    }
}
