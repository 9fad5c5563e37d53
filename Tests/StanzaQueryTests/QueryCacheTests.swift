// The cache of compiled queries: bounded, safe under concurrent use, exact about the identity of queries.

import QuerySyntax
import Testing

@testable import StanzaQuery

@Suite struct QueryCacheTests {
    @Test func literalsAreKeptApart() throws {
        let cache = QueryCache(capacity: 10)
        let first = try cache.literal("a/b").takeUnretainedValue()
        #expect(cache.count == 0, "literals do not use up the room for queries made at run time")
        let text = try cache.query(String("a/b"))
        #expect(try text !== first && cache.query("a/" + "b") === text && text.source == first.source)
        #expect(cache.count == 1)
    }

    /// One literal with several options is several queries.
    @Test func optionsDistinguishLiterals() throws {
        let cache = QueryCache(capacity: 10)
        let options: [QueryOptions] = [[], .strictConversions, .caseInsensitiveFilters]
        for literal in ["a@k|int", "*"] as [StaticString] {
            let queries = try options.map { try cache.literal(literal, $0).takeUnretainedValue() }
            #expect(queries.map(\.options) == options)
            let again = try options.map { try cache.literal(literal, $0).takeUnretainedValue() }
            #expect(zip(again, queries).allSatisfy { $0 === $1 })
        }
    }

    /// The length distinguishes literals that begin at one address. A literal of one scalar need not have an address.
    @Test func identitiesOfLiterals() throws {
        let cache = QueryCache(capacity: 10)
        let literals: [StaticString] = ["a", "ab", "abc", "a/b", "a/bc", "é", "é/a", "#", "", "*"]
        for literal in literals + literals {
            #expect(try cache.literal(literal).takeUnretainedValue().source == literal.description)
        }
    }

    /// A long query works, and is compiled each time: the number of queries bounds the memory of the cache.
    @Test func longQueriesAreNotKept() throws {
        let cache = QueryCache(capacity: 10)
        #expect(QueryCache.longestText == 4096)
        for (length, isKept) in [(QueryCache.longestText, true), (QueryCache.longestText + 1, false)] {
            let text = "a<k=" + String(repeating: "x", count: length - 5) + ">"
            #expect(text.utf8.count == length)
            let (first, second) = (try cache.query(text), try cache.query(text))
            #expect((first === second) == isKept)
            #expect(second.source == text && first.source == text)
            #expect(cache.count == 1)
        }
    }

    /// A full dictionary is dropped, with templates and texts alike. A query that is held elsewhere works on.
    @Test(arguments: [2, 10]) func aFullCacheBeginsAgain(capacity: Int) throws {
        let cache = QueryCache(capacity: capacity)
        #expect(QueryCache.capacity == 1024)
        let held = try cache.query(String("held@k"))
        let literal: QueryLiteral = "held<k=\("v")>"
        let template = try cache.template(#require(literal.parts).text)
        for number in 0..<(capacity - 2) { _ = try cache.query("a<k=\(number)>") }
        #expect(cache.count == capacity && cache.holds("held@k"))
        #expect(try cache.template(#require(literal.parts).text) === template)
        _ = try cache.query(String("one/more"))
        #expect(cache.count == 1 && cache.holds("one/more") && !cache.holds("held@k"))
        #expect(try cache.query(String("held@k")) !== held)
        #expect(try element("<r><held k='v'/></r>").findFirst(Query<QueryValue>(held, []))?.string == "v")
    }

    /// A text is another query with other options, and another one than a literal that shows the same.
    @Test func slotsAndOptionsDistinguishTexts() throws {
        let cache = QueryCache(capacity: 10)
        let literal: QueryLiteral = "a<k=\("v")>"
        let template = try cache.template(#require(literal.parts).text)
        #expect(try cache.template(#require(literal.parts).text, options: .caseInsensitiveFilters) !== template)
        #expect(try cache.query(#require(literal.parts).text.source) !== template.query)
        #expect(cache.count == 3)
        // Only a text without slots has specifiers.
        #expect(try cache.query(String("a<k=%d>")).argumentCount == 1)
    }

    @Test func mistakesAreNotKept() throws {
        let cache = QueryCache(capacity: 10)
        for _ in 0..<3 {
            #expect(queryError { _ = try cache.query(String("a//b")) }?.kind == .syntax)
            #expect(queryError { _ = try cache.literal("a//c") }?.kind == .syntax)
            #expect(queryError { _ = try cache.query(String("a<k~(>")) }?.kind == .invalidRegex)
        }
        #expect(cache.count == 0)
    }

    @Test func canonicalEquivalentsAreTwoQueries() throws {
        let cache = QueryCache(capacity: 10)
        let (composed, decomposed) = try (cache.query("\u{E9}" + ""), cache.query("e\u{301}" + ""))
        #expect(composed !== decomposed && !composed.source.isIdentical(to: decomposed.source) && cache.count == 2)
        let root = try element("<r><\u{E9} k='1'/><e\u{301} k='2'/></r>")
        #expect(try root.find("\u{E9}@k").map(\.string) == ["1"] && root.find("e\u{301}@k").map(\.string) == ["2"])
        #expect(try root.find(Query("\u{E9}" + "@k")).map(\.string) == ["1"])
        #expect(try root.find(Query("e\u{301}" + "@k")).map(\.string) == ["2"])
    }

    /// A literal that `#query` writes, with a slot and with a mistake.
    @Test func checkedLiterals() {
        for literal in ["4:a<k=>#", ":a//b"] as [StaticString] {
            let first = compiledTemplate(literal)
            #expect(compiledTemplate(literal) === first)
        }
        #expect(_CheckedTemplate<Element>(":a//b")().query.error?.kind == .syntax)
    }

    /// One literal, first used by many tasks at once: all get the same query, which works.
    @Test func theFirstUseOfALiteral() async throws {
        let root = try element("<r><first-use k='1'/></r>")
        let literal: StaticString = "4 5:b<k=y>#"
        let found = await withTaskGroup(of: ObjectIdentifier?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let isFound = try? root.findFirst("first-use@k|int")?.int == 1
                    return isFound == true ? ObjectIdentifier(compiledTemplate(literal)) : nil
                }
            }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(found.count == 1 && !found.contains(nil))
    }

    /// More literals than the table has room for: a lock guards the rest.
    @Test func aFullTable() throws {
        let table = LiteralTable<Program>()
        let text: StaticString = "0123456789012345678901234567890123456789012345678901234567890123"
        // The table only looks at addresses: the same place fills up with queries of one literal.
        var kept: [Program] = []
        for number in 0..<40 {
            let query = try Program.compile("a\(number)")
            kept.append(table.insert(query, for: LiteralIdentity(text)).takeUnretainedValue())
        }
        #expect(kept[0].source == "a0")
        #expect(table[LiteralIdentity(text)]?.takeUnretainedValue() === kept[0])
        // The last ones found no room, and are all the first of them.
        #expect(Set(kept.map(\.source)).count < 40)
        #expect(kept.suffix(20).allSatisfy { $0 === kept[39] })
        #expect(table[LiteralIdentity("unknown")] == nil)
    }
}

extension QueryCache {
    /// The same steps as `compiledText` with the cache of the process.
    func query(_ text: String) throws(QueryError) -> Program { try template(QueryText(text)).query }

    /// The same steps as `compiledLiteral` with the cache of the process.
    fileprivate func literal(
        _ literal: StaticString, _ options: QueryOptions = []
    ) throws(QueryError) -> Unmanaged<Program> {
        if let known = literals[LiteralIdentity(literal, options)] { return known }
        return try compile(literal, options)
    }
}
