// Queries whose results have a known type.

import Foundation
import Testing

@testable import StanzaQuery

@Suite struct TypedQueryTests {
    private let stanza = """
        <iq xmlns='jabber:client' id='7' done='true'><a k='1'>x</a><a k='2.5'>2024-01-02T03:04:05Z</a>\
        <x xmlns='jabber:x:data' type='form'><field var='f' label='F'><value>v</value></field></x></iq>
        """

    @Test func everyKindOfResult() throws {
        let iq = try element(stanza)
        #expect(try iq.findFirst(TypedQuery<String>("/@id")) == "7")
        #expect(try iq.findFirst(TypedQuery<Int>("/@id|int")) == 7)
        #expect(try iq.findFirst(TypedQuery<UInt>("/@id|uint")) == 7)
        #expect(try iq.find(TypedQuery<Double>("a@k|double")) == [1, 2.5])
        #expect(try iq.findFirst(TypedQuery<Date>("a#|datetime")) == Date(timeIntervalSince1970: 1_704_164_645))
        #expect(try iq.findFirst(TypedQuery<Data>("/@id|base64")) == nil)
        #expect(try iq.findFirst(TypedQuery<UUID>("a#|uuidcast")) != nil)
        #expect(try iq.findFirst(TypedQuery<StringMap>("a@@"))?["k"] == "1")
        #expect(try iq.findFirst(TypedQuery<DataForm>("\\\\"))?["f"] == "v")
        #expect(try iq.findFirst(TypedQuery<FormField>("\\&f\\"))?.label == "F")
        #expect(try iq.findFirst(TypedQuery<Bool>("/@done|bool")) == true)
        #expect(try iq.find(TypedQuery<Element>("a")).map(\.text) == ["x", "2024-01-02T03:04:05Z"])
        #expect(try iq.findFirst(TypedQuery<Element>("b")) == nil)
        #expect(try iq.check(TypedQuery<Element>("a")))
    }

    /// Elements belong to the tree on which the query runs.
    @Test func editableElements() throws {
        let iq = try element(stanza).thaw()
        let found: MutableElement? = try iq.findFirst(TypedQuery("a"))
        try found?.setAttribute("k", to: "3")
        #expect(try iq.find(TypedQuery<String>("a@k")) == ["3", "2.5"])
        #expect(try iq.find(TypedQuery<Element>("a")).count == 2)
        // If the caller requests frozen elements, they are copies.
        let frozen: Element? = try iq.findFirst(TypedQuery("a"))
        #expect(frozen?["k"] == "3")
        let all: [Element] = try iq.find(TypedQuery("a"))
        #expect(all.map(\.text) == ["x", "2024-01-02T03:04:05Z"])
        func get<Value>(_ query: TypedQuery<Value>) throws -> Value? { try iq.findFirst(query) }
        #expect(try get(TypedQuery<Element>("a"))?["k"] == "3")
    }

    @Test func booleanResults() throws {
        let iq = try element("<iq xmlns='jabber:client'><fin xmlns='urn:xmpp:mam:2' complete='true'/></iq>")
        let isComplete = try TypedQuery<Bool>("{urn:xmpp:mam:2}fin@complete|bool")
        let isLast = try iq.findFirst(isComplete) == true
        #expect(isLast)
        #expect(try element("<iq><fin xmlns='urn:xmpp:mam:2' complete='false'/></iq>").findFirst(isComplete) == false)
        #expect(try element("<iq/>").findFirst(isComplete) == nil)
    }

    @Test func firstOfADate() throws {
        let message = try element("<message><delay xmlns='urn:xmpp:delay' stamp='2024-01-02T03:04:05Z'/></message>")
        let stamp: Date? = try message.findFirst(TypedQuery("{urn:xmpp:delay}delay@stamp|datetime"))
        #expect(stamp == Date(timeIntervalSince1970: 1_704_164_645))
    }

    @Test func argumentsByInterpolation() throws {
        let iq = try element(stanza)
        for (value, text) in [("1", "x"), ("2.5", "2024-01-02T03:04:05Z")] {
            #expect(try iq.findFirst(TypedQuery<String>("a<k=\(value)>#")) == text)
            #expect(try iq.find(TypedQuery<String>("\("a")<\("k")=\(value)>#")) == [text])
        }
        #expect(try !iq.check(TypedQuery<String>("a<k=\("3")>#")))
    }

    @Test func otherTypesAreErrors() {
        #expect(throws: ResultTypeError.self) { try TypedQuery<Int>("a@b|bool") }
        #expect(throws: ResultTypeError.self) { try TypedQuery<Int>("a<b=\("c")>") }
        #expect(throws: QueryError.self) { try TypedQuery<Int>("a@b|integer") }
        #expect(throws: ResultTypeError.self) { try TypedQuery<Element>(Query("a#")) }
        // They have their arguments already.
        #expect(queryError { _ = try TypedQuery<Element>("a<b=%@>") }?.first.problem == .specifierAmongSlots)
        #expect(queryError { _ = try TypedQuery<Element>(Query("a<b=%d>")) }?.kind == .arguments)
    }

    /// The code that `#query` writes.
    @Test func checkedQueries() throws {
        let iq = try element(stanza)
        let id = CheckedQuery<String>("/@id")
        #expect(try iq.findFirst(id()) == "7")
        let text = CheckedQuery<String>("a<k=", ">#")
        #expect(try iq.findFirst(text("1".queryArgument)) == "x")
        #expect(try iq.findFirst(CheckedQuery<String>.cached("4:a<k=>#")(.floating(2.5))) == "2024-01-02T03:04:05Z")
        #expect(text("1".queryArgument).source == "a<k=\\(…)>#")
        // The compiler would not have let it pass.
        #expect(queryError { _ = try iq.findFirst(CheckedQuery<String>("a//")()) }?.kind == .syntax)
    }
}
