// Names with a colon, which nothing has: the linter's guess at their meaning.

import StanzaLint
import Testing

struct NameTests {
    @Test(
        arguments: [
            ("stream:error", "did you mean '{http://etherx.jabber.org/streams}error'?"),
            ("{*}stream:error", "did you mean '{http://etherx.jabber.org/streams}error'?"),
            ("a/b:c", "write '{namespace}c', with the namespace of 'b'"),
            ("streams:error", "write '{namespace}error', with the namespace of 'streams'"),
            ("{*}b:c", "did you mean '{*}c'?"), ("{urn:x}b:c<d=e>", "did you mean '{urn:x}c'?"),
            ("{urn:x}stream:c", "did you mean '{urn:x}c'?"),
            ("stream:a:b", nil), ("{*}a:b:c", nil), ("a:", nil), (":a", nil), ("!a:b", nil),
        ] as [(String, String?)])
    func aPrefixIsNotPartOfAName(query: String, hint: String?) throws {
        let finding = try #require(findings(query).first)
        #expect(finding.rule == .colonInName && findings(query).count == 1)
        #expect(finding.message.contains(": names have no colon here"))
        #expect(finding.hint == hint)
    }

    @Test func theWordsOfAPrefix() {
        #expect(
            findings("stream:error").map(\.message) == [
                "no element has the name 'stream:error': names have no colon here; write the namespace of the prefix "
                    + "'stream' in braces"
            ])
    }

    @Test(
        arguments: [
            ("/urn:xmpp:foo:0name", "did you mean '{urn:xmpp:foo:0}name'?"),
            ("a/urn:xmpp:mam:2fin@complete", "did you mean '{urn:xmpp:mam:2}fin'?"),
            ("a<urn:x:1b=c>", "did you mean '{urn:x:1}b'?"), ("a@urn:x:12é", "did you mean '{urn:x:12}é'?"),
            // The end of these namespaces is unknown.
            ("jabber:x:datax", nil), ("jabber:iq:roster/item", nil), ("urn:xmpp:foo:tmpname", nil),
            ("urn:xmpp:mam:2", nil), ("urn:ietf:params:xml:ns:xmpp-stanzastext", nil), ("jabber:client", nil),
            ("urn:x:2-3", nil), ("urn:2x", nil),
        ] as [(String, String?)])
    func aNamespaceNeedsBraces(query: String, hint: String?) throws {
        let finding = try #require(findings(query).first)
        #expect(finding.rule == .namespaceNeedsBraces && !finding.rule.isError && findings(query).count == 1)
        #expect(finding.message.hasSuffix("': write a namespace in braces, '{namespace}name'"))
        #expect(finding.hint == hint)
    }

    @Test(
        arguments: [
            ("a.b", "did you mean 'a/b'?"), (".a.b", "did you mean 'a/b'?"), ("x/a.b#", "did you mean 'a/b'?"),
            (".", "leave it out: a path begins at the element itself"),
            ("./a", "leave it out: a path begins at the element itself"),
        ])
    func aDotPartsNothing(query: String, hint: String) throws {
        let finding = try #require(findings(query).first)
        #expect(finding.rule == .dotInName && finding.severity == .warning && findings(query).count == 1)
        #expect(finding.hint == hint)
    }

    @Test(
        arguments: [
            (#"a<b="c">"#, "did you mean 'a<b=c>'?"), ("a<b='c d'>@e", "did you mean 'a<b=c d>@e'?"), ("a<b=''>", nil),
            ("a<b==c>", "did you mean 'a<b=c>'?"), ("a<b==>", nil), ("a<b=='c'>", "did you mean 'a<b=c>'?"),
            ("a<x:é='ü%%'>", "did you mean 'a<x:é=ü%%>'?"), ("a<b=?>", "did you mean 'a<b=%@>'?"),
            ("a<b=:id>", "did you mean 'a<b=%@>'?"), ("a<b=$1>", "did you mean 'a<b=%@>'?"),
            ("a<b=c or b=d>", "did you mean 'a<b~^(c|d)$>'?"), ("a<b=c|d>", "did you mean 'a<b~^(c|d)$>'?"),
            ("a<b=c or b='d'>", "did you mean 'a<b~^(c|d)$>'?"), ("{'urn:x'}a", "did you mean '{urn:x}a'?"),
        ] as [(String, String?)])
    func valuesOfOtherLanguages(query: String, hint: String?) throws {
        let finding = try #require(findings(query).first)
        #expect(finding.rule == .foreignValue && finding.severity == .warning && findings(query).count == 1)
        #expect(finding.hint == hint)
    }

    @Test(arguments: [
        "..", "a/../b", "a<b='c>", "a<b=c'>", "a<b='>", "a<b~'c'>", "a<b~=c>", "a<b=c.d>", "a<b=c|>", "a<b=to or fro!>",
        "a<b=:>", "a@b.c", "{u.v}a",
    ])
    func usualQueries(query: String) {
        #expect(findings(query).isEmpty)
    }

    /// Missing braces give no warning in a query that does not compile.
    @Test func whatDoesNotCompile() {
        #expect(findings("http://jabber.org/protocol/muc#user").map(\.rule) == [.error(.syntax)])
        #expect(findings("http://jabber.org/protocol/muc#user").map(\.message) == ["a namespace without braces"])
        #expect(findings("http://jabber.org/protocol/muc#user").first?.hint?.contains("did you mean") == false)
        #expect(findings("urn:x:1}a").first?.hint?.hasSuffix("did you mean '{urn:x:1}a'?") == true)
        #expect(findings("/@<type=error>@id").first?.hint?.hasSuffix("did you mean '/<type=error>@id'?") == true)
    }

    @Test(arguments: [
        "a<xml:lang=de>@xml:lang", "{urn:x:0}a", "a@urn:x", "a<{urn:x:0}b=urn:x:1>@{jabber:x:data}c", "a<b~urn:x:0c>",
        "a@stream:b", "a#", "..", "\\{urn:x:0}@a:b:c\\",
    ])
    func namesThatAreRight(query: String) {
        #expect(findings(query).isEmpty)
    }
}
