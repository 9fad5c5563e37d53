// The ten queries that engines are compared by, in the language of each engine.
//
// Each translation is the shortest that its engine's users would write and that gives the same number of results on the
// corpus; the numbers are compared before anything is timed. README.md documents what a language cannot express.

/// One of the queries in several languages.
struct BenchmarkQuery: Sendable {
    let literal: StaticString
    let source: String
    /// XPath with prefixes. `$node` is the argument.
    let libxml2: String
    /// pugixml knows names only as they are written, so the query tests a namespace where the path enters it.
    let pugixml: String

    private init(_ literal: StaticString, libxml2: String, pugixml: String) {
        self.literal = literal
        source = literal.description
        self.libxml2 = libxml2
        self.pugixml = pugixml
    }

    /// Whether it takes `node` as its argument.
    var takesNode: Bool { source.contains("%@") }

    /// The argument: the node that most of the corpus' queries to `pubsub` ask for.
    static let node = "princely_musings"

    static let prefixes = [
        "c": "jabber:client", "stanzas": "urn:ietf:params:xml:ns:xmpp-stanzas", "disco": disco, "pubsub": pubsub,
        "delay": "urn:xmpp:delay", "jingle": "urn:xmpp:jingle:1", "x": "jabber:x:data",
    ]
    private static let disco = "http://jabber.org/protocol/disco#info"
    private static let pubsub = "http://jabber.org/protocol/pubsub"
    private static let itemsInPugixml =
        "pubsub[namespace-uri()='\(pubsub)']/items[namespace-uri()='\(pubsub)']"

    static let all: [BenchmarkQuery] = [
        BenchmarkQuery("/<type=error>", libxml2: "self::*[@type='error']", pugixml: "self::*[@type='error']"),
        BenchmarkQuery(
            "error/{urn:ietf:params:xml:ns:xmpp-stanzas}item-not-found", libxml2: "c:error/stanzas:item-not-found",
            pugixml: "error/item-not-found[namespace-uri()='urn:ietf:params:xml:ns:xmpp-stanzas']"),
        BenchmarkQuery(
            "{http://jabber.org/protocol/disco#info}query/feature@var", libxml2: "disco:query/disco:feature/@var",
            pugixml: "query[namespace-uri()='\(disco)']/feature/@var"),
        BenchmarkQuery(
            "{http://jabber.org/protocol/pubsub}pubsub/items/item", libxml2: "pubsub:pubsub/pubsub:items/pubsub:item",
            pugixml: itemsInPugixml + "/item"),
        BenchmarkQuery("body#", libxml2: "c:body[text()]", pugixml: "body[text()]"),
        BenchmarkQuery(
            "{urn:xmpp:delay}delay@stamp", libxml2: "delay:delay/@stamp",
            pugixml: "delay[namespace-uri()='urn:xmpp:delay']/@stamp"),
        BenchmarkQuery(
            "{urn:xmpp:jingle:1}jingle<action~^session-(initiate|accept)$>",
            libxml2: "jingle:jingle[@action='session-initiate' or @action='session-accept']",
            pugixml:
                "jingle[namespace-uri()='urn:xmpp:jingle:1'][@action='session-initiate' or @action='session-accept']"),
        BenchmarkQuery("/@id", libxml2: "@id", pugixml: "@id"),
        BenchmarkQuery(
            "{http://jabber.org/protocol/pubsub}pubsub/items<node=%@>/item@id",
            libxml2: "pubsub:pubsub/pubsub:items[@node=$node]/pubsub:item/@id",
            pugixml: itemsInPugixml + "[@node=$node]/item/@id"),
        BenchmarkQuery(
            "{http://jabber.org/protocol/disco#info}query/{jabber:x:data}x<type=result>/field<var=max-file-size>/value#",
            libxml2: "disco:query/x:x[@type='result']/x:field[@var='max-file-size']/x:value[text()]",
            pugixml: "query[namespace-uri()='\(disco)']/x[namespace-uri()='jabber:x:data'][@type='result']"
                + "/field[@var='max-file-size']/value[text()]"),
    ]
}
