// Queries whose results have a known type.

import Foundation
import QueryTools
import Testing

@testable import StanzaQuery

@Suite struct TypedQueryTests {
    private let stanza = """
        <iq xmlns='jabber:client' id='7' done='true'><a k='1'>x</a><a k='2.5'>2024-01-02T03:04:05Z</a>\
        <x xmlns='jabber:x:data' type='form'><field var='f' label='F'><value>v</value></field></x></iq>
        """

    @Test func everyKindOfResult() throws {
        let iq = try element(stanza)
        #expect(try iq.findFirst(Query("/@id", as: String.self)) == "7")
        #expect(try iq.findFirst(Query("/@id|int", as: Int.self)) == 7)
        #expect(try iq.findFirst(Query("/@id|uint", as: UInt.self)) == 7)
        #expect(try iq.find(Query("a@k|double", as: Double.self)) == [1, 2.5])
        #expect(try iq.findFirst(Query("a#|datetime", as: Date.self)) == Date(timeIntervalSince1970: 1_704_164_645))
        #expect(try iq.findFirst(Query("/@id|base64", as: Data.self)) == nil)
        #expect(try iq.findFirst(Query("a#|uuidcast", as: UUID.self)) != nil)
        #expect(try iq.findFirst(Query("a@@", as: StringMap.self))?["k"] == "1")
        #expect(try iq.findFirst(Query("\\\\", as: DataForm.self))?["f"] == "v")
        #expect(try iq.findFirst(Query("\\&f\\", as: FormField.self))?.label == "F")
        #expect(try iq.findFirst(Query("/@done|bool", as: Bool.self)) == true)
        #expect(try iq.find(Query("a", as: Element.self)).map(\.text) == ["x", "2024-01-02T03:04:05Z"])
        #expect(try iq.findFirst(Query("b", as: Element.self)) == nil)
        #expect(try iq.check(Query("a", as: Element.self)))
    }

    /// A text that is not entirely a value of the type has no result.
    @Test func conversionsAreStrict() throws {
        let iq = try element("<iq id='x7' n='7x' b='yes'/>")
        #expect(try iq.findFirst("/@id|int", as: Int.self) == nil && iq.findFirst("/@n|uint", as: UInt.self) == nil)
        #expect(try iq.findFirst("/@b|bool", as: Bool.self) == nil)
        #expect(try iq.findFirst("/@n|double", as: Double.self) == nil)
        #expect(try iq.findFirst(Query("/@id|int", as: Int.self)) == nil)
        #expect(try iq.findFirst(Query("/@id|int" + "", as: Int.self)) == nil)
        #expect(iq.findFirst(_CheckedTemplate<Int>(":/@id|int")()) == nil)
        // The choice, and the language's own rule without a type.
        #expect(try iq.findFirst("/@n|int", as: Int.self, options: .lenient) == 7)
        #expect(try iq.findFirst(Query("/@id|int", as: Int.self, options: .lenient)) == 0)
        #expect(try iq.findFirst("/@id|int")?.int == 0 && iq.findFirst(Query(Query("/@id|int"), as: Int.self)) == 0)
        #expect(try iq.findFirst("/@id|int", options: .strictConversions) == nil)
    }

    private enum Kind: String, QueryDecodable { case chat, groupchat }
    private enum Level: Int, QueryDecodable { case low = 1, high }

    @Test func otherTypesOfTheSameResults() throws {
        let message = try element(
            "<message type='chat' a='9223372036854775807' b='300' c='2' u='https://example.org/a%20b'/>")
        #expect(try message.findFirst("/@a|int", as: Int64.self) == .max)
        #expect(try message.findFirst("/@b|int", as: Int8.self) == nil)
        #expect(try message.findFirst("/@b|int", as: Int16.self) == 300)
        #expect(try message.findFirst("/@b|uint", as: UInt32.self) == 300)
        #expect(try message.findFirst("/@b|uint", as: UInt8.self) == nil)
        #expect(try message.findFirst("/@u", as: URL.self)?.host() == "example.org")
        #expect(try message.findFirst("/@type", as: Kind.self) == .chat)
        #expect(try message.findFirst("/@b", as: Kind.self) == nil)
        #expect(try message.findFirst("/@c|int", as: Level.self) == .high)
        #expect(queryError { _ = try message.findFirst("/@b|int", as: UInt32.self) }?.kind == .resultType)
        #expect(queryError { _ = try message.findFirst("/@b|int", as: Kind.self) }?.kind == .resultType)
        let found: Kind? = try message.findFirst("/@type")
        #expect(found == .chat)
    }

