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
        #expect(try iq.first(TypedQuery<String>("/@id")) == "7")
        #expect(try iq.first(TypedQuery<Int>("/@id|int")) == 7)
        #expect(try iq.first(TypedQuery<UInt>("/@id|uint")) == 7)
        #expect(try iq.all(TypedQuery<Double>("a@k|double")) == [1, 2.5])
        #expect(try iq.first(TypedQuery<Date>("a#|datetime")) == Date(timeIntervalSince1970: 1_704_164_645))
        #expect(try iq.first(TypedQuery<Data>("/@id|base64")) == nil)
        #expect(try iq.first(TypedQuery<UUID>("a#|uuidcast")) != nil)
        #expect(try iq.first(TypedQuery<StringMap>("a@@"))?["k"] == "1")
        #expect(try iq.first(TypedQuery<DataForm>("\\\\"))?["f"] == "v")
        #expect(try iq.first(TypedQuery<FormField>("\\&f\\"))?.label == "F")
        #expect(try iq.first(TypedQuery<Bool>("/@done|bool")) == true)
        #expect(try iq.all(TypedQuery<Element>("a")).map(\.text) == ["x", "2024-01-02T03:04:05Z"])
        #expect(try iq.first(TypedQuery<Element>("b")) == nil)
        #expect(try iq.check(TypedQuery<Element>("a")))
    }

    /// Elements belong to the tree on which the query runs.
    @Test func editableElements() throws {
        let iq = try element(stanza).thaw()
        let found: MutableElement? = try iq.first(TypedQuery("a"))
        try found?.setAttribute("k", to: "3")
        #expect(try iq.all(TypedQuery<String>("a@k")) == ["3", "2.5"])
        #expect(try iq.all(TypedQuery<Element>("a")).count == 2)
        // If the caller requests frozen elements, they are copies.
        let frozen: Element? = try iq.first(TypedQuery("a"))
        #expect(frozen?["k"] == "3")
        let all: [Element] = try iq.all(TypedQuery("a"))
        #expect(all.map(\.text) == ["x", "2024-01-02T03:04:05Z"])
        func get<Value>(_ query: TypedQuery<Value>) throws -> Value? { try iq.first(query) }
        #expect(try get(TypedQuery<Element>("a"))?["k"] == "3")
    }

    @Test func holdsIsThereAndTrue() throws {
        let iq = try element("<iq xmlns='jabber:client'><fin xmlns='urn:xmpp:mam:2' complete='true'/></iq>")
        let isComplete = try TypedQuery<Bool>("{urn:xmpp:mam:2}fin@complete|bool")
        let isLast: Bool = try iq.holds(isComplete)
        #expect(isLast)
        #expect(try !element("<iq><fin xmlns='urn:xmpp:mam:2' complete='false'/></iq>").holds(isComplete))
        #expect(try !element("<iq/>").holds(isComplete))
    }

    @Test func firstOfADate() throws {
        let message = try element("<message><delay xmlns='urn:xmpp:delay' stamp='2024-01-02T03:04:05Z'/></message>")
        let stamp: Date? = try message.first(TypedQuery("{urn:xmpp:delay}delay@stamp|datetime"))
        #expect(stamp == Date(timeIntervalSince1970: 1_704_164_645))
    }

    @Test func argumentsByInterpolation() throws {
        let iq = try element(stanza)
        for (value, text) in [("1", "x"), ("2.5", "2024-01-02T03:04:05Z")] {
            #expect(try iq.first(TypedQuery<String>("a<k=\(value)>#")) == text)
            #expect(try iq.all(TypedQuery<String>("\("a")<\("k")=\(value)>#")) == [text])
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
        #expect(try iq.first(id()) == "7")
        let text = CheckedQuery<String>("a<k=", ">#")
        #expect(try iq.first(text("1".queryArgument)) == "x")
        #expect(try iq.first(CheckedQuery<String>.cached("4:a<k=>#")(.floating(2.5))) == "2024-01-02T03:04:05Z")
        #expect(text("1".queryArgument).source == "a<k=\\(…)>#")
        // The compiler would not have let it pass.
        #expect(queryError { _ = try iq.first(CheckedQuery<String>("a//")()) }?.kind == .syntax)
    }
}
