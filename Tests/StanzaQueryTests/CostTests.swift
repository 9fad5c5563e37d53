// The cost of queries and evaluations: rule 2.6 for adversarial queries and trees, counted in visits and instructions,
// where the search ends (2.1), and texts of a megabyte.

import QuerySyntax
import QueryTools
import TestSupport
import Testing

@testable import StanzaQuery
@testable import XMLTree

@Suite(.serialized) struct CostTests {
    // MARK: Visits

    /// Rule 2.6. Each visit or ascent runs the tests of its segment, of which there are at most two, and each cursor is
    /// popped once.
    private func expectBound(
        _ text: String, on element: Element, size: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let segments = max(1, text.split(separator: "/").count)
        var cost = QueryStatistics(of: try Query(text))
        try cost.evaluate(on: element)
        let note: Comment = "\(text.prefix(40))… on \(size) elements: \(cost.visits), \(cost.runs)"
        #expect(cost.visits <= segments * size, note, sourceLocation: sourceLocation)
        #expect(cost.runs <= 4 * segments * size + cost.steps.count, note, sourceLocation: sourceLocation)
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
        for count in [10, 1000, 10_000] {
            let ascents = Array(repeating: "*/..", count: count).joined(separator: "/")
            try expectBound(ascents, on: wide(300), size: 601)
            let deeper = Array(repeating: "*/*/../..", count: count / 2).joined(separator: "/")
            try expectBound(deeper, on: wide(300), size: 601)
        }
        try expectBound(Array(repeating: "*", count: 10_000).joined(separator: "/"), on: wide(20), size: 41)
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

    @Test func visitsOfOneSegment() throws {
        let depth = 10_000
        for (query, tree, results, visits) in [
            ("a", try wide(100), 100, 100), ("b", try wide(100), 0, 100), ("/r", try wide(100), 1, 0),
            (Array(repeating: "a", count: depth - 1).joined(separator: "/"), try deep(depth), 1, depth - 1),
            (Array(repeating: "a", count: depth).joined(separator: "/"), try deep(depth), 0, depth - 1),
        ] {
            var cost = QueryStatistics(of: try Query(query))
            try cost.evaluate(on: tree)
            #expect(cost.resultCount == results && cost.visits == visits, "\(query.prefix(40))")
        }
    }

    @Test func deepTreesNeedNoStack() throws {
        let tree = try deep(20_000)
        var lowest = tree
        while let child = lowest.firstChild { lowest = child }
        let query = Array(repeating: "..", count: 19_999).joined(separator: "/")
        #expect(try lowest.findFirst(Query(query))?.element.map { $0.isSame(as: tree) } == true)
        #expect(try lowest.findFirst(Query("../" + query))?.element.map { $0.isSame(as: tree) } == true)
    }

    /// Rule 2.1: the evaluation never reaches a limit after the first result.
    @Test func theFirstResultEndsTheSearch() throws {
        let long = try element("<r><a k='7'>7<b/></a><a k='\(String(repeating: "x", count: 5000))'><b/></a></r>")
        for text in ["a<k~[7]>", "a<k~[7]>/b", "a<k~[7]>@k", "*<k~7>#", "{*}*<k~7$>/{*}b", "a<k~[0-9]>@k|int"] {
            let query = try Query(text)
            #expect(try long.check(query) && long.findFirst(query) != nil, "\(text)")
            #expect(try long.thaw().check(query) && long.thaw().findFirst(query) != nil, "\(text)")
            #expect(queryError { _ = try long.find(query) }?.kind == .regexLimit, "\(text)")
        }
    }

    // MARK: Prefixes and case

    /// The evaluation reads every element's declarations once for each prefix, for any number of descendants.
    @Test func prefixesAreLookedUpOnce() throws {
        let depth = 100
        let xml =
            "<r xmlns:p='urn:p'>" + String(repeating: "<n>", count: depth)
            + String(repeating: "<c x='1'><b x='1'/></c>", count: 1000) + String(repeating: "</n>", count: depth)
            + "</r>"
        let root = try element(xml)
        var memo = PrefixMemo()
        let prefix = NameKey(.declaration, "p")
        let elements = NaiveTree.elements(of: root)
        for next in elements {
            #expect(memo.namespace(ofPrefix: prefix, at: next.index, in: next.view, bindings: nil) != nil)
        }
        let visits = memo.visits
        #expect(elements.count == depth + 2001 && visits <= elements.count)
    }

    /// The regular expression of a long argument is not compiled for each of many elements that it cannot equal.
    @Test func caselessArgumentsAtManyElements() throws {
        let root = try element("<r>" + String(repeating: "<a k='é'/>", count: 20_000) + "</r>")
        let query = try Query("a<k=%@>", options: .caseInsensitiveFilters)
        var (isThere, count) = (true, 0)
        let time = try processorTime {
            isThere = try root.check(query, String(repeating: "É", count: 20_000))
            count = try root.find(query, "É").count
        }
        #expect(!isThere && count == 20_000)
        // Compiling the long argument for each of them would take minutes.
        #expect(time < 30)
    }

    // MARK: Long queries

    /// Bad patterns count like all other mistakes, and the compiler looks for no more of them than it reports.
    @Test(arguments: [
        String(repeating: "a<b~(>/", count: 20_000) + "a", String(repeating: "a<b~(>//", count: 1_000),
        "a<b~(><b~[>" + String(repeating: "/!", count: 100),
    ])
    func badPatternsWithoutNumber(query: String) {
        let error = queryError { _ = try Query(query) }
        #expect(error?.diagnostics.count == QueryLimits.diagnostics)
        #expect(error?.first.kind == .invalidRegex && error?.range == 4..<5)
    }

    private static func repeated(_ piece: String) -> String {
        String(repeating: piece, count: (1 << 20) / piece.utf8.count)
    }

    /// A megabyte of a query compiles, and finds the results of a short one, or none.
    @Test func megabytesThatAreQueries() throws {
        let long = Self.repeated("n")
        let root = MutableElement("r", attributes: ["k": long])
        root.add(MutableElement("a", namespace: .uri(long), attributes: ["k": "1"], text: "x"))
        for (query, count) in [
            (long, 0), ("!\(long)", 0), ("{\(long)}a", 1), ("{\(long)}a#", 1), ("/<k=\(long)>", 1),
            ("/<k=\(long)n>", 0), ("/@\(long)", 0), ("{*}a@{\(long)}k", 0), ("\\@\(long)\\", 0),
            ("\\[\(Self.repeated("9"))]\\", 0), ("{*}a\(Self.repeated("<k=1>"))@k|int", 1),
            (Self.repeated("../") + "..", 1),
        ] {
            let compiled = try Query(query)
            #expect(compiled.program.stepCount <= query.utf8.count / 3 + 2, "\(query.prefix(20))")
            #expect(try root.find(compiled).count == count, "\(query.prefix(20))")
            #expect(try root.check(compiled) == (count > 0), "\(query.prefix(20))")
        }
        #expect(try root.check("/<k=%@>", long))
        // PCRE2 refuses patterns that are too large for it.
        #expect(queryError { _ = try Query(String("a<k~\(Self.repeated("(x)"))>")) }?.kind == .invalidRegex)
    }

    /// A megabyte of mistakes is refused with few words, in a time that grows as the text does.
    @Test func megabytesThatAreNone() {
        for piece in ["/", "!", "a@", "<", "{", "\\", "|", "a<b=%", "\u{1}", "\u{10FFFD}", "a|x/", "a#/", "a<b~(>"] {
            var error: QueryError?
            let text = Self.repeated(piece)
            let short = String(text.prefix(text.count / 16))
            let growth = growth(
                from: { _ = try? Query(short) }, to: { error = queryError(piece) { _ = try Query(text) } }, below: 100)
            #expect(error.map { (1...QueryLimits.diagnostics).contains($0.diagnostics.count) } == true, "\(piece)")
            #expect((error?.description.unicodeScalars.count ?? .max) < 1_500, "\(piece)")
            #expect(growth < 100, "\(piece)")
        }
    }

    /// Sixteen times the length must not take a hundred times the time, as the article on limits promises.
    @Test(arguments: [
        ("", "n", ""), ("!", "n", ""), ("{", "n", "}a#"), ("/<k=", "n", ">"), ("/@", "n", ""), ("{*}a@{", "n", "}k"),
        ("\\@", "n", "\\"), ("\\[", "9", "]\\"), ("{*}a", "<k=1>", "@k|int"), ("", "../", ".."), ("", "a/", "a"),
        ("a", "<k=%d>", ""), ("a<k=", "%d", ">"), ("", "{u}a<b=c>/", "a"),
    ])
    func compilingIsLinear(_ beginning: String, _ piece: String, _ end: String) throws {
        func query(_ count: Int) -> String { beginning + String(repeating: piece, count: count) + end }
        let (short, long) = (query(2_048), query(32_768))
        let growth = try growth(
            from: { _ = try Program.compile(short) }, to: { _ = try Program.compile(long) }, below: 100)
        #expect(growth < 100, "\(beginning)\(piece)…")
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
