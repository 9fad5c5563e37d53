// The results of `#query` and `#queries`, built by the compiler with the plugin.

import Foundation
import StanzaQueryMacros
import TestSupport
import Testing

private let node = "urn:xmpp:avatar:metadata"

enum ArchiveQueries {
    #queries([
        "isComplete": "{urn:xmpp:mam:2}fin@complete|bool",
        "last": "{urn:xmpp:mam:2}fin/{http://jabber.org/protocol/rsm}set/last#",
        "results": "{urn:xmpp:mam:2}result",
    ])
}

/// A query of each type, declared with the type of its text.
enum EveryType {
    #queries([
        "element": "a", "string": "a@k", "text": "a#", "name": "a$", "attributes": "a@@", "form": "\\\\",
        "field": "\\@f\\", "number": "\\@f\\|int",
        "description": "\\&f\\", "bool": "a@k|bool", "int": "a@k|int", "uint": "a@k|uint", "double": "a@k|double",
        "datetime": "a@k|datetime", "base64": "a@k|base64", "uuid": "a@k|uuid", "uuidcast": "a@k|uuidcast",
    ])
}

enum Patterns {
    #queries(["slow": "a<k~x.y>", "number": "a@k|int"])
}

struct Generic<Value> {
    #queries(["id": "/@id"])

