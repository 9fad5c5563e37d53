// Results: their kinds, accessors and Swift types, strict conversions, bound arguments, and references into editable
// trees (1.5). OverloadTests.swift has the forms of calls.

import Foundation
import QuerySyntax
import QueryTools
import Testing

@testable import StanzaQuery

@Suite struct ResultTests {
    private static let xml = """
        <iq type='result' id='7'><query xmlns='u'><item k='1' t='true' d='1.5' s='2002-09-10T23:08:25Z' b='QUI=' \
        g='01234567-89ab-cdef-0123-456789abcdef'>text</item><item k='2'/></query>\
        <x xmlns='jabber:x:data' type='form'><field var='f' label='L'><value>v</value></field></x></iq>
        """

    // MARK: Kinds and types

    /// A query of each kind, and the text that its accessor and its type give of the first result.
    private static let queries: [(String, ResultKind, text: String)] = [
        ("{u}query/item", .element, "1"), ("{u}query/item@k", .string, "1"), ("{u}query/item#", .string, "text"),
        ("{u}query/item$", .string, "item"), ("{u}query/item<k=2>@@", .attributes, #"["xmlns": "u", "k": "2"]"#),
        ("{u}query/item@t|bool", .bool, "true"), ("{u}query/item@k|int", .int, "1"),
        ("{u}query/item@k|uint", .uint, "1"), ("{u}query/item@d|double", .double, "1.5"),
        ("{u}query/item@s|datetime", .datetime, "1031699305.0"), ("{u}query/item@b|base64", .base64, "QUI="),
        ("{u}query/item@g|uuid", .uuid, "01234567-89AB-CDEF-0123-456789ABCDEF"),
        ("{u}query/item@g|uuidcast", .uuid, "01234567-89AB-CDEF-0123-456789ABCDEF"), (#"\\"#, .form, "v"),
        (#"\@f\"#, .string, "v"), (#"\&f\"#, .field, "L"),
    ]

    private static let accessors: [ResultKind: @Sendable (QueryValue) -> String?] = [
        .element: { $0.element?["k"] }, .string: { $0.string }, .attributes: { $0.attributes.map { "\($0)" } },
        .bool: { $0.bool.map { "\($0)" } }, .int: { $0.int.map { "\($0)" } }, .uint: { $0.uint.map { "\($0)" } },
        .double: { $0.double.map { "\($0)" } }, .datetime: { $0.date.map { "\($0.timeIntervalSince1970)" } },
        .base64: { $0.data?.base64EncodedString() }, .uuid: { $0.uuid?.uuidString },
        .form: { $0.form?.value(of: "f") }, .field: { $0.field?.label },
    ]

    private static let types: [ResultKind: @Sendable (Query<QueryValue>, Element) throws -> String?] = [
        .element: { try $1.findFirst(Query($0, as: Element.self))?["k"] },
        .string: { try $1.findFirst(Query($0, as: String.self)) },
        .attributes: { try $1.findFirst(Query($0, as: StringMap.self)).map { "\($0)" } },
        .bool: { try $1.findFirst(Query($0, as: Bool.self)).map { "\($0)" } },
        .int: { try $1.findFirst(Query($0, as: Int.self)).map { "\($0)" } },
        .uint: { try $1.findFirst(Query($0, as: UInt.self)).map { "\($0)" } },
        .double: { try $1.findFirst(Query($0, as: Double.self)).map { "\($0)" } },
        .datetime: { try $1.findFirst(Query($0, as: Date.self)).map { "\($0.timeIntervalSince1970)" } },
        .base64: { try $1.findFirst(Query($0, as: Data.self))?.base64EncodedString() },
        .uuid: { try $1.findFirst(Query($0, as: UUID.self))?.uuidString },
        .form: { try $1.findFirst(Query($0, as: DataForm.self))?["f"] },
        .field: { try $1.findFirst(Query($0, as: FormField.self))?.label },
    ]

    /// Every accessor returns its own kind only, and every type fits its own kind only.
    @Test func kindsOfResults() throws {
        let iq = try element(Self.xml)
        for (text, kind, expected) in Self.queries {
            let query = try Query(text)
            #expect(query.resultKind == kind, "\(text)")
            let value = try #require(try iq.findFirst(query), "\(text)")
            #expect(value.kind == kind, "\(text)")
            for other in ResultKind.allCases {
                #expect(Self.accessors[other]?(value) == (other == kind ? expected : nil), "\(text) as \(other)")
                if other == kind {
                    #expect(try Self.types[other]?(query, iq) == expected, "\(text)")
                } else {
                    #expect(queryError(text) { _ = try Self.types[other]?(query, iq) }?.kind == .resultType)
                }
            }
        }
        #expect(Set(Self.queries.map(\.1)) == Set(ResultKind.allCases))
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
        #expect(try message.findFirst("/@b", as: Kind.self) == nil)
        #expect(try message.findFirst("/@c|int", as: Level.self) == .high)
        #expect(queryError { _ = try message.findFirst("/@b|int", as: UInt32.self) }?.kind == .resultType)
        #expect(queryError { _ = try message.findFirst("/@b|int", as: Kind.self) }?.kind == .resultType)
        let found: Kind? = try message.findFirst("/@type")
        #expect(found == .chat)
        let (id, place) = (UUID(), try #require(URL(string: "https://example.org/a?b=c&d")))
        let iq = MutableElement("iq", attributes: ["id": id.uuidString, "at": place.absoluteString])
        #expect(try iq.check("/<id=\(id)>") && iq.check("/<id=%@>", id) && iq.check("/<at=\(place)>"))
        #expect(try !iq.check("/<id=\(UUID())>"))
    }

    /// The evaluation checks the type first: no element need match, and it does not look at arguments. A mistake of the
    /// text comes before the type.
    @Test func typesAreCheckedFirst() throws {
        let empty = try element("<r/>")
        let error = try #require(queryError { _ = try empty.findFirst("nothing@k", as: Int.self) })
        #expect(error.source == "nothing@k" && error.range == 7..<9)
        #expect(error.first.problem == .resultType("Int", of: "string", accepted: ["int"]))
        let failing = _CheckedTemplate<Element>(":a//")().query
        for (kind, body): (Diagnostic.Kind, () throws -> Void) in [
            (.resultType, { _ = try empty.findFirst("nothing<k=%d>@k", "no number", as: Int.self) }),
            (.resultType, { _ = try empty.find("nothing<k=%d>@k", as: Int.self) }),
            (.resultType, { _ = try Query("a<b=\("c")>", as: Int.self) }),
            (.arguments, { _ = try empty.find("nothing<k=%d>@k", "no number", as: String.self) }),
            (.syntax, { _ = try empty.find("a//b", as: String.self) }),
            (.unknownConversion, { _ = try Query("a@b|integer", as: Int.self) }),
            (.syntax, { _ = try Query(failing, as: String.self) }),
            (.syntax, { _ = try Query(Query(failing), as: Bool.self) }),
        ] {
            #expect(queryError("\(kind)") { try body() }?.kind == kind)
        }
    }

    /// A text that is not entirely a value of the type has no result.
    @Test func conversionsAreStrict() throws {
        let iq = try element("<iq id='x7' n='7x' b='yes'/>")
        #expect(try iq.findFirst("/@id|int", as: Int.self) == nil && iq.findFirst("/@n|uint", as: UInt.self) == nil)
        #expect(
            try iq.findFirst("/@b|bool", as: Bool.self) == nil && iq.findFirst("/@n|double", as: Double.self) == nil)
        #expect(try iq.findFirst(Query("/@id|int", as: Int.self)) == nil)
        #expect(try iq.findFirst(Query("/@id|int" + "", as: Int.self)) == nil)
        #expect(iq.findFirst(_CheckedTemplate<Int>(":/@id|int")()) == nil)
        // The choice, and the language's own rule without a type.
        #expect(try iq.findFirst("/@n|int", as: Int.self, options: .lenient) == 7)
        #expect(try iq.findFirst(Query("/@id|int", as: Int.self, options: .lenient)) == 0)
        #expect(try iq.findFirst("/@id|int")?.int == 0 && iq.findFirst(Query(Query("/@id|int"), as: Int.self)) == 0)
        #expect(try iq.findFirst("/@id|int", options: .strictConversions) == nil)
    }

    private struct Half: QueryDecodable {
        let value: Double

        static var queryResultKinds: ResultKinds { .double }

        static func decode<Node>(queryResult: QueryResult<Node>) -> Half? {
            queryResult.double.flatMap { $0 < 1 ? nil : Half(value: $0 / 2) }
        }
    }

    /// A type of the program, with results that it leaves out. The macro cannot compare it with the text, so each
    /// evaluation reports a type that does not fit.
    @Test func ownTypes() throws {
        let iq = try element("<r><a k='0.5'/><a k='1'/><a k='2.5'/></r>")
        #expect(try iq.find("a@k|double", as: Half.self).map(\.value) == [0.5, 1.25])
        #expect(try iq.findFirst(Query("a@k|double", as: Half.self))?.value == 0.5)
        #expect(try iq.findFirst("a<k=0.5>@k|double", as: Half.self)?.value == nil)
        #expect(iq.find(_CheckedTemplate<Half>(":a@k|double")()).map(\.value) == [0.5, 1.25])
        #expect(iq.findFirst(_CheckedTemplate<Half>("4:a<k=>@k|double")(.text("2.5")))?.value == 1.25)
        let wrong = _CheckedTemplate<Half>(":a@k")().query
        let cached = _CheckedTemplate<Half>("4:a<k=>@k")(.text("1")).query
        for body: () throws -> Void in [
            { _ = try iq.find(wrong) }, { _ = try iq.findFirst(wrong) }, { _ = try iq.check(wrong) },
            { _ = try iq.thaw().find(wrong) }, { _ = try iq.find(cached) }, { _ = try iq.find("a@k", as: Half.self) },
        ] {
            let error = try #require(queryError { try body() })
            #expect(error.first.problem == .resultType("Half", of: "string", accepted: ["double"]))
        }
    }

    /// The code that `#query` writes.
    @Test func checkedQueries() throws {
        let iq = try element("<iq id='7'><a k='1'>x</a><a k='2.5'>y</a></iq>")
        let id = _CheckedTemplate<String>(":/@id")
        #expect(iq.findFirst(id()) == "7" && iq.thaw().findFirst(id()) == "7" && iq.find(id()) == ["7"])
        #expect(iq.check(id()) && iq.thaw().check(id()) && iq.check(_CheckedTemplate<QueryValue>(":/@id")()))
        let text = _CheckedTemplate<String>("4:a<k=>#")
        #expect(iq.findFirst(text("1".queryArgument)) == "x" && iq.findFirst(text(.floating(2.5))) == "y")
        #expect(text("1".queryArgument).query.source == "a<k=\\(…)>#")
    }

    /// A query that cannot be evaluated shows its error, and not the program that replaces its own.
    @Test func failingQueries() throws {
        let iq = try element("<iq/>")
        let failing = _CheckedTemplate<String>(":a//")().query
        #expect(failing.source == "a//" && failing.argumentCount == 0)
        for body: () throws -> Void in [
            { _ = try iq.find(failing) }, { _ = try iq.findFirst(failing) }, { _ = try iq.check(failing) },
            { _ = try iq.thaw().find(failing) }, { _ = try iq.check(failing, "x") }, { _ = try failing.inspect(iq) },
            { _ = try QuerySet([failing]).count },
        ] {
            let error = #expect(throws: (any Error).self) { try body() }
            #expect(((error as? QueryError) ?? (error as? QuerySetError)?.first.error)?.kind == .syntax)
        }
        for failing in [Query(failing), Query(_CheckedTemplate<Half>(":a@k")().query)] {
            let error = queryError { _ = try failing.binding("x") }
            #expect(error != nil && failing.listing == error?.description)
            #expect(failing.listing(showingBytes: true) == error?.description)
            #expect(failing.listedInstructions.isEmpty && failing.programByteCount == 0)
            #expect(QueryStatistics(of: failing).steps.isEmpty)
        }
    }

    /// Bound arguments are all of them: a query takes no others then.
    @Test func boundArguments() throws {
        let iq = try element("<iq><a k='1'>x</a><a k='2.5'>y</a></iq>")
        let query = try Query("a<k=%@>#", as: String.self)
        let bound = try query.binding("1")
        #expect(query.argumentCount == 1 && bound.argumentCount == 0)
        #expect(try iq.find(bound) == ["x"] && iq.thaw().find(bound) == ["x"])
        #expect(try iq.findFirst(bound) == "x" && iq.thaw().findFirst(bound) == "x")
        #expect(try iq.check(bound) && iq.thaw().check(bound) && !iq.check(query.binding("3")))
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
        let error = queryError { _ = try iq.find("a<k=\(1)>", "2") }
        #expect(error?.first.problem == .argumentsAreBound(given: 1))
        #expect(error?.description.contains("arguments for a query that has its arguments") == true)
    }

    // MARK: Errors

    /// The system shows the description of each error.
    @Test func localizedErrors() throws {
        let wrong = #expect(throws: QueryError.self) { try Query("fin@count|integer") }
        let wrongSet = #expect(throws: QuerySetError.self) { try QuerySet(["fin@count|integer"]) }
        let stanza = try Element(parsing: "<fin count='1'/>")
        let mismatch = #expect(throws: QueryError.self) { try stanza.find("/@count|int", as: Bool.self) }
        let cut = #expect(throws: XMLParseError.self) { try Element(parsing: "<fin") }
        let name = #expect(throws: XMLTreeError.self) { try XMLName("a b" + "") }
        for error in [wrong, wrong?.first, wrongSet, mismatch, cut, name] as [(any Error)?] {
            let error = try #require(error)
            #expect(error.localizedDescription == "\(error)")
        }
    }

    /// An error of types shows the part of the query that decides.
    @Test func textOfAType() throws {
        let error = try #require(queryError { _ = try Query("{urn:x}a@b|int", as: Bool.self) })
        #expect(
            error.description == """
                error: results of kind 'int' for the type 'Bool'
                  {urn:x}a@b|int
                             ^~~ expected bool: change the end of the query, or the type in 'as:' or '#query<…>'
                """)
    }

    // MARK: Trees

    /// Elements belong to the tree on which the query runs. If the caller requests the other kind, they are copies.
    @Test func elementsOfBothKinds() throws {
        let frozen = try element(Self.xml)
        let editable = frozen.thaw()
        let found: MutableElement? = try editable.findFirst(Query("{u}query", as: Element.self))
        #expect(found?.parent === editable)
        #expect(try editable.findFirst(#"\\"#, as: DataFormElement<MutableElement>.self)?.element.parent === editable)
        #expect(try editable.findFirst(#"\\"#, as: DataForm.self)?.kind == .form)
        #expect(try editable.findFirst("{u}query", as: Element.self) == frozen.findFirst("{u}query")?.element)
        #expect(try editable.find(#"\\"#, as: DataFormElement<Element>.self).map(\.kind) == [.form])
        #expect(try frozen.find(#"\\"#, as: DataFormElement<MutableElement>.self).map(\.kind) == [.form])
        let copy = try #require(try frozen.findFirst("{u}query", as: MutableElement.self))
        copy["new"] = "1"
        #expect(try frozen.findFirst("{u}query@new") == nil)
        #expect(try editable.findFirst("{u}query", as: QueryValue.self)?.element?.name == "query")
        func get<Output: QueryDecodable>(_ query: Query<Output>) throws -> [Output] { try editable.find(query) }
        #expect(try get(Query("{u}query/item", as: Element.self)).map { $0["k"] } == ["1", "2"])
    }

    @Test func changingAResultChangesTheTree() throws {
        let iq = try element(Self.xml).thaw()
        let item = try #require(try iq.findFirst("{u}query/item<k=2>")?.element)
        item["k"] = "3"
        #expect(try iq.find("{u}query/item@k").map(\.string) == ["1", "3"])
        item.text = "new"
        #expect(try iq.find("{u}query/item#").map(\.string) == ["text", "new"])
        item.add(MutableElement("child"))
        #expect(try iq.check("{u}query/item<k=3>/child"))
        #expect(try item.findFirst("../..")?.element === iq)
        item.remove()
        #expect(try iq.find("{u}query/item").count == 1)
        #expect(try item.findFirst("..")?.element === item)
        let form = try #require(try iq.findFirst(#"\\"#)?.form)
        try form.element.findFirst("field/value")?.element?.text = "changed"
        #expect(try form.value(of: "f") == "changed" && iq.findFirst(#"\@f\"#)?.string == "changed")
    }

    /// Results own their data: elements and forms outlive their origin, and can be sent to other tasks.
    @Test func resultsKeepTheirTrees() throws {
        let _: [any Sendable] = try [element(Self.xml).find("{u}query"), Query("{u}query", as: Element.self)]
        var frozen: [Element] = []
        var editable: [MutableElement] = []
        for number in 0..<100 {
            let xml = "<r><a k='\(number)'><b/></a></r>"
            frozen += try element(xml).find("a/b").compactMap(\.element)
            editable += try element(xml).thaw().find("a/b").compactMap(\.element)
        }
        for number in 0..<100 {
            #expect(try frozen[number].findFirst("../@k|int")?.int == number)
            #expect(try editable[number].findFirst("../@k|int")?.int == number)
        }
    }
}
