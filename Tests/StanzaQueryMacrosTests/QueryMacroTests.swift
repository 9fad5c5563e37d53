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

    func role(_ element: Element) throws -> Role? { try element.findFirst(#query<Role>("item@role")) }

    func first(_ element: Element, _ name: String) throws -> String? { try element.findFirst(#query("a<k=\(name)>#")) }
}

extension Element {
    fileprivate var id: String? { get throws { try findFirst(#query("/@id")) } }
}

/// A type of the program, with the results that it takes.
enum Role: String, QueryDecodable {
    case moderator, visitor

    static var queryResultKinds: ResultKinds { .string }

    static func decode<Node>(queryResult: QueryResult<Node>) -> Role? {
        queryResult.string.flatMap { Role(rawValue: $0) }
    }
}

@inlinable
func inlinable(_ element: Element) throws -> Bool { try element.findFirst(#query("/@done|bool")) == true }

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
        let isComplete = try iq.findFirst(#query("{urn:xmpp:mam:2}fin@complete|bool")) == true
        let count: Int? = try iq.findFirst(#query("{urn:xmpp:mam:2}fin/{http://jabber.org/protocol/rsm}set/count#|int"))
        for item in try iq.find(#query("{http://jabber.org/protocol/pubsub}pubsub/items<node=\(node)>/item")) {
            ids.append(item["id"])
        }
        #expect(isComplete && count == 5 && ids == ["a", "b"])
    }

    @Test func valuesThatMayBeMissing() throws {
        let iq = try iq("<a n='7'>seven</a><a n='none'>none</a>")
        let (number, missing): (Int?, Int?) = (7, nil)
        let any: (any QueryArgument)? = missing
        #expect(try iq.findFirst(#query<String>("a<n=\(number, default: "none")>#")) == "seven")
        #expect(try iq.findFirst(#query<String>("a<n=\(missing, default: "none")>#")) == "none")
        #expect(try iq.findFirst(#query<String>("a<n=\(any, default: "none".dropFirst(0))>#")) == "none")
        // The same query at run time.
        #expect(try iq.find("a<n=\(missing, default: "none")>#", as: String.self) == ["none"])
    }

    @Test func queriesExample() throws {
        let iq = try iq(
            """
            <fin xmlns='urn:xmpp:mam:2' complete='true'><set xmlns='http://jabber.org/protocol/rsm'><last>9</last></set></fin>
            """)
        #expect(try iq.findFirst(ArchiveQueries.isComplete) == true)
        #expect(try iq.findFirst(ArchiveQueries.last) == "9")
        #expect(try iq.find(ArchiveQueries.results).isEmpty)
    }

    /// The compiler checks the types when it compiles this test.
    @Test func everyTextHasItsType() throws {
        let iq = try iq("<a k='1'>x</a>")
        let _: Query<Element> = EveryType.element
        let _: [Query<String>] = [EveryType.string, EveryType.text, EveryType.name, EveryType.field]
        let _: Query<StringMap> = EveryType.attributes
        let _: Query<DataForm> = EveryType.form
        let _: Query<FormField> = EveryType.description
        let _: Query<Bool> = EveryType.bool
        let _: [Query<Int>] = [EveryType.int, EveryType.number]
        let _: Query<UInt> = EveryType.uint
        let _: Query<Double> = EveryType.double
        let _: Query<Date> = EveryType.datetime
        let _: Query<Data> = EveryType.base64
        let _: [Query<UUID>] = [EveryType.uuid, EveryType.uuidcast]
        #expect(try iq.findFirst(EveryType.string) == "1")
        #expect(try iq.findFirst(EveryType.attributes)?["k"] == "1")
        #expect(try iq.findFirst(EveryType.uuidcast) != nil)
    }

    @Test func typesFromTheContext() throws {
        let iq = try iq("<a k='1'>x</a><a k='2'>y</a>")
        let element = try iq.findFirst(#query("a"))
        #expect(element?.text == "x")
        #expect(try iq.find(#query<Int>("a@k|int")) == [1, 2])
        #expect(try iq.findFirst(#query("a@k")) == "1")
        let texts: [String] = try iq.find(#query("a#"))
        #expect(texts == ["x", "y"])
        let first: MutableElement? = try iq.thaw().findFirst(#query("a"))
        #expect(first?["k"] == "1")
        let query: Query<UInt> = #query("/@id|uint")
        #expect(try iq.findFirst(query) == 7)
    }

    @Test func typesOfTheProgram() throws {
        let iq = try iq("<item role='none'/><item role='visitor'/>")
        #expect(try iq.findFirst(#query<Role>("item@role")) == .visitor)
        let (name, generic) = ("item", Generic<Int>())
        #expect(try iq.find(#query<Role>("\(name)@role")) == [.visitor])
        #expect(try generic.role(iq) == .visitor)
        #expect(try iq.find(#query<QueryValue>("item@role")).map(\.string) == ["none", "visitor"])
        let error = #expect(throws: QueryError.self) { try iq.find(#query<Role>("item@role|int")) }
        #expect(error?.kind == .resultType)
    }

    @Test func interpolations() throws {
        let iq = try iq("<a k='1'>x</a><a k='a2'>y</a><b xmlns='u' l='3'/>")
        let (name, key, number, namespace) = ("a", "k", 2, "u")
        #expect(try iq.findFirst(#query("\(name)<\(key)=a\(number)>#")) == "y")
        #expect(try iq.findFirst(#query("{\(namespace)}b@\("l")|int")) == 3)
        // The engine never parses values as parts of a query.
        for hostile in ["1>@k", "*", "..", "1' or '1'='1", "%@", "\\(0)"] {
            let text: String? = try iq.findFirst(#query("a<k=\(hostile)>#"))
            #expect(text == nil)
        }
        var results: [String?] = []
        for value in ["1", "a2"] { results.append(try iq.findFirst(#query("a<k=\(value)>#"))) }
        #expect(results == ["x", "y"])
    }

    @Test func literalsOfEveryKind() throws {
        let iq = try iq("<a k='1'>x</a><x xmlns='jabber:x:data'><field var='f'><value>v</value></field></x>")
        #expect(try iq.findFirst(#query("\\@f\\")) == "v")
        #expect(try iq.findFirst(#query(#"\@f\"#)) == "v")
        #expect(try iq.findFirst(#query(#"\@\#("f")\"#)) == "v")
        let field: FormField? = try iq.findFirst(#query("\\&\("f")\\"))
        #expect(field?.name == "f")
        #expect(
            try iq.findFirst(
                #query(
                    #"""
                    \@\#("f")\
                    """#)) == "v")
        #expect(try iq.findFirst(#query("\u{61}@k")) == "1")
        #expect(
            try iq.findFirst(
                #query(
                    """
                    a\
                    @k
                    """)) == "1")
        #expect(try iq.findFirst(#query("")) != nil)
    }

    @Test func placesWithoutStorage() throws {
        let iq = try iq("<a k='1'>x</a>")
        #expect(try Generic<Int>().first(iq, "1") == "x")
        #expect(try iq.findFirst(Generic<Int>.id) == "7")
        #expect(try iq.id == "7")
        #expect(try inlinable(iq))
        func opaque(_ key: some StringProtocol) throws -> String? { try iq.findFirst(#query("a@\(String(key))")) }
        #expect(try opaque("k") == "1")
    }

    @Test func inClosuresAndActors() async throws {
        let iq = try iq("<a k='1'>x</a>")
        actor Reader {
            let key = "k"
            func read(_ element: Element) throws -> String? { try element.findFirst(#query("a@\(key)")) }
        }
        #expect(try await Reader().read(iq) == "1")
        #expect(try ["k"].compactMap { key in try iq.findFirst(#query("a@\(key)")) as String? } == ["1"])
    }
}
