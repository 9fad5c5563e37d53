// Results: accessors, results of a Swift type, references into editable trees (1.5), and use across tasks.

import Foundation
import Testing

@testable import StanzaQuery

@Suite struct ResultTests {
    private static let xml = """
        <iq type='result' id='7'><query xmlns='u'><item k='1' t='true' d='1.5' s='2002-09-10T23:08:25Z' b='QUI=' \
        g='01234567-89ab-cdef-0123-456789abcdef'>text</item><item k='2'/></query>\
        <x xmlns='jabber:x:data' type='form'><field var='f' label='L'><value>v</value></field></x></iq>
        """

    /// Queries, each with the kind of its results.
    private static let queries: [(String, ResultKind)] = [
        ("{u}query/item", .element), ("{u}query/item@k", .string), ("{u}query/item@@", .attributes),
        ("{u}query/item@t|bool", .bool),
        ("{u}query/item@k|int", .int), ("{u}query/item@k|uint", .uint), ("{u}query/item@d|double", .double),
        ("{u}query/item@s|datetime", .datetime), ("{u}query/item@b|base64", .base64), ("{u}query/item@g|uuid", .uuid),
        ("\\\\", .form),
        ("\\&f\\", .field),
    ]

    @Test func accessors() throws {
        let iq = try element(Self.xml)
        #expect(try iq.findFirst("{u}query/item")?.element?["k"] == "1")
        #expect(try iq.findFirst("{u}query/item#")?.string == "text")
        #expect(try iq.findFirst("{u}query/item<k=2>@@")?.attributes == ["xmlns": "u", "k": "2"])
        #expect(try iq.findFirst("{u}query/item@t|bool")?.bool == true)
        #expect(try iq.findFirst("{u}query/item@k|int")?.int == 1)
        #expect(try iq.findFirst("{u}query/item@k|uint")?.uint == 1)
        #expect(try iq.findFirst("{u}query/item@d|double")?.double == 1.5)
        #expect(try iq.findFirst("{u}query/item@s|datetime")?.date == Date(timeIntervalSince1970: 1_031_699_305))
        #expect(try iq.findFirst("{u}query/item@b|base64")?.data == Data("AB".utf8))
        #expect(try iq.findFirst("{u}query/item@g|uuid")?.uuid?.uuidString == "01234567-89AB-CDEF-0123-456789ABCDEF")
        #expect(try iq.findFirst("\\\\")?.form?.value(of: "f") == "v")
        #expect(try iq.findFirst("\\&f\\")?.field?.label == "L")
    }

    /// Every accessor returns its own kind only.
    @Test func accessorsOfOtherKinds() throws {
        let iq = try element(Self.xml)
        for (text, kind) in Self.queries {
            let query = try Query(text)
            #expect(query.resultKind == kind, "\(text)")
            let value = try #require(try iq.findFirst(query), "\(text)")
            #expect(value.kind == kind, "\(text)")
            let isThere: [ResultKind: Bool] = [
                .element: value.element != nil, .string: value.string != nil, .attributes: value.attributes != nil,
                .bool: value.bool != nil, .int: value.int != nil, .uint: value.uint != nil,
                .double: value.double != nil,
                .datetime: value.date != nil, .base64: value.data != nil, .uuid: value.uuid != nil,
                .form: value.form != nil,
                .field: value.field != nil,
            ]
            for other in ResultKind.allCases { #expect(isThere[other] == (other == kind), "\(text) as \(other)") }
        }
        #expect(Self.queries.count == ResultKind.allCases.count)
    }

    // MARK: Results of a Swift type

    @Test func typedResults() throws {
        let iq = try element(Self.xml)
        #expect(try iq.findFirst("{u}query/item@k|int", as: Int.self) == 1)
        #expect(try iq.find("{u}query/item@k|int", as: Int.self) == [1, 2])
        #expect(try iq.find("{u}query/item@k|uint", as: UInt.self) == [1, 2])
        #expect(try iq.find("{u}query/item@k", as: String.self) == ["1", "2"])
        #expect(try iq.findFirst("{u}query/item@t|bool", as: Bool.self) == true)
        #expect(try iq.findFirst("{u}query/item@d|double", as: Double.self) == 1.5)
        #expect(
            try iq.findFirst("{u}query/item@s|datetime", as: Date.self) == Date(timeIntervalSince1970: 1_031_699_305))
        #expect(try iq.findFirst("{u}query/item@b|base64", as: Data.self) == Data("AB".utf8))
        #expect(try iq.findFirst("{u}query/item@g|uuidcast", as: UUID.self)?.uuidString.hasPrefix("01234567") == true)
        #expect(try iq.findFirst("{u}query/item<k=2>@@", as: StringMap.self) == ["xmlns": "u", "k": "2"])
        #expect(try iq.findFirst("{u}query", as: Element.self)?.name == "query")
        #expect(try iq.findFirst("\\\\", as: DataForm.self)?.kind == .form)
        #expect(try iq.findFirst("\\\\", as: DataFormElement<Element>.self)?.kind == .form)
        #expect(try iq.findFirst("\\&f\\", as: FormField.self)?.value == "v")
        #expect(try iq.findFirst("{u}query/nothing@k|int", as: Int.self) == nil)
        #expect(try iq.find("{u}query/nothing@k|int", as: Int.self) == [])
        #expect(try iq.find("{u}query/item<k=%d>@k", 2, as: String.self) == ["2"])
        let query = try Query("{u}query/item<k=%d>@k|int", as: Int.self)
        #expect(try iq.find(query, 2) == [2])
        #expect(try iq.findFirst(query, 3) == nil)
    }

