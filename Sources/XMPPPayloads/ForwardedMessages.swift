// Messages inside of other stanzas: carbon copies, and the results of archives, with their pages.

public import DataFormMacros
public import Foundation

/// A message that another entity sent (XEP-0297). Check the forwarding entity before you trust it.
@Payload("{urn:xmpp:forward:0}forwarded")
public struct Forwarded: Sendable, Hashable {
    @Child public var delay: Delay?
    /// The message. `try ChatMessage(forwarded.message)` reads it.
    @Child("{jabber:client}message") public var message: Element

    public init(_ message: Element, delay: Delay? = nil) { (self.message, self.delay) = (message, delay) }
}

/// A copy of a message of another client of the account (XEP-0280 §7). Only the account's own server may send one
/// (§11).
@Payload
public enum CarbonCopy: Sendable, Hashable {
    case received(ReceivedCopy)
    case sent(SentCopy)

    /// The message that was copied.
    public var forwarded: Forwarded {
        switch self {
        case .received(let copy): copy.forwarded
        case .sent(let copy): copy.forwarded
        }
    }
}

/// The copy of a message that another client received (XEP-0280 §7).
@Payload("{urn:xmpp:carbons:2}received")
public struct ReceivedCopy: Sendable, Hashable {
    @Child public var forwarded: Forwarded

    public init(_ forwarded: Forwarded) { self.forwarded = forwarded }
}

/// The copy of a message that another client sent (XEP-0280 §8).
@Payload("{urn:xmpp:carbons:2}sent")
public struct SentCopy: Sendable, Hashable {
    @Child public var forwarded: Forwarded

    public init(_ forwarded: Forwarded) { self.forwarded = forwarded }
}

/// The content of the request that turns carbon copies on or off (XEP-0280 §4, §5).
@Payload("{urn:xmpp:carbons:2}")
public enum CarbonsRequest: Sendable, Hashable, CaseIterable {
    case enable, disable
}

// MARK: Archives

/// The content of a request to an archive (XEP-0313 §4).
///
/// ```swift
/// var query = ArchiveQuery(id: "f27", page: ResultPage(max: 50))
/// query.filter = ArchiveFilter(with: "juliet@capulet.example")
/// ```
@Payload("{urn:xmpp:mam:2}query")
public struct ArchiveQuery: Sendable, Hashable {
    /// The identifier that all results have.
    @Attribute("queryid") public var id: String?
    /// The node of a pubsub service.
    @Attribute public var node: String?
    @Form(.submit) public var filter: ArchiveFilter?
    @Child public var page: ResultPage?
    /// Whether the last message of a page comes first.
    @Flag("flip-page") public var isFlipped: Bool = false

    public init(id: String? = nil, node: String? = nil, filter: ArchiveFilter? = nil, page: ResultPage? = nil) {
        (self.id, self.node, self.filter, self.page) = (id, node, filter, page)
    }
}

/// The messages that an archive is asked for (XEP-0313 §4.1).
@DataForm("urn:xmpp:mam:2")
public struct ArchiveFilter: Sendable, Hashable {
    @Field public var with: JID?
    @Field public var start: Date?
    @Field public var end: Date?
    @Field("after-id") public var afterID: String?
    @Field("before-id") public var beforeID: String?
    /// `nil` for any: many archives do not know the field.
    @Field public var ids: [String]?

    public init(with: JID? = nil, start: Date? = nil, end: Date? = nil, ids: [String]? = nil) {
        (self.with, self.start, self.end, self.ids) = (with, start, end, ids)
    }
}

/// A message of an archive (XEP-0313 §4.2), a child element of the message that brings it.
@Payload("{urn:xmpp:mam:2}result")
public struct ArchiveResult: Sendable, Hashable {
    @Attribute("queryid") public var queryID: String?
    /// The identifier of the message in the archive.
    @Attribute public var id: String
    @Child public var forwarded: Forwarded

    public init(id: String, queryID: String? = nil, forwarded: Forwarded) {
        (self.id, self.queryID, self.forwarded) = (id, queryID, forwarded)
    }
}

/// The end of a page of an archive, in the answer to the request (XEP-0313 §4.3).
@Payload("{urn:xmpp:mam:2}fin")
public struct ArchiveEnd: Sendable, Hashable {
    /// Whether this page is the last one.
    @Attribute("complete") public var isComplete: Bool = false
    /// Whether the results stay the same if they are requested again.
    @Attribute("stable") public var isStable: Bool = true
    @Child public var page: ResultPage

    public init(page: ResultPage, isComplete: Bool = false) { (self.page, self.isComplete) = (page, isComplete) }
}

/// A page of results: the requested one, or the one that came (XEP-0059).
@Payload("{http://jabber.org/protocol/rsm}set")
public struct ResultPage: Sendable, Hashable {
    /// The most results that are requested.
    @Child("max") public var max: Int?
    /// The item before which the page ends; the empty text for the last page.
    @Child("before") public var before: String?
    /// The item after which the page begins.
    @Child("after") public var after: String?
    /// The requested position of the first result among all.
    @Child("index") public var index: Int?
    @Child public var first: FirstResult?
    /// The item to pass as `after` for the next page.
    @Child("last") public var last: String?
    /// The number of all results.
    @Child("count") public var count: Int?

    public init(max: Int? = nil, before: String? = nil, after: String? = nil) {
        (self.max, self.before, self.after) = (max, before, after)
    }
}

/// The first result of a page (XEP-0059 §2.1).
@Payload("{http://jabber.org/protocol/rsm}first")
public struct FirstResult: Sendable, Hashable {
    /// Its position among all results.
    @Attribute public var index: Int?
    /// The item to pass as `before` for the page before this one.
    @Text public var id: String

    public init(id: String, index: Int? = nil) { (self.id, self.index) = (id, index) }
}
