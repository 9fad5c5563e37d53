// Results one after another: those of `find`, in its order, without a search beyond what the caller takes.
//
// DifferentialTests compares both on random queries and trees.

import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct QueryResultsTests {
    private static let many =
        "<m><event><items>" + String(repeating: "<item id='i'><x/></item><y/>", count: 40)
        + "</items><items><item id='last'/></items></event></m>"

    @Test func examples() throws {
        let message = try element(Self.many)
        var lines: [String] = []
        func print(_ line: String) { lines.append(line) }

        for item in try message.results(of: Query("event/items/item", as: Element.self)) {
            guard let id = item["id"] else { break }
            print(id)
        }
        #expect(lines.count == 41 && lines.last == "last")

        var count = 0
        try message.results(of: Query("event/items/item", as: Element.self)).forEachBorrowed { item in
            if item.firstChild == nil { count += 1 }
        }
        #expect(count == 1)

        let form = try element("<x><field var='a'/><field var='muc#b'/><field var='muc#c'/></x>")
        let first = try form.results(of: Query("field@var", as: String.self)).first { $0.hasPrefix("muc#") }
        #expect(first == "muc#b")
    }

    /// More results than a batch, under several parents, for each way to step to children.
    @Test(arguments: ["a", "{*}a", "*", "{*}*", "{u}*", "{v}a", "a/a", "*/..", "a/../a", "", "z", "a/z"])
    func elementsAreThoseOfFind(_ text: String) throws {
        let children = (0..<37).map { "<a k='\($0)'><a/><b/><a/></a><b/>" + ($0 % 3 == 0 ? "<a xmlns='v'/>" : "") }
        let root = try element("<r xmlns='u'>\(children.joined())</r>")
        let query = try Query(text, as: Element.self)
        let expected = try root.find(Query(text)).compactMap(\.element)
        func isExpected(_ found: [Element]) -> Bool { found.elementsEqual(expected) { $0.isSame(as: $1) } }
        let results = try root.results(of: query)
        #expect(try isExpected(root.results(of: Query(text)).compactMap(\.element)) && isExpected(root.find(query)))
        #expect(try root.thaw().find(query).map { $0.freeze() } == expected)
        var borrowed: [Element] = []
        results.forEachBorrowed { borrowed.append(copy $0) }
        #expect(isExpected(borrowed))
        // A sequence begins anew for each loop, an iterator is a value, and after the last result, there is none.
        var iterator = results.makeIterator()
        _ = iterator.next()
        let copy = iterator
        #expect(isExpected(Array(results)))
        #expect(Array(IteratorSequence(copy)).count == max(0, expected.count - 1))
        #expect(Array(try root.results(of: Query(text)).dropFirst(expected.count + 1)).isEmpty)
        while iterator.next() != nil {}
        for _ in 0..<20 { #expect(iterator.next() == nil) }
    }

    @Test func valuesOfAllKinds() throws {
        let root = try element("<r>\((0..<20).map { "<a k='\($0)' j='x'>t\($0)</a>" }.joined())</r>")
        #expect(Array(try root.results(of: Query("a@k|int", as: Int.self))) == Array(0..<20))
        #expect(Array(try root.results(of: _CheckedTemplate<String>(":a#")().query)) == (0..<20).map { "t\($0)" })
        #expect(try root.results(of: Query("a<k=%@>#", as: String.self).binding("7")).map { $0 } == ["t7"])
        #expect(try root.results(of: Query("a<k=%@>", as: Element.self).binding("7")).map(\.text) == ["t7"])
        for text in ["a@k", "a#", "a$", "a<k=3>@j", "a<k~^1>@k", "a<k~[3-5]$>@k", "a@p:k", "a@none"] {
            let query = try Query(text, as: String.self)
            var lent: [String] = []
            try root.results(of: query).forEachUTF8 { lent.append(String(decoding: $0, as: UTF8.self)) }
            #expect(try lent == root.find(query), "\(text)")
            #expect(try Array(root.results(of: query)) == lent, "\(text)")
            #expect(try Array(root.results(of: query).dropFirst(lent.count + 1)).isEmpty, "\(text)")
        }
    }

    @Test func theCallerEndsTheSearch() throws {
        struct Stop: Error {}
        let message = try element(Self.many)
        var seen = 0
        #expect(throws: Stop.self) {
            try message.results(of: Query("event/items/item", as: Element.self)).forEachBorrowed { _ in
                seen += 1
                if seen == 3 { throw Stop() }
            }
        }
        #expect(throws: Stop.self) {
            try message.results(of: Query("event/items/item@id", as: String.self)).forEachUTF8 { _ in
                seen += 1
                if seen == 10 { throw Stop() }
            }
        }
        #expect(seen == 10)
        #expect(Array(try message.results(of: Query("event/items/item")).prefix(2)).count == 2)
    }

    /// The first results of a large tree cost the same as those of a small one.
    @Test func aFewResultsCostLittle() throws {
        func take(_ element: Element) throws {
            let results = try element.results(of: Query("a", as: Element.self))
            for _ in 0..<50 { #expect(Array(results.prefix(3)).count == 3) }
        }
        let few = try element("<r>\(String(repeating: "<a/>", count: 20))</r>")
        let many = try element("<r>\(String(repeating: "<a/>", count: 20_000))</r>")
        #expect(try growth(from: { try take(few) }, to: { try take(many) }, below: 4) < 4)
    }

    @Test func errorsAreThoseOfTheCall() throws {
        let root = try element("<r><a k='x'/><a k='\(String(repeating: "a", count: 5000))'/></r>")
        #expect(queryError { _ = try root.results(of: Query("a<k~x.y>")) }?.kind == .regexLimit)
        #expect(queryError { _ = try root.results(of: Query("a<k=%@>")) }?.kind == .arguments)
        #expect(queryError { _ = try root.results(of: _CheckedTemplate<Int>(":a@k")().query) }?.kind == .resultType)
        #expect(Array(try root.results(of: Query("a<k~^x$>"))).count == 1)
    }
}