    func role(_ element: Element) throws -> Role? { element.findFirst(#query<Role>("item@role")) }

    func first(_ element: Element, _ name: String) throws -> String? { element.findFirst(#query("a<k=\(name)>#")) }
}

extension Element {
    fileprivate var id: String? { get throws { findFirst(#query("/@id")) } }
}

/// A type of the program.
enum Role: String, QueryDecodable {
    case moderator, visitor
}

@inlinable
func inlinable(_ element: Element) throws -> Bool { element.findFirst(#query("/@done|bool")) == true }

@Suite struct QueryMacroTests {
    private func iq(_ content: String) throws -> Element {
        try Element(stanza: "<iq xmlns='jabber:client' id='7' done='true'>\(content)</iq>")
    }

    @Test func queryExample() throws {
        let iq = try iq(
            """
            <fin xmlns='urn:xmpp:mam:2' complete='true'><set xmlns='http://jabber.org/protocol/rsm'><count>5</count></set></fin>\
            <pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='\(node)'><item id='a'/><item id='b'/></items></pubsub>
            """)
        var ids: [String?] = []
        let isComplete = iq.findFirst(#query("{urn:xmpp:mam:2}fin@complete|bool")) == true
        let count: Int? = iq.findFirst(#query("{urn:xmpp:mam:2}fin/{http://jabber.org/protocol/rsm}set/count#|int"))
        for item in iq.find(#query("{http://jabber.org/protocol/pubsub}pubsub/items<node=\(node)>/item")) {
            ids.append(item["id"])
        }
        #expect(isComplete && count == 5 && ids == ["a", "b"])
    }

    @Test func valuesThatMayBeMissing() throws {
        let iq = try iq("<a n='7'>seven</a><a n='none'>none</a>")
        let (number, missing): (Int?, Int?) = (7, nil)
        let any: (any QueryArgument)? = missing
        #expect(iq.findFirst(#query<String>("a<n=\(number, default: "none")>#")) == "seven")
        #expect(iq.findFirst(#query<String>("a<n=\(missing, default: "none")>#")) == "none")
        #expect(iq.findFirst(#query<String>("a<n=\(any, default: "none".dropFirst(0))>#")) == "none")
        // The same query at run time.
        #expect(try iq.find("a<n=\(missing, default: "none")>#", as: String.self) == ["none"])
    }

    @Test func queriesExample() throws {
        let iq = try iq(
            """
            <fin xmlns='urn:xmpp:mam:2' complete='true'><set xmlns='http://jabber.org/protocol/rsm'><last>9</last></set></fin>
            """)
        #expect(iq.findFirst(ArchiveQueries.isComplete) == true)
        #expect(iq.findFirst(ArchiveQueries.last) == "9")
        #expect(iq.find(ArchiveQueries.results).isEmpty)
    }

    /// The compiler checks the types when it compiles this test.
    @Test func everyTextHasItsType() throws {
        let iq = try iq("<a k='1'>x</a>")
        let _: CheckedQuery<Element> = EveryType.element
        let _: [CheckedQuery<String>] = [EveryType.string, EveryType.text, EveryType.name, EveryType.field]
        let _: CheckedQuery<StringMap> = EveryType.attributes
        let _: CheckedQuery<DataForm> = EveryType.form
        let _: CheckedQuery<FormField> = EveryType.description
        let _: CheckedQuery<Bool> = EveryType.bool
        let _: [CheckedQuery<Int>] = [EveryType.int, EveryType.number]
        let _: CheckedQuery<UInt> = EveryType.uint
        let _: CheckedQuery<Double> = EveryType.double
        let _: CheckedQuery<Date> = EveryType.datetime
        let _: CheckedQuery<Data> = EveryType.base64
        let _: [CheckedQuery<UUID>] = [EveryType.uuid, EveryType.uuidcast]
        #expect(iq.findFirst(EveryType.string) == "1")
        #expect(iq.findFirst(EveryType.attributes)?["k"] == "1")
        #expect(iq.findFirst(EveryType.uuidcast) != nil)
    }

    @Test func typesFromTheContext() throws {
        let iq = try iq("<a k='1'>x</a><a k='2'>y</a>")
        let element = iq.findFirst(#query("a"))
        #expect(element?.text == "x")
        #expect(iq.find(#query<Int>("a@k|int")) == [1, 2])
        #expect(iq.findFirst(#query("a@k")) == "1")
        let texts: [String] = iq.find(#query("a#"))
        #expect(texts == ["x", "y"])
        let first: MutableElement? = iq.thaw().findFirst(#query("a"))
        #expect(first?["k"] == "1")
        let query: CheckedQuery<UInt> = #query("/@id|uint")
        #expect(iq.findFirst(query) == 7)
    }

    @Test func typesOfTheProgram() throws {
        let iq = try iq("<item role='none'/><item role='visitor'/>")
        #expect(iq.findFirst(#query<Role>("item@role")) == .visitor)
        let (name, generic) = ("item", Generic<Int>())
        #expect(iq.find(#query<Role>("\(name)@role")) == [.visitor])
        #expect(try generic.role(iq) == .visitor)
        #expect(iq.find(#query<QueryValue>("item@role")).map(\.string) == ["none", "visitor"])
        // A regular expression may fail anyway, so this is an error; without one, it stops the program.
        let error = #expect(throws: QueryError.self) { try iq.find(#query<Role>(regex: "item<role~i>@role|int")) }
        #expect(error?.kind == .resultType)
    }

    @Test func regularExpressionsMayThrow() throws {
        let iq = try iq("<a k='1'>x</a><a k='\(String(repeating: "a", count: 5000))'/>")
        let items = try Element(parsing: "<items node='urn:xmpp:avatar:metadata'/>")
        let isMetadata = try items.check(#query(regex: "/<node~^urn:xmpp:.*metadata$>"))
        #expect(isMetadata)
        #expect(try iq.findFirst(#query(regex: "a<k~^1$>#")) == "x")
        #expect(try iq.find(#query(regex: "a<k~^1>")).map(\.text) == ["x"])
        #expect(throws: QueryError.self) { try iq.check(#query(regex: "a<k~x.y>")) }
        #expect(throws: QueryError.self) { try iq.find(Patterns.slow) }
        #expect(iq.findFirst(Patterns.number) == 1)
    }

    /// Of a type, conversions are strict; options are the choice.
    @Test func options() throws {
        let iq = try iq("<a k='7x'/><A k='8'/>")
        let (strict, lenient): (Int?, Int?) = (
            iq.findFirst(#query("a@k|int")), iq.findFirst(#query("a@k|int", options: .lenient))
        )
        #expect(strict == nil && lenient == 7)
        #expect(iq.find(#query("*<k=8X>", options: .caseInsensitiveFilters)).isEmpty)
        #expect(iq.find(#query("*<k=7X>", options: .caseInsensitiveFilters)).count == 1)
        #expect(iq.findFirst(#query<Int64>("A@k|int")) == 8 && iq.findFirst(#query<UInt8>("A@k|uint")) == 8)
    }

    /// `check` needs no type.
    @Test func existence() throws {
        let iq = try iq("<a k='1'>x</a>")
        var ids: [String] = []
        if let id: String = iq.findFirst(#query("/@id")) { ids.append(id) }
        #expect(ids == ["7"])
        #expect(iq.check(#query("/@id")) && iq.check(#query("a#")) && iq.check(#query("a")))
        #expect(!iq.check(#query("b@c|int")))
        #expect(iq.thaw().check(#query("a<k=\("1")>@k")) && !iq.check(#query("a<k=\("2")>@@")))
    }

    @Test func interpolations() throws {
        let iq = try iq("<a k='1'>x</a><a k='a2'>y</a><b xmlns='u' l='3'/>")
        let (name, key, number, namespace) = ("a", "k", 2, "u")
        #expect(iq.findFirst(#query("\(name)<\(key)=a\(number)>#")) == "y")
        #expect(iq.findFirst(#query("{\(namespace)}b@\("l")|int")) == 3)
        // The engine never parses values as parts of a query.
        for hostile in ["1>@k", "*", "..", "1' or '1'='1", "%@", "\\(0)"] {
            let text: String? = iq.findFirst(#query("a<k=\(hostile)>#"))
            #expect(text == nil)
        }
        var results: [String?] = []
        for value in ["1", "a2"] { results.append(iq.findFirst(#query("a<k=\(value)>#"))) }
        #expect(results == ["x", "y"])
    }

    @Test func literalsOfEveryKind() throws {
        let iq = try iq("<a k='1'>x</a><x xmlns='jabber:x:data'><field var='f'><value>v</value></field></x>")
        #expect(iq.findFirst(#query("\\@f\\")) == "v")
        #expect(iq.findFirst(#query(#"\@f\"#)) == "v")
        #expect(iq.findFirst(#query(#"\@\#("f")\"#)) == "v")
        let field: FormField? = iq.findFirst(#query("\\&\("f")\\"))
        #expect(field?.name == "f")
        #expect(
            iq.findFirst(
                #query(
                    #"""
                    \@\#("f")\
                    """#)) == "v")
        #expect(iq.findFirst(#query("\u{61}@k")) == "1")
        #expect(
            iq.findFirst(
                #query(
                    """
                    a\
                    @k
                    """)) == "1")
        #expect(iq.findFirst(#query("")) != nil)
    }

    @Test func placesWithoutStorage() throws {
        let iq = try iq("<a k='1'>x</a>")
        #expect(try Generic<Int>().first(iq, "1") == "x")
        #expect(iq.findFirst(Generic<Int>.id) == "7")
        #expect(try iq.id == "7")
        #expect(try inlinable(iq))
        func opaque(_ key: some StringProtocol) throws -> String? { iq.findFirst(#query("a@\(String(key))")) }
        #expect(try opaque("k") == "1")
    }

    @Test func inClosuresAndActors() async throws {
        let iq = try iq("<a k='1'>x</a>")
        actor Reader {
            let key = "k"
            func read(_ element: Element) throws -> String? { element.findFirst(#query("a@\(key)")) }
        }
        #expect(try await Reader().read(iq) == "1")
        #expect(["k"].compactMap { key in iq.findFirst(#query("a@\(key)")) as String? } == ["1"])
    }
}
