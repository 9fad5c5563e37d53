// The prefilter, by examples.

import QueryTools
import TestSupport
import Testing

@testable import StanzaQuery

@Suite("Prefilter") struct PrefilterTests {
    @Test(
        "requires names, and values of filters",
        arguments: [
            ("{urn:xmpp:delay}delay@stamp", "name \"delay\"\nname \"stamp\""),
            ("/<type=error>", "name \"type\"\nvalue \"error\", or '&' in a tag"),
            ("a<k~^error$>", "name \"a\"\nname \"k\"\nvalue \"error\", or '&' in a tag"),
            ("c<k~^error>", "name \"c\"\nname \"k\"\nvalue \"error\", or '&' in a tag"),
            ("c<k=ab%@cde>", "name \"c\"\nname \"k\"\nvalue \"cde\", or '&' in a tag"),
            ("b/@xml:lang", "name \"b\"\nname \"lang\""),
            ("b@{urn:k}key", "name \"b\"\nname \"key\""),
            ("items/item", "name \"items\""),
            (
                "\\result[0]@f\\",
                "name \"x\"\nname \"type\"\nvalue \"result\", or '&' in a tag\nname \"item\""
                    + "\nname \"field\"\nname \"var\"\nname \"value\""
            ),
        ])
    func examples(query: String, expected: String) throws {
        #expect(try Query(query).prefilter.description == expected)
    }

    @Test(
        "requires nothing of wildcards, negations, namespaces, alternatives and texts",
        arguments: ["", "*", "{urn:x}*", "{urn:x}!b", "/#", "/$", "@@", "..", "/<xmlns=urn:x>", "/@xmlns"])
    func nothing(query: String) throws {
        let prefilter = try Query(query).prefilter
        #expect(prefilter.literals.isEmpty, "\(prefilter.literals)")
        #expect(prefilter.description == "none: any stanza may have a result")
    }

    @Test(
        "requires only the name of an attribute whose value has several spellings",
        arguments: ["/<k=a b>", "/<k=\t>", "/<k~^(x|y)$>", "/<k~x.y>", "/<k~x$>", "/<k~x>", "/<k~.*>"])
    func nameOnly(query: String) throws {
        #expect(try Query(query).prefilter.literals == [.name("k")])
    }

    @Test("requires no value if case does not count")
    func caseless() throws {
        for query in ["/<k=x>", "/<k=x%@>", "/<k~^x>"] {
            #expect(try Query(query, options: .caseInsensitiveFilters).prefilter.literals == [.name("k")])
        }
    }

    @Test(
        "requires local names that join the sign before them",
        arguments: [
            ("{urn:x}\u{200D}y", "\u{200D}y", "<a xmlns='urn:x'><\u{200D}y/></a>"),
            ("/@p:\u{E31}k", "\u{E31}k", "<a xmlns:p='u' xmlns:q='u' q:\u{E31}k=''/>"),
            ("{urn:x\u{600}}y", "y", "<a xmlns='urn:x\u{600}'><y/></a>"),
            ("/@p\u{600}:k", "k", "<a xmlns:p\u{600}='u' xmlns:q='u' q:k=''/>"),
        ])
    func joiningScalars(query: String, name: String, xml: String) throws {
        let query = try Query(query)
        #expect(query.prefilter.literals == [.name(name)])
        #expect(try element(xml).check(query))
        #expect(SpelledStanza(xml, as: .xml).admits(query.prefilter.literals))
    }

    @Test("requires nothing after a pattern that can fail at its limit")
    func limits() throws {
        let query = try Query("/<k~x$><type=y>/b")
        #expect(query.prefilter.literals == [.name("k")])
        let long = String(repeating: "x", count: 1_000_000)
        let stanza = try element("<a k='\(long)'/>")
        #expect(throws: QueryError.self) { try stanza.find(query) }
    }

    @Test("requires no name that is bound to a slot")
    func slots() throws {
        let name = "body"
        let query = try Query("a/\(name)")
        #expect(query.prefilter.literals == [.name("a")])
    }
}
