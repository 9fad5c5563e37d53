// The parts of a set: hashes of values, paths, and the shared parts of queries.

import QueryTools
import TestSupport
import Testing

@testable import StanzaQuery
@testable import XMLTree

@Suite struct TrieTests {
    @Test func hashesOfValuesDiffer() {
        for length in 0...40 {
            let text = [UInt8](repeating: 0x61, count: length)
            var others = [text + [0]]
            for place in 0..<length {
                others.append(text)
                others[place + 1][place] = 0x62
            }
            let hashes = ([text] + others).map { $0.withUnsafeBufferPointer { hash(ofValue: $0) } }
            #expect(Set(hashes).count == length + 2, "\(length)")
        }
    }

    /// A program can show hash values, so none of them may be a factor of a value's hash.
    @Test func hashValuesRevealNoFactors() {
        func shown(_ number: UInt8) -> UInt64 { UInt64(bitPattern: Int64(number.hashValue)) }
        for text: [UInt8] in [[], [0x61], [0x61, 0x62]] {
            let head = text.reduce(0) { $0 << 8 | UInt64($1) }
            let product = (head ^ shown(1)).multipliedFullWidth(by: shown(2))
            let guess = (product.high ^ product.low) &+ UInt64(text.count) &* (shown(3) | 1)
            #expect(text.withUnsafeBufferPointer { hash(ofValue: $0) } != guess)
        }
    }

    /// How many tests a set can share for a query, and where a machine takes over, as the explanation draws them.
    @Test(
        arguments: [
            ("", 0, false), ("/@id", 1, false), ("/<type=error>", 1, false), ("a/b/c", 3, false), ("a#", 2, false),
            ("a@k|int", 2, false), ("a@k|uuid", 1, true), ("a$", 1, false), ("a@@", 1, false), ("a<k~^b$>", 2, false),
            ("a<k~b.c>/d", 1, true), ("a<{u}k=v>/d", 1, true), ("a<xml:lang=en>", 1, true), ("a<p:k=v>", 0, true),
            ("a/b/../c", 1, true), ("a/b/../..", 0, true), ("../a", 0, true), ("/a/..", 1, true),
            ("a/b/c/../d", 2, true), ("*/{*}*/{u}/!b", 4, true), ("a\\form@f\\", 1, true), ("a<xmlns=u>", 2, false),
            ("a$|bool", 1, false), ("a<k=v>/b", 3, false), ("a<k~^b>/c", 1, true), ("a$|uuid", 1, true),
            ("a@xmlns", 1, true), ("a<xmlns~^$>", 1, true),
        ] as [(String, Int, Bool)])
    func paths(source: String, length: Int, hasTail: Bool) throws {
        try expectPath(of: Query(source), length: length, hasTail: hasTail)
    }

    @Test func pathsOfStrictConversionsAndSlots() throws {
        try expectPath(of: Query("a@k|int", options: .strictConversions), length: 1, hasTail: true)
        try expectPath(of: Query("a<\("k")=v>"), length: 2, hasTail: false)
        try expectPath(of: Query("a<\("xmlns")=u>"), length: 1, hasTail: true)
        try expectPath(of: Query("a<\("p:k")=v>"), length: 0, hasTail: true)
    }

    private func expectPath(of query: Query<QueryValue>, length: Int, hasTail: Bool) throws {
        let lines = try QuerySet([query]).explanation.split(separator: "\n").dropFirst()
        let drawing = lines.prefix { $0 != "tried on every element" }
        #expect(drawing.count == length + 1 && drawing.last?.contains("+ 0  ") == hasTail, "\(drawing)")
    }

