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

struct Generic<Value> {
    #queries(["id": "/@id"])

    func first(_ element: Element, _ name: String) throws -> String? { try element.first(#query("a<k=\(name)>#")) }
}

extension Element {
    fileprivate var id: String? { get throws { try first(#query("/@id")) } }
}

@inlinable
func inlinable(_ element: Element) throws -> Bool { try element.holds(#query("/@done|bool")) }

@Suite struct QueryMacroTests {
    private func iq(_ content: String) throws -> Element {
        try Element(parsing: "<iq xmlns='jabber:client' id='7' done='true'>\(content)</iq>", in: .clientStream)
    }

    @Test func queryExample() throws {
        let iq = try iq(
            """
            <fin xmlns='urn:xmpp:mam:2' complete='true'><set xmlns='http://jabber.org/protocol/rsm'><count>5</count></set></fin>\
            <pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='\(node)'><item id='a'/><item id='b'/></items></pubsub>
            """)
        var ids: [String?] = []
        let isComplete = try iq.holds(#query("{urn:xmpp:mam:2}fin@complete|bool"))
        let count: Int? = try iq.first(#query("{urn:xmpp:mam:2}fin/{http://jabber.org/protocol/rsm}set/count#|int"))
        for item in try iq.all(#query("{http://jabber.org/protocol/pubsub}pubsub/items<node=\(node)>/item")) {
            ids.append(item["id"])
        }
        #expect(isComplete && count == 5 && ids == ["a", "b"])
    }

    @Test func valuesThatMayBeMissing() throws {
        let iq = try iq("<a n='7'>seven</a><a n='none'>none</a>")
        let (number, missing): (Int?, Int?) = (7, nil)
        let any: (any QueryArgument)? = missing
        #expect(try iq.first(#query<String>("a<n=\(number, default: "none")>#")) == "seven")
        #expect(try iq.first(#query<String>("a<n=\(missing, default: "none")>#")) == "none")
        #expect(try iq.first(#query<String>("a<n=\(any, default: "none".dropFirst(0))>#")) == "none")
        // The same query at run time.
        #expect(try iq.find("a<n=\(missing, default: "none")>#", as: String.self) == ["none"])
    }

    @Test func queriesExample() throws {
        let iq = try iq(
            """
            <fin xmlns='urn:xmpp:mam:2' complete='true'><set xmlns='http://jabber.org/protocol/rsm'><last>9</last></set></fin>
            """)
        #expect(try iq.first(ArchiveQueries.isComplete) == true)
        #expect(try iq.first(ArchiveQueries.last) == "9")
        #expect(try iq.all(ArchiveQueries.results).isEmpty)
    }

    /// The compiler checks the types when it compiles this test.
    @Test func everyTextHasItsType() throws {
        let iq = try iq("<a k='1'>x</a>")
        let _: TypedQuery<Element> = EveryType.element
        let _: [TypedQuery<String>] = [EveryType.string, EveryType.text, EveryType.name, EveryType.field]
        let _: TypedQuery<StringMap> = EveryType.attributes
        let _: TypedQuery<DataForm> = EveryType.form
        let _: TypedQuery<FormField> = EveryType.description
        let _: TypedQuery<Bool> = EveryType.bool
        let _: [TypedQuery<Int>] = [EveryType.int, EveryType.number]
        let _: TypedQuery<UInt> = EveryType.uint
        let _: TypedQuery<Double> = EveryType.double
        let _: TypedQuery<Date> = EveryType.datetime
        let _: TypedQuery<Data> = EveryType.base64
        let _: [TypedQuery<UUID>] = [EveryType.uuid, EveryType.uuidcast]
        #expect(try iq.first(EveryType.string) == "1")
        #expect(try iq.first(EveryType.attributes)?["k"] == "1")
        #expect(try iq.first(EveryType.uuidcast) != nil)
    }

    @Test func typesFromTheContext() throws {
        let iq = try iq("<a k='1'>x</a><a k='2'>y</a>")
        let element = try iq.first(#query("a"))
        #expect(element?.text == "x")
        #expect(try iq.all(#query<Int>("a@k|int")) == [1, 2])
        #expect(try iq.first(#query("a@k")) == "1")
        let texts: [String] = try iq.all(#query("a#"))
        #expect(texts == ["x", "y"])
        let first: MutableElement? = try iq.thaw().first(#query("a"))
        #expect(first?["k"] == "1")
        let query: TypedQuery<UInt> = #query("/@id|uint")
        #expect(try iq.first(query) == 7)
    }

    @Test func interpolations() throws {
        let iq = try iq("<a k='1'>x</a><a k='a2'>y</a><b xmlns='u' l='3'/>")
        let (name, key, number, namespace) = ("a", "k", 2, "u")
        #expect(try iq.first(#query("\(name)<\(key)=a\(number)>#")) == "y")
        #expect(try iq.first(#query("{\(namespace)}b@\("l")|int")) == 3)
        // The engine never parses values as parts of a query.
        for hostile in ["1>@k", "*", "..", "1' or '1'='1", "%@", "\\(0)"] {
            let text: String? = try iq.first(#query("a<k=\(hostile)>#"))
            #expect(text == nil)
        }
        var results: [String?] = []
        for value in ["1", "a2"] { results.append(try iq.first(#query("a<k=\(value)>#"))) }
        #expect(results == ["x", "y"])
    }

    @Test func literalsOfEveryKind() throws {
        let iq = try iq("<a k='1'>x</a><x xmlns='jabber:x:data'><field var='f'><value>v</value></field></x>")
        #expect(try iq.first(#query("\\@f\\")) == "v")
        #expect(try iq.first(#query(#"\@f\"#)) == "v")
        #expect(try iq.first(#query(#"\@\#("f")\"#)) == "v")
        let field: FormField? = try iq.first(#query("\\&\("f")\\"))
        #expect(field?.name == "f")
        #expect(
            try iq.first(
                #query(
                    #"""
                    \@\#("f")\
                    """#)) == "v")
        #expect(try iq.first(#query("\u{61}@k")) == "1")
        #expect(
            try iq.first(
                #query(
                    """
                    a\
                    @k
                    """)) == "1")
        #expect(try iq.first(#query("")) != nil)
    }

    @Test func placesWithoutStorage() throws {
        let iq = try iq("<a k='1'>x</a>")
        #expect(try Generic<Int>().first(iq, "1") == "x")
        #expect(try iq.first(Generic<Int>.id) == "7")
        #expect(try iq.id == "7")
        #expect(try inlinable(iq))
        func opaque(_ key: some StringProtocol) throws -> String? { try iq.first(#query("a@\(String(key))")) }
        #expect(try opaque("k") == "1")
    }

    @Test func inClosuresAndActors() async throws {
        let iq = try iq("<a k='1'>x</a>")
        actor Reader {
            let key = "k"
            func read(_ element: Element) throws -> String? { try element.first(#query("a@\(key)")) }
        }
        #expect(try await Reader().read(iq) == "1")
        #expect(try ["k"].compactMap { key in try iq.first(#query("a@\(key)")) as String? } == ["1"])
    }
}