    @Test func argumentsOfOtherTypes() throws {
        let (id, place) = (UUID(), try #require(URL(string: "https://example.org/a?b=c&d")))
        let iq = MutableElement("iq", attributes: ["id": id.uuidString, "at": place.absoluteString])
        #expect(try iq.check("/<id=\(id)>") && iq.check("/<id=%@>", id) && iq.check("/<at=\(place)>"))
        #expect(try !iq.check("/<id=\(UUID())>"))
    }

    /// Elements belong to the tree on which the query runs.
    @Test func editableElements() throws {
        let iq = try element(stanza).thaw()
        let found: MutableElement? = try iq.findFirst(Query("a", as: Element.self))
        found?["k"] = "3"
        #expect(try iq.find(Query("a@k", as: String.self)) == ["3", "2.5"])
        #expect(try iq.find(Query("a", as: Element.self)).count == 2)
        // If the caller requests frozen elements, they are copies.
        let frozen: Element? = try iq.findFirst(Query("a", as: Element.self))
        #expect(frozen?["k"] == "3")
        let all: [Element] = try iq.find(Query("a", as: Element.self))
        #expect(all.map(\.text) == ["x", "2024-01-02T03:04:05Z"])
        func get<Output: QueryDecodable>(_ query: Query<Output>) throws -> Output? { try iq.findFirst(query) }
        #expect(try get(Query("a", as: Element.self))?["k"] == "3")
    }

    @Test func booleanResults() throws {
        let iq = try element("<iq xmlns='jabber:client'><fin xmlns='urn:xmpp:mam:2' complete='true'/></iq>")
        let isComplete = try Query("{urn:xmpp:mam:2}fin@complete|bool", as: Bool.self)
        #expect(try iq.findFirst(isComplete) == true)
        #expect(try element("<iq><fin xmlns='urn:xmpp:mam:2' complete='false'/></iq>").findFirst(isComplete) == false)
        #expect(try element("<iq/>").findFirst(isComplete) == nil)
    }

    @Test func firstOfADate() throws {
        let message = try element("<message><delay xmlns='urn:xmpp:delay' stamp='2024-01-02T03:04:05Z'/></message>")
        let stamp = try message.findFirst(Query("{urn:xmpp:delay}delay@stamp|datetime", as: Date.self))
        #expect(stamp == Date(timeIntervalSince1970: 1_704_164_645))
    }

    @Test func argumentsByInterpolation() throws {
        let iq = try element(stanza)
        for (value, text) in [("1", "x"), ("2.5", "2024-01-02T03:04:05Z")] {
            #expect(try iq.findFirst(Query("a<k=\(value)>#", as: String.self)) == text)
            #expect(try iq.find(Query("\("a")<\("k")=\(value)>#", as: String.self)) == [text])
        }
        #expect(try !iq.check(Query("a<k=\("3")>#", as: String.self)))
    }

    @Test func otherTypesAreErrors() {
        #expect(queryError { _ = try Query("a@b|bool", as: Int.self) }?.kind == .resultType)
        #expect(queryError { _ = try Query("a<b=\("c")>", as: Int.self) }?.kind == .resultType)
        #expect(queryError { _ = try Query("a@b|integer", as: Int.self) }?.kind == .unknownConversion)
        #expect(queryError { _ = try Query(Query("a#"), as: Element.self) }?.kind == .resultType)
    }

    /// A query that could not be compiled has no type of results: its own mistake is the error.
    @Test func aMistakeComesBeforeTheType() {
        let failing = _CheckedTemplate<Element>(":a//")().query
        #expect(queryError { _ = try Query(failing, as: String.self) }?.kind == .syntax)
        #expect(queryError { _ = try Query(failing, as: Element.self) }?.kind == .syntax)
        #expect(queryError { _ = try Query(Query(failing), as: Bool.self) }?.kind == .syntax)
    }

    /// A type of the program: the macro cannot compare it with the text, so each evaluation reports it.
    @Test func checkedQueriesForOwnTypes() throws {
        let iq = try element(stanza)
        #expect(iq.find(_CheckedTemplate<Half>(":a@k|double")()).map(\.value) == [0.5, 1.25])
        #expect(iq.findFirst(_CheckedTemplate<Half>("4:a<k=>@k|double")(.text("2.5")))?.value == 1.25)
        let wrong = _CheckedTemplate<Half>(":a@k")().query
        let cached = _CheckedTemplate<Half>("4:a<k=>@k")(.text("1")).query
        for body: () throws -> Void in [
            { _ = try iq.find(wrong) }, { _ = try iq.findFirst(wrong) }, { _ = try iq.check(wrong) },
            { _ = try iq.thaw().find(wrong) }, { _ = try iq.find(cached) },
        ] {
            let error = try #require(queryError { try body() })
            #expect(error.first.problem == .resultType("Half", of: "string", accepted: ["double"]))
        }
    }

    private struct Half: QueryDecodable {
        let value: Double

        static var queryResultKinds: ResultKinds { .double }

        static func decode<Node>(queryResult: QueryResult<Node>) -> Half? {
            queryResult.double.map { Half(value: $0 / 2) }
        }
    }

    /// The code that `#query` writes.
    @Test func checkedQueries() throws {
        let iq = try element(stanza)
        let id = _CheckedTemplate<String>(":/@id")
        #expect(iq.findFirst(id()) == "7" && iq.thaw().findFirst(id()) == "7" && iq.find(id()) == ["7"])
        #expect(iq.check(id()) && iq.thaw().check(id()) && iq.check(_CheckedTemplate<QueryValue>(":/@id")()))
        let text = _CheckedTemplate<String>("4:a<k=>#")
        #expect(iq.findFirst(text("1".queryArgument)) == "x")
        #expect(iq.findFirst(_CheckedTemplate<String>("4:a<k=>#")(.floating(2.5))) == "2024-01-02T03:04:05Z")
        #expect(text("1".queryArgument).query.source == "a<k=\\(…)>#")
        // The compiler would not have let it pass.
        let failing = _CheckedTemplate<String>(":a//")().query
        #expect(failing.source == "a//" && failing.argumentCount == 0)
        for body: () throws -> Void in [
            { _ = try iq.find(failing) }, { _ = try iq.findFirst(failing) }, { _ = try iq.check(failing) },
            { _ = try iq.thaw().find(failing) }, { _ = try iq.check(failing, "x") }, { _ = try failing.inspect(iq) },
            {
                var set = QuerySet()
                _ = try set.insert(failing)
            }, { _ = try iq.find(_CheckedTemplate<String>(":a//")().query) },
        ] {
            #expect(queryError { try body() }?.kind == .syntax)
        }
    }

    /// A query that cannot be evaluated shows its error, and not the program that replaces its own.
    @Test func theListingOfAFailingQuery() {
        let (invalid, unfit) = (_CheckedTemplate<String>(":a//")(), _CheckedTemplate<Half>(":a@k")())
        for failing in [Query(invalid.query), Query(unfit.query)] {
            let error = queryError { _ = try failing.binding("x") }
            #expect(error != nil && failing.listing == error?.description)
            #expect(failing.listing(showingBytes: true) == error?.description)
            #expect(failing.listedInstructions.isEmpty && failing.programByteCount == 0)
            #expect(QueryStatistics(of: failing).steps.isEmpty)
        }
    }

    /// Bound arguments are all of them: a query takes no others then.
    @Test func boundArguments() throws {
        let iq = try element(stanza)
        let query = try Query("a<k=%@>#", as: String.self)
        let bound = try query.binding("1")
        #expect(query.argumentCount == 1 && bound.argumentCount == 0)
        #expect(try iq.find(bound) == ["x"] && iq.thaw().find(bound) == ["x"])
        #expect(try iq.findFirst(bound) == "x" && iq.thaw().findFirst(bound) == "x")
        #expect(try iq.check(bound) && iq.thaw().check(bound))
        #expect(try !iq.check(query.binding("3")))
        #expect(try query.binding(arguments: ["1"]).values == bound.values && bound.values == [.text("1")])
        #expect(try bound.inspect(iq).results.map(\.value.string) == ["x"])
        var set = QuerySet()
        let id = try set.insert(bound)
        #expect(try iq.find(#require(set[id]?.query)).map(\.string) == ["x"])
        #expect(try QuerySet([bound, query.binding("2.5")]).matches(iq).map(\.index) == [0, 1])
        for body: () throws -> Void in [
            { _ = try iq.find(bound, "1") }, { _ = try iq.thaw().find(bound, "1") }, { _ = try bound.binding("1") },
            { _ = try query.binding() }, { _ = try query.binding("1", "2") }, { _ = try Query("a").binding("1") },
            { _ = try Query("a<k=%d>").binding("x") }, { try set.bind("2", to: id) }, { try set.insert(bound, "1") },
            { _ = try iq.check(Query(_CheckedTemplate<Element>("4:a<k=>")(.text("3")).query), "3") },
        ] {
            #expect(queryError { try body() }?.kind == .arguments)
        }
    }
}
