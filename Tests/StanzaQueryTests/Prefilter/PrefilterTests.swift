// The prefilter, and which queries the first tag of a stanza answers, by examples.

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
        #expect(try element(xml).check(query) && StanzaFilterTests.admits(xml, [query], .xml))
    }

    @Test("requires nothing after a pattern that can fail at its limit, and no name that is bound to a slot")
    func limitsAndSlots() throws {
        let query = try Query("/<k~x$><type=y>/b")
        #expect(query.prefilter.literals == [.name("k")])
        let stanza = try element("<a k='\(String(repeating: "x", count: 5_000))'/>")
        #expect(throws: QueryError.self) { try stanza.find(query) }
        #expect(try Query("a/\("body")").prefilter.literals == [.name("a")])
    }
}

@Suite("Queries about first tags") struct TagQueryTests {
    private static func text(_ query: TagQuery) -> String {
        let conditions = query.conditions.map { $0.attribute + ($0.value.map { "=\($0)" } ?? "") }
        return "\(query.name ?? "*") [\(conditions.joined(separator: " "))] \(query.result ?? "-")"
    }

    @Test(
        "are about the own name and attributes",
        arguments: [
            ("/@id", "* [] id"), ("@id", "* [] id"), ("", "* [] -"), ("/presence", "presence [] -"),
            ("/message<type=chat>@from", "message [type=chat] from"), ("/{*}iq@to", "iq [] to"),
            ("/<type=error>", "* [type=error] -"), ("/<a~.*><b=50%%><b~.*>@c", "* [a b=50% b] c"),
        ])
    func examples(query: String, expected: String) throws {
        #expect(try Query(query).tagQuery.map(Self.text) == expected)
    }

    @Test(
        "are not about anything else",
        arguments: [
            "body#", "/message/body", "/{urn:x}a@id", "/!a@id", "/<xmlns=urn:x>@id", "/@xmlns", "/@xml:lang", "/@{u}k",
            "/<{u}k=1>@id", "/<p:k=1>@id", "/@@", "/#", "/$", "/@id|int", "../@id", "/<id~^1>", "/<id~1>@id",
            "/<id~^(1|2)$>@id", "/<id=%@>@id", "\\@field\\",
        ])
    func others(query: String) throws {
        #expect(try Query(query).tagQuery == nil)
    }

    @Test("compare values exactly")
    func caseless() throws {
        #expect(try Query("/<k=x>@id", options: .caseInsensitiveFilters).tagQuery == nil)
        #expect(try Query("/<k=%@>@id").binding(arguments: ["x"]).tagQuery == nil)
    }
}
