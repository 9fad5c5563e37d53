// The ten queries that engines are compared by, in the language of each engine.
//
// Each translation is the shortest that its engine's users would write and that gives the same number of results on the
// corpus; the numbers are compared before anything is timed. README.md documents what a language cannot express.

/// One of the queries in several languages.
struct BenchmarkQuery: Sendable {
    /// From 0.
    let number: Int
    let stanza: String
    let literal: StaticString
    /// With the prefixes that the peer registers. `$node` is the argument.
    let libxml2: String
    /// Names are as written there, so namespaces are asked for where the path enters them.
    let pugixml: String
    /// FoundationXML cannot register prefixes.
    let foundation: String

    /// Whether it takes `node` as its argument.
    var takesNode: Bool { stanza.contains("%@") }

    /// The argument: the node that most of the corpus' queries to `pubsub` ask for.
    static let node = "princely_musings"

    static let disco = "http://jabber.org/protocol/disco#info"
    static let pubsub = "http://jabber.org/protocol/pubsub"

    /// A step to a child in a namespace, for FoundationXML.
    private static func child(_ namespace: String, _ name: String) -> String {
        "*[local-name()='\(name)' and namespace-uri()='\(namespace)']"
    }

    static let all: [BenchmarkQuery] = [
        BenchmarkQuery(
            number: 0,
            stanza: "/<type=error>",
            literal: "/<type=error>",
            libxml2: "self::*[@type='error']",
            pugixml: "self::*[@type='error']",
            foundation: "self::*[@type='error']"),
        BenchmarkQuery(
            number: 1,
            stanza: "error/{urn:ietf:params:xml:ns:xmpp-stanzas}item-not-found",
            literal: "error/{urn:ietf:params:xml:ns:xmpp-stanzas}item-not-found",
            libxml2: "c:error/stanzas:item-not-found",
            pugixml: "error/item-not-found[namespace-uri()='urn:ietf:params:xml:ns:xmpp-stanzas']",
            foundation: child("jabber:client", "error") + "/"
                + child("urn:ietf:params:xml:ns:xmpp-stanzas", "item-not-found")),
        BenchmarkQuery(
            number: 2,
            stanza: "{http://jabber.org/protocol/disco#info}query/feature@var",
            literal: "{http://jabber.org/protocol/disco#info}query/feature@var",
            libxml2: "disco:query/disco:feature/@var",
            pugixml: "query[namespace-uri()='\(disco)']/feature/@var",
            foundation: child(disco, "query") + "/" + child(disco, "feature") + "/@var"),
        BenchmarkQuery(
            number: 3,
            stanza: "{http://jabber.org/protocol/pubsub}pubsub/items/item",
            literal: "{http://jabber.org/protocol/pubsub}pubsub/items/item",
            libxml2: "pubsub:pubsub/pubsub:items/pubsub:item",
            pugixml: "pubsub[namespace-uri()='\(pubsub)']/items[namespace-uri()='\(pubsub)']/item",
            foundation: child(pubsub, "pubsub") + "/" + child(pubsub, "items") + "/" + child(pubsub, "item")),
        BenchmarkQuery(
            number: 4,
            stanza: "body#",
            literal: "body#",
            libxml2: "c:body[text()]",
            pugixml: "body[text()]",
            foundation: child("jabber:client", "body") + "[text()]"),
        BenchmarkQuery(
            number: 5,
            stanza: "{urn:xmpp:delay}delay@stamp",
            literal: "{urn:xmpp:delay}delay@stamp",
            libxml2: "delay:delay/@stamp",
            pugixml: "delay[namespace-uri()='urn:xmpp:delay']/@stamp",
            foundation: child("urn:xmpp:delay", "delay") + "/@stamp"),
        BenchmarkQuery(
            number: 6,
            stanza: "{urn:xmpp:jingle:1}jingle<action~^session-(initiate|accept)$>",
            literal: "{urn:xmpp:jingle:1}jingle<action~^session-(initiate|accept)$>",
            libxml2: "jingle:jingle[@action='session-initiate' or @action='session-accept']",
            pugixml:
                "jingle[namespace-uri()='urn:xmpp:jingle:1'][@action='session-initiate' or @action='session-accept']",
            foundation: child("urn:xmpp:jingle:1", "jingle")
                + "[@action='session-initiate' or @action='session-accept']"),
        BenchmarkQuery(
            number: 7,
            stanza: "/@id",
            literal: "/@id",
            libxml2: "@id",
            pugixml: "@id",
            foundation: "@id"),
        BenchmarkQuery(
            number: 8,
            stanza: "{http://jabber.org/protocol/pubsub}pubsub/items<node=%@>/item@id",
            literal: "{http://jabber.org/protocol/pubsub}pubsub/items<node=%@>/item@id",
            libxml2: "pubsub:pubsub/pubsub:items[@node=$node]/pubsub:item/@id",
            pugixml: "pubsub[namespace-uri()='\(pubsub)']/items[namespace-uri()='\(pubsub)'][@node=$node]/item/@id",
            foundation: child(pubsub, "pubsub") + "/" + child(pubsub, "items") + "[@node='\(node)']/"
                + child(pubsub, "item") + "/@id"),
        BenchmarkQuery(
            number: 9,
            stanza: "{http://jabber.org/protocol/disco#info}query/"
                + "{jabber:x:data}x<type=result>/field<var=max-file-size>/value#",
            literal:
                "{http://jabber.org/protocol/disco#info}query/{jabber:x:data}x<type=result>/field<var=max-file-size>/value#",
            libxml2: "disco:query/x:x[@type='result']/x:field[@var='max-file-size']/x:value[text()]",
            pugixml: "query[namespace-uri()='\(disco)']/x[namespace-uri()='jabber:x:data'][@type='result']"
                + "/field[@var='max-file-size']/value[text()]",
            foundation: child(disco, "query") + "/" + child("jabber:x:data", "x") + "[@type='result']/"
                + child("jabber:x:data", "field") + "[@var='max-file-size']/" + child("jabber:x:data", "value")
                + "[text()]"),
    ]
}
