// The verdicts of a query on each element, the amount of its work, and the index paths of elements.

import QueryTools
import StanzaQuery
import TestSupport
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
        #expect(root.children.map { inspection.results(from: $0).map(\.int) } == [[1], []])
        #expect(throws: QueryError.self) { try Query("b<k=%@>").inspect(root) }
        let long = try element("<a><b k='\(String(repeating: "y", count: 5_000))'/></a>")
        #expect(throws: QueryError.self) { try Query("b<k~x$>").inspect(long) }
    }

    @Test func elementsOfResults() throws {
        let root = try element(
            """
            <a><b k='1'>x</b><c><b k='2'/></c><b k='3'><d/></b>\
            <x xmlns='jabber:x:data' type='form'><field var='f'><value>v</value></field></x></a>
            """)
        let inspection = try Query("b@k").inspect(root)
        #expect(inspection.results.map(\.value.string) == ["1", "3"] && !inspection.isCut)
        #expect(inspection.results.map { $0.element.attribute("k") } == ["1", "3"])
        for (query, names) in [
            ("", ["a"]), ("*/..", ["a"]), ("b#", ["b"]), ("z", []), (#"\\"#, ["x"]), (#"\@f\"#, ["x"]),
            (#"\&f\"#, ["x"]),
        ] {
            #expect(try Query(query).inspect(root).results.map(\.element.name) == names, "\(query)")
        }
    }

    @Test(arguments: [
        ("b", 2, 2, true), ("b", 3, 3, false), ("b", 0, 0, true), ("z", 0, 0, false), ("b", -1, 0, true),
        ("b", Int.min, 0, true), ("b", .max, 3, false),
    ])
    func aLimitOfResults(query: String, limit: Int, count: Int, isCut: Bool) throws {
        let root = try element("<a><b/><b/><b/><c/></a>")
        let inspection = try Query(query).inspect(root, limit: limit)
        #expect(inspection.results.count == count && inspection.isCut == isCut)
        let matches = root.children.map { inspection.mark(of: $0) }
        if count == 2 { #expect(matches == [.matched, .matched, nil, nil]) }
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

    // MARK: Index paths

    @Test func indexPathsInAnyOrder() throws {
        let root = try element("<a><b/>x<c><d/><d/><e><f/></e></c>y<b><d/></b></a>")
        let expected: [[Int]] = [[], [0], [1], [1, 0], [1, 1], [1, 2], [1, 2, 0], [2], [2, 0]]
        let elements = Array(zip(NaiveTree.elements(of: root), expected))
        var random = SeededGenerator(salt: 51)
        for order in [elements, elements.reversed(), elements.shuffled(using: &random), elements + elements] {
            var paths = IndexPaths<Element>()
            for (element, path) in order { #expect(paths.path(of: element) == path, "seed \(SeededGenerator.seed)") }
        }
        var paths = IndexPaths<MutableElement>()
        for (element, path) in zip(NaiveTree.elements(of: root.thaw()), expected) {
            #expect(paths.path(of: element) == path)
        }
    }

    /// Quadratic work would take five billion steps, which is minutes.
    @Test func indexPathsOfAWideElement() throws {
        let xml = "<a>\(String(repeating: "<b/>", count: 100_000))</a>"
        let root = try Element(parsing: xml, limits: .document)
        var paths = IndexPaths<Element>()
        var last: [Int] = []
        let time = processorTime { for child in root.children { last = paths.path(of: child) } }
        #expect(last == [99_999] && time < 20)
    }
}