    @Test func longPathsAreCut() throws {
        for length in [Program.longestPath - 1, Program.longestPath, Program.longestPath + 1, 3000] {
            let query = [String](repeating: "a", count: length).joined(separator: "/")
            func tree(_ depth: Int) -> String {
                String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
            }
            let set = try QuerySet([Query(query), Query(query + "/b")])
            let limits = ParserLimits(depth: 10_000)
            let deep = try Element(parsing: "<r>\(tree(length))</r>", in: .clientStream, limits: limits)
            let flat = try Element(parsing: "<r>\(tree(length - 1))</r>", in: .clientStream, limits: limits)
            #expect(set.matches(deep).map(\.index) == [0])
            #expect(set.matches(flat).isEmpty)
        }
    }

    @Test func manyValuesOfOneAttribute() throws {
        var set = QuerySet()
        var ids: [QuerySet.ID] = []
        for number in 0..<200 {
            ids.append(try set.insert("/<k=%@>", number % 2 == 0 ? "\(number)" : "a long value \(number)"))
        }
        for number in 0..<200 {
            let value = number % 2 == 0 ? "\(number)" : "a long value \(number)"
            #expect(Array(set.matches(try element("<a k='\(value)'/>"))) == [ids[number]])
        }
        for id in ids.dropLast() { set.remove(id) }
        #expect(Array(set.matches(try element("<a k='a long value 199'/>"))) == [ids[199]])
        #expect(set.matches(try element("<a k='198'/>")).isEmpty)
    }

