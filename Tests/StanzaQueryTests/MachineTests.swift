// The cost of evaluations: rule 2.6 for adversarial queries and trees, counted in visits and instructions, and that
// findFirst and check stop early (2.1).

import Testing
import XMLTree

@testable import StanzaQuery

@Suite struct MachineTests {
    /// Runs a query to its end, or to its first result.
    private func count(
        _ query: Query<QueryValue>, on element: Element, firstOnly: Bool = false
    ) throws -> (results: Int, visits: Int, instructions: Int) {
        var instructions = 0
        var visits = 0
        let observer = EventObserver { event in
            switch event {
            case .runs: instructions += 1
            case .visited: visits += 1
            }
        }
        var machine = Machine(input(query, element), context: element.index, observer: observer)
        defer { withExtendedLifetime((element, query)) {} }
        var results = 0
        while try machine.next() != nil {
            results += 1
            if firstOnly { break }
        }
        return (results, visits, instructions)
    }

    /// The input of a machine; the caller holds query and element.
    private func input(_ query: Query<QueryValue>, _ element: Element) -> MachineInput {
        MachineInput(
            .passUnretained(query.program), view: element.view, bindings: element.bindings.map { .passUnretained($0) },
            arguments: .none)
    }

    /// Rule 2.6; an instruction is at most one advance and one test for each visit, and the program's length on top.
    private func expectBound(
        _ text: String, on element: Element, size: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let query = try Query(text)
        let segments = max(1, text.split(separator: "/").count)
        let cost = try count(query, on: element)
        let note = Comment(rawValue: "\(text.prefix(40))… on \(size) elements: \(cost)")
        #expect(cost.visits <= segments * size, note, sourceLocation: sourceLocation)
        // Each visit or ascent runs the tests of its segment, of which there are at most two, and each cursor is
        // popped once.
        #expect(
            cost.instructions <= 4 * segments * size + query.program.stepCount, note,
            sourceLocation: sourceLocation)
    }

    /// A root with `width` children that have a child each.
    private func wide(_ width: Int) throws -> Element {
        try element("<r>" + String(repeating: "<a k='1'><b/></a>", count: width) + "</r>")
    }

    /// Elements inside each other.
    private func deep(_ depth: Int) throws -> Element {
        let xml = String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        return try Element(parsing: xml, in: .clientStream, limits: .unlimitedDepth)
    }

    /// A full binary tree.
    private func full(_ levels: Int) -> String {
        levels == 1 ? "<a/>" : "<a>" + full(levels - 1) + full(levels - 1) + "</a>"
    }

    private static let adversaries = [
        "*", "*/*", "*/..", "*/../*/..", "*/*/../..", "*/*/../../*/*", "*/../*/../*/*/../../*", "../*", "../../*/..",
        "*<k=2>/..", "*/*/../*", "{*}*/{*}*/{*}*", "!b/..", "*/*/*/../../../nothing", "/*/*/..", "*<k~.*>/*/..",
    ]

    @Test func adversarialQueries() throws {
        let trees = [(try wide(500), 1001), (try deep(500), 500), (try element(full(9)), 511)]
        for (tree, size) in trees {
            for query in Self.adversaries { try expectBound(query, on: tree, size: size) }
        }
    }

    @Test func manyAscents() throws {
        let tree = try wide(300)
        for count in [10, 100, 1000, 10_000] {
            try expectBound(Array(repeating: "*/..", count: count).joined(separator: "/"), on: tree, size: 601)
            try expectBound(Array(repeating: "*/*/../..", count: count / 2).joined(separator: "/"), on: tree, size: 601)
        }
    }

    /// Without remembering the last node, these would be visited `width` to the power of the repetitions.
    @Test func ascentsReportEachNodeOnce() throws {
        let tree = try wide(50)
        for count in [1, 2, 30] {
            let query = Array(repeating: "*/..", count: count).joined(separator: "/")
            #expect(try tree.find(Query(query)).count == 1)
            #expect(try tree.find(Query(query + "/*")).count == 50)
        }
        #expect(try tree.find("*/*/..").count == 50)
        #expect(try tree.find("*/*/../../*/b").count == 50)
    }

    @Test func tenThousandSegments() throws {
        let depth = 10_000
        let tree = try deep(depth)
        let query = try Query(Array(repeating: "a", count: depth - 1).joined(separator: "/"))
        #expect(query.program.stepCount == depth)
        let cost = try count(query, on: tree)
        #expect(cost.results == 1)
        #expect(cost.visits == depth - 1)
        #expect(try tree.find(Query(String(repeating: "a/", count: depth - 1) + "a")).isEmpty)
        #expect(try tree.find(Query(Array(repeating: "..", count: depth).joined(separator: "/"))).count == 1)
        let wideTree = try wide(20)
        try expectBound(Array(repeating: "*", count: depth).joined(separator: "/"), on: wideTree, size: 41)
    }

    @Test func deepTreesNeedNoStack() throws {
        let tree = try deep(20_000)
        var lowest = tree
        while let child = lowest.firstChild { lowest = child }
        let query = Array(repeating: "..", count: 19_999).joined(separator: "/")
        #expect(try lowest.findFirst(Query(query))?.element.map { $0.isSame(as: tree) } == true)
        #expect(try lowest.findFirst(Query("../" + query))?.element.map { $0.isSame(as: tree) } == true)
    }

    @Test func oneSegmentVisitsEachChildOnce() throws {
        let tree = try wide(100)
        let all = try count(Query("a"), on: tree)
        #expect(all.results == 100)
        #expect(all.visits == 100)
        let none = try count(Query("b"), on: tree)
        #expect(none.results == 0)
        #expect(none.visits == 100)
        #expect(try count(Query("/r"), on: tree).visits == 0)
    }

    /// Rule 2.1.
    @Test func theFirstResultEndsTheSearch() throws {
        let tree = try wide(1000)
        for query in ["a", "a/b", "a@k", "a<k=1>", "*/..", "{*}*/{*}b", "a<k~[0-9]>@k|int"] {
            let first = try count(Query(query), on: tree, firstOnly: true)
            #expect(first.results == 1, "\(query)")
            #expect(first.visits <= 2, "\(query)")
            #expect(first.instructions <= 6, "\(query)")
        }
        let inTheMiddle = try element(
            "<r>" + String(repeating: "<a/>", count: 9) + "<b/>" + String(repeating: "<a/>", count: 500) + "</r>")
        #expect(try count(Query("b"), on: inTheMiddle, firstOnly: true).visits == 10)
        // The evaluation never reaches a limit after the first result.
        let values = String(repeating: "x", count: 5000)
        let long = try element("<r><a k='x'/><a k='\(values)'/></r>")
        #expect(try long.check("a<k~[x]>"))
        #expect(try long.findFirst("a<k~[x]>@k")?.string == "x")
        #expect(queryError { _ = try long.find("a<k~[x]>") }?.kind == .regexLimit)
    }

    /// 3.7: name and namespace first, then the filters from left to right; the first that does not hold ends the test.
    @Test func testsStopAtTheFirstThatFails() throws {
        let long = try element("<r><a j='1' k='\(String(repeating: "x", count: 5000))'/></r>")
        #expect(try long.find("b<k~[x]>").isEmpty)
        #expect(try long.find("{other}a<k~[x]>").isEmpty)
        #expect(try long.find("!a<k~[x]>").isEmpty)
        #expect(try long.find("a<j=2><k~[x]>").isEmpty)
        #expect(try long.find("a<none=2><k~[x]>").isEmpty)
        #expect(queryError { _ = try long.find("a<k~[x]><j=2>") }?.kind == .regexLimit)
        #expect(queryError { _ = try long.find("a<j=1><k~[x]>") }?.kind == .regexLimit)
    }

    @Test func aMachineStaysAtItsEnd() throws {
        let tree = try wide(3)
        let query = try Query("a")
        var machine = Machine(input(query, tree), context: tree.index, observer: NoObserver())
        for _ in 0..<3 {
            let hit = try machine.next()
            #expect(hit != nil)
        }
        for _ in 0..<3 {
            let hit = try machine.next()
            #expect(hit == nil)
        }
        withExtendedLifetime((tree, query)) {}
    }

    @Test func traces() throws {
        let tree = try element("<r><a/><b/></r>")
        let query = try Query("b")
        var steps: [(address: Int, node: Int, isAdvancing: Bool)] = []
        let observer = EventObserver { event in
            if case .runs(let address, let node, let isAdvancing) = event {
                steps.append((address, node.offset, isAdvancing))
            }
        }
        var machine = Machine(input(query, tree), context: tree.index, observer: observer)
        while try machine.next() != nil {}
        withExtendedLifetime((tree, query)) {}
        #expect(steps.map(\.address) == [0, 1, 0])
        #expect(steps.map(\.isAdvancing) == [false, false, true])
        #expect(steps.map(\.node) == [0, 2, 2])
    }
}

extension ParserLimits {
    /// For trees that are made to be deep.
    fileprivate static var unlimitedDepth: ParserLimits {
        var limits = ParserLimits.document
        limits.depth = 100_000
        return limits
    }
}
