// The verdicts of a query on each element, and the amount of its work.

import QueryTools
import StanzaQuery
import Testing

@Suite struct InspectionTests {
    private func marks(_ query: String, _ xml: String) throws -> [String] {
        let root = try element(xml)
        let inspection = try Query(query).inspect(root)
        var waiting = [root]
        var marks: [String] = []
        while let element = waiting.popLast() {
            let sign =
                switch inspection.mark(of: element) {
                case .matched?: "+"
                case .visited?: "o"
                case .rejected?: "-"
                case nil: " "
                }
            marks.append(sign + element.name)
            waiting += element.children.reversed()
        }
        return marks
    }

    @Test func marks() throws {
        let pubsub = try element("<pubsub><items><item id='b'/><item id='a1'/></items></pubsub>")
        let items = try #require(pubsub.child("items"))
        let inspection = try Query("items/item<id~^a>").inspect(pubsub)
        let marks = items.children.map { inspection.mark(of: $0) }  // .rejected, .matched
        #expect(marks == [.rejected, .matched])
        #expect(inspection.mark(of: items) == .visited && inspection.mark(of: pubsub) == .visited)
        #expect(inspection.results(from: items).isEmpty)
        let item = try #require(Array(items.children).last)
        #expect(inspection.results(from: item).map(\.element?.name) == ["item"])
        #expect(inspection.mark(of: try element("<pubsub/>")) == nil)
    }

    @Test(
        arguments: [
            ("/a/b#", "<a><b>x</b><b/><c><d/></c></a>", "oa +b -b -c  d"),
            ("/z/b", "<a><b/></a>", "-a  b"), ("/a@id", "<a><b/></a>", "-a  b"), ("", "<a><b/></a>", "+a  b"),
            ("b/../@id", "<a id='1'><b/><b/></a>", "+a ob  b"), ("*/*", "<a><b/><c><d/></c></a>", "oa ob oc +d"),
            ("b/..", "<a><c/></a>", "oa -c"),
        ])
    func everyKind(query: String, xml: String, expected: String) throws {
        #expect(try marks(query, xml).joined(separator: " ") == expected)
    }

    @Test func results() throws {
        let root = try element("<a><b k='1'/><b k='x'/></a>")
        let inspection = try Query("b<k=%@>@k|int").inspect(root, arguments: ["1"])
        let children = Array(root.children)
        #expect(inspection.results(from: children[0]).map(\.int) == [1])
        #expect(inspection.mark(of: children[1]) == .rejected)
        #expect(throws: QueryError.self) { try Query("b<k=%@>").inspect(root) }
        let long = try element("<a><b k='\(String(repeating: "y", count: 5_000))'/></a>")
        #expect(throws: QueryError.self) { try Query("b<k~x$>").inspect(long) }
    }

    @Test func resultsInOrderWithTheirElements() throws {
        let root = try element("<a><b k='1'>x</b><c><b k='2'/></c><b k='3'><d/></b></a>")
        let inspection = try Query("b@k").inspect(root)
        #expect(inspection.results.map(\.value.string) == ["1", "3"] && !inspection.isCut)
        #expect(inspection.results.map { $0.element.attribute("k") } == ["1", "3"])
        #expect(try Query("").inspect(root).results.map { $0.element.isSame(as: root) } == [true])
        #expect(try Query("*/..").inspect(root).results.map(\.element.name) == ["a"])
        #expect(try Query("b#").inspect(root).results.map(\.element.name) == ["b"])
        #expect(try Query("z").inspect(root).results.isEmpty)
        let form = try element(
            "<a><x xmlns='jabber:x:data' type='form'><field var='f'><value>v</value></field></x></a>")
        for query in [#"\\"#, #"\@f\"#, #"\&f\"#] {
            #expect(try Query(query).inspect(form).results.map(\.element.name) == ["x"], "\(query)")
        }
    }

    @Test func aLimitOfResults() throws {
        let root = try element("<a><b/><b/><b/><c/></a>")
        let two = try Query("b").inspect(root, limit: 2)
        #expect(two.results.count == 2 && two.isCut)
        #expect(root.children.map { two.mark(of: $0) } == [.matched, .matched, nil, nil])
        let three = try Query("b").inspect(root, limit: 3)
        #expect(three.results.count == 3 && !three.isCut)
        let none = try Query("b").inspect(root, limit: 0)
        #expect(none.results.isEmpty && none.isCut)
        #expect(try !Query("z").inspect(root, limit: 0).isCut)
        for limit in [-1, Int.min] {
            let less = try Query("b").inspect(root, limit: limit)
            #expect(less.results.isEmpty && less.isCut)
        }
    }

    @Test func faultsAfterTheLimitTakeNoResultAway() throws {
        let slow = String(repeating: "y", count: 5_000)
        let root = try element("<a><b k='x'/><b k='\(slow)'/></a>")
        let inspection = try Query("b<k~x$>@k").inspect(root, limit: 1)
        #expect(inspection.results.map(\.value.string) == ["x"] && inspection.isCut)
        #expect(root.children.map { inspection.mark(of: $0) } == [.matched, nil])
        #expect(throws: QueryError.self) { try Query("b<k~x$>@k").inspect(root, limit: 2) }
    }

    @Test func listedInstructions() throws {
        let query = try Query("items/item<id~^a>@id|int")
        #expect(query.listedInstructions.map(\.text).joined(separator: "\n") == query.listing)
        #expect(query.listedInstructions.map(\.range) == QueryStatistics(of: query).steps.map(\.range))
    }

    @Test func statistics() throws {
        let stanzas = [
            try element("<pubsub><items><item id='b'/><item id='a1'/></items></pubsub>"), try element("<pubsub/>"),
        ]
        var statistics = QueryStatistics(of: try Query("items/item<id~^a>@id"))
        for stanza in stanzas { try statistics.evaluate(on: stanza) }
        let visits = statistics.steps.map(\.visits)
        #expect(visits == [1, 2, 0, 0])
        #expect(statistics.steps.map(\.isStep) == [true, true, false, false])
        #expect(statistics.steps.map(\.runs) == [3, 3, 2, 1])
        #expect(statistics.steps.map(\.range) == [0..<5, 6..<10, 10..<17, 17..<20])
        #expect(statistics.visits == 3 && statistics.runs == 9)
        #expect(statistics.elementCount == 2 && statistics.foundCount == 1 && statistics.resultCount == 1)
    }

    @Test func whatFailsIsNotCounted() throws {
        var statistics = QueryStatistics(of: try Query("b<k~x$>@k"))
        let long = try element("<a><b k='\(String(repeating: "y", count: 5_000))'/></a>")
        #expect(throws: QueryError.self) { try statistics.evaluate(on: long) }
        #expect(statistics.runs == 0 && statistics.elementCount == 0)
        #expect(throws: QueryError.self) { try statistics.evaluate(on: long, arguments: [1]) }
    }
}