    @Test func typedResultsOfEditableTrees() throws {
        let iq = try element(Self.xml).thaw()
        #expect(try iq.find("{u}query/item@k|int", as: Int.self) == [1, 2])
        let query = try #require(try iq.findFirst("{u}query", as: MutableElement.self))
        #expect(query.parent === iq)
        #expect(try iq.findFirst("\\\\", as: DataFormElement<MutableElement>.self)?.element.parent === iq)
        #expect(try iq.findFirst("\\\\", as: DataForm.self)?.kind == .form)
    }

    private func typeError(_ body: () throws -> Void) -> QueryError? {
        do {
            try body()
            return nil
        } catch {
            return (error as? QueryError).flatMap { $0.kind == .resultType ? $0 : nil }
        }
    }

    @Test func typesThatDoNotFit() throws {
        for (text, kind) in Self.queries {
            let query = try Query(text)
            let fits: [ResultKind: Bool] = [
                .element: typeError { _ = try Query(query, as: Element.self) } == nil,
                .string: typeError { _ = try Query(query, as: String.self) } == nil,
                .attributes: typeError { _ = try Query(query, as: StringMap.self) } == nil,
                .bool: typeError { _ = try Query(query, as: Bool.self) } == nil,
                .int: typeError { _ = try Query(query, as: Int.self) } == nil,
                .uint: typeError { _ = try Query(query, as: UInt.self) } == nil,
                .double: typeError { _ = try Query(query, as: Double.self) } == nil,
                .datetime: typeError { _ = try Query(query, as: Date.self) } == nil,
                .base64: typeError { _ = try Query(query, as: Data.self) } == nil,
                .uuid: typeError { _ = try Query(query, as: UUID.self) } == nil,
                .form: typeError { _ = try Query(query, as: DataFormElement<Element>.self) } == nil,
                .field: typeError { _ = try Query(query, as: FormField.self) } == nil,
            ]
            for other in ResultKind.allCases { #expect(fits[other] == (other == kind), "\(text) as \(other)") }
        }
    }

    /// The evaluation checks the type first: no element need match, and it does not look at arguments.
    @Test func typesAreCheckedFirst() throws {
        let empty = try element("<r/>")
        let error = try #require(typeError { _ = try empty.findFirst("nothing@k", as: Int.self) })
        #expect(error.source == "nothing@k")
        #expect(error.first.problem == .resultType("Int", of: "string", accepted: ["int"]))
        #expect(error.range == 7..<9)
        #expect(error.description.contains("nothing@k"))
        #expect(error.description.contains("Int"))
        #expect(typeError { _ = try empty.findFirst("nothing<k=%d>@k", "no number", as: Int.self) } != nil)
        #expect(typeError { _ = try empty.find("nothing<k=%d>@k", as: Int.self) } != nil)
        #expect(typeError { _ = try Query(Query("nothing"), as: String.self) } != nil)
        #expect(queryError { _ = try empty.find("a//b", as: String.self) }?.kind == .syntax)
        #expect(queryError { _ = try empty.find("nothing<k=%d>@k", "no number", as: String.self) }?.kind == .arguments)
    }

    /// Elements of the other kind are copies.
    @Test func elementsOfTheOtherKind() throws {
        let frozen = try element(Self.xml)
        let editable = frozen.thaw()
        let query = try Query("{u}query")
        #expect(try editable.findFirst("{u}query", as: Element.self) == frozen.findFirst(query)?.element)
        #expect(try editable.find("\\\\", as: DataFormElement<Element>.self).map(\.kind) == [.form])
        let copy = try #require(try frozen.findFirst("{u}query", as: MutableElement.self))
        copy["new"] = "1"
        #expect(try frozen.findFirst("{u}query@new") == nil)
        #expect(try frozen.find("\\\\", as: DataFormElement<MutableElement>.self).map(\.kind) == [.form])
        let anyKind = try #require(try editable.findFirst("{u}query", as: QueryValue.self))
        #expect(anyKind.element?.name == "query")
    }

    /// A type of the program, with results that it leaves out.
    @Test func ownTypes() throws {
        let iq = try element(Self.xml)
        #expect(try iq.find("{u}query/item@k", as: Even.self).map(\.number) == [2])
        #expect(try iq.findFirst(Query("{u}query/item@k", as: Even.self))?.number == 2)
        #expect(try iq.findFirst("{u}query/item@k", as: Even.self)?.number == 2)
        #expect(try iq.findFirst("{u}query/item<k=1>@k", as: Even.self)?.number == nil)
        #expect(typeError { _ = try iq.find("{u}query/item@k|int", as: Even.self) } != nil)
    }

    private struct Even: QueryDecodable {
        let number: Int

        static var queryResultKinds: ResultKinds { .string }

        static func decode<Node>(queryResult: QueryResult<Node>) -> Even? {
            queryResult.string.flatMap { Int($0) }.flatMap { $0.isMultiple(of: 2) ? Even(number: $0) : nil }
        }
    }

    // MARK: References (1.5)

    @Test func changingAResultChangesTheTree() throws {
        let iq = try element(Self.xml).thaw()
        let item = try #require(try iq.findFirst("{u}query/item<k=2>")?.element)
        item["k"] = "3"
        #expect(try iq.find("{u}query/item@k").map(\.string) == ["1", "3"])
        item.text = "new"
        #expect(try iq.find("{u}query/item#").map(\.string) == ["text", "new"])
        item.add(MutableElement("child"))
        #expect(try iq.check("{u}query/item<k=3>/child"))
        #expect(try iq.findFirst("{u}query/item<k=3>")?.element === item)
        #expect(try item.findFirst("../..")?.element === iq)
        item.remove()
        #expect(try iq.find("{u}query/item").count == 1)
        #expect(try item.findFirst("..")?.element === item)
        #expect(try item.findFirst("/@k")?.string == "3")
    }

    @Test func formsOfEditableTreesShowChanges() throws {
        let iq = try element(Self.xml).thaw()
        let form = try #require(try iq.findFirst("\\\\")?.form)
        let value = try #require(try form.element.findFirst("field/value")?.element)
        value.text = "changed"
        #expect(form.value(of: "f") == "changed")
        #expect(try iq.findFirst("\\@f\\")?.string == "changed")
    }

    /// Results own their data: elements and forms outlive their origin.
    @Test func resultsKeepTheirTrees() throws {
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

    /// A query of a tree that changes between evaluations finds the current content.
    @Test func queriesFollowEdits() throws {
        let root = MutableElement("r")
        let query = try Query("a@k|int")
        for number in 0..<50 {
            root.add(MutableElement("a", attributes: ["k": String(number)]))
            #expect(try root.find(query).compactMap(\.int) == Array(0...number))
        }
        while let last = try root.find("a").last?.element {
            last.remove()
            #expect(try root.find(query).count == root.children.count)
        }
        #expect(try !root.check(query))
    }

    // MARK: Sendable

    /// A stanza can be stored in a Sendable value, sent to an actor, queried there, and its results sent back.
    @Test func stanzasTravel() async throws {
        struct Envelope: Sendable {
            let stanza: Element
            let query: Query<QueryValue>
        }
        actor Reader {
            func read(_ envelope: Envelope) throws -> [QueryValue] { try envelope.stanza.find(envelope.query) }
        }
        let envelope = Envelope(stanza: try element(Self.xml), query: try Query("{u}query/item"))
        let results = try await Reader().read(envelope)
        #expect(results.compactMap { $0.element?["k"] } == ["1", "2"])
    }
}