    /// The tests of a state's attributes come and go.
    @Test func manyAttributesOfOneState() throws {
        var random = SeededGenerator(salt: 0xA77)
        var set = QuerySet()
        var members: [(id: QuerySet.ID, query: Query<QueryValue>)] = []
        func number(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
        for step in 0..<400 {
            // Grows to some hundred, and shrinks to none.
            if random.chance(step < 250 ? 80 : 10) || members.isEmpty {
                let attribute = "a\(number(200))"
                let test = random.pick(["<\(attribute)=x>", "<\(attribute)=y>", "@\(attribute)"])
                let query = try Query(random.pick(["/", "*", "{*}*"]) + test)
                members.append((try set.insert(query), query))
            } else {
                set.remove(members.remove(at: number(members.count)).id)
            }
            let attributes = Set((0..<number(12)).map { _ in number(200) })
            let text = attributes.map { " a\($0)='\(random.pick(["x", "y", "z"]))'" }.joined()
            for element in [try element("<m\(text)/>"), try element("<m><n\(text)/></m>")] {
                let expected = try members.filter { try element.check($0.query) }.map(\.id)
                #expect(Set(set.matches(element)) == Set(expected), "step \(step), seed \(SeededGenerator.seed)")
            }
        }
    }

    @Test func thousandsOfAttributesOfOneState() throws {
        let set = try QuerySet((0..<10_000).map { try Query("/<a\($0)=x>" as String) })
        #expect(set.matches(try element("<m a7='x' a77='y' a777='x'/>")).map(\.index) == [7, 777])
    }

    /// In any order of children, the walk does not run a query again that a pattern's limit has ended, or that has its
    /// result.
    @Test func decidedChecksAreNotMadeAgain() throws {
        let slow = "a<k~^(x+x+)+[yz]>"
        let root = try element(
            "<r>" + String(repeating: "<a k='\(String(repeating: "x", count: 4000))'/><b/>", count: 200) + "</r>")
        let set = try QuerySet([Query(slow), Query("b"), Query(slow + "/c")])
        var failures: [Int] = []
        let time = processorTime { failures = set.matches(root).failures.map(\.id.index) }
        #expect(failures == [0, 2])
        let once = processorTime { #expect(throws: QueryError.self) { try root.check(Query(slow)) } }
        #expect(time < 40 * once + 0.02)
    }

    /// Queries of one path are found together, whatever their number and however often candidates of other names, which
    /// have many queries, too, come between: also with rests that machines run, and beside a pattern that fails.
    @Test(arguments: [
        ("body", "subject", "<a/>", "<body/><subject/>"),
        ("body", "subject", "<a x='\(String(repeating: "a", count: 5_000))'/>", "<body/><subject/>"),
        ("x@n|int", "y@n|int", "", "<x n='1'/><y n='2'/>"),
    ])
    func queriesOfOnePathAreFoundOnce(one: String, other: String, beginning: String, pair: String) throws {
        func set(of count: Int) throws -> QuerySet {
            try QuerySet((0..<count).flatMap { _ in [one, other] }.map { try Query($0) } + [Query("a<x~b>")])
        }
        let element = try Element(parsing: "<m>\(beginning)\(String(repeating: pair, count: 3_000))</m>")
        let (few, many) = (try set(of: 20), try set(of: 400))
        #expect(many.matches(element).count == 800)
        #expect(many.matches(element).failures.count == (beginning.count > 10 ? 1 : 0))
        for evaluate in [{ _ = $0.matches(element) }, { _ = try $0.bestMatch(in: element) }]
            as [(QuerySet) throws -> Void]
        {
            // Twenty times as many queries.
            #expect(try growth(from: { try evaluate(few) }, to: { try evaluate(many) }, below: 8) < 8)
        }
    }

    // MARK: Explaining

    @Test func lookups() throws {
        let names = ["/{u}a", "/a", "{*}a", "{u}", "a/b", "*/b", "a@k", "/a/..", "/@id"]
        let values = ["/<k=v>", "*<k=v>", "/{*}*<k=v>/b"]
        let others = ["", "/#", "*", "!a", "../a", "/<k~x.y>", "a<p:k=v>", "/$", "a/b/../.."]
        for (queries, lookup) in [(names, QuerySet.Lookup.name), (values, .value), (others, .everyElement)] {
            for query in queries {
                let set = try QuerySet([Query(query)])
                #expect(set.lookup(of: set.ids[0]) == lookup, "\(query)")
            }
        }
    }

    @Test func explanation() throws {
        let set = try QuerySet(["/<type=error>", "body#", "/#", "{u}q/a<k~x.y>", "{u}q/a/../b", "/<type=result>"])
        #expect(
            set.explanation == """
                6 queries
                filter type = "error"
                    0  /<type=error>
                child body
                    yield text
                        1  body#
                yield text
                    2  /#
                child {u}q
                    + 4  {u}q/a/../b
                    child a
                        + 3  {u}q/a<k~x.y>
                filter type = "result"
                    5  /<type=result>
                tried on every element
                    2  /#
                """)
    }

    /// The explanation lists the values of a query, however it was bound to them.
    @Test func explanationOfValues() throws {
        var set = try QuerySet([Query("/<a=%@>").binding("one")])
        try set.insert("/<a=%d>", 2)
        try set.insert("/<a=\("three")>")
        try set.insert("/<\("a")=\(4)>")
        let lines = set.explanation.split(separator: "\n").filter { $0.contains("/") }.map { $0.drop { $0 == " " } }
        #expect(
            lines == [
                #"0  /<a=%@> "one""#, #"1  /<a=%d> "2""#, #"2  /<a=\(…)> "three""#, #"3  /<\(…)=\(…)> "a" "4""#,
            ])
    }

    @Test func explanationOfStrangeQueries() throws {
        var set = try QuerySet([
            "{a\u{9B}b}c<d~\u{1B}]0;x\u{7}>", "a<k='\u{202E}'>", "{x\ny}a/*<xmlns=\u{85}>", "!b<k~\u{2028}>",
        ])
        let plain = try QuerySet(["{ab}c<d~x>", "a<k='x'>", "{xy}a/*<xmlns=x>", "!b<k~x>"])
        try set.insert(Query("e<k=%@>"), "\n\u{9B}\u{202E}")
        let lines = set.explanation.unicodeScalars.split(separator: "\n").count
        #expect(lines == plain.explanation.split(separator: "\n").count + 3)
        #expect(!set.explanation.hidesCharacters)
    }
}
