// The cost of a set on stanzas made to hurt.

import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct QuerySetCostTests {
    /// Queries of one path are found together, whatever their number and however often candidates of other names, which
    /// have many queries, too, come between.
    @Test(arguments: ["<a/>", "<a x='\(String(repeating: "a", count: 5000))'/>"])
    func queriesOfOnePathAreFoundOnce(_ beginning: String) throws {
        let body = String(repeating: "<body/><subject/>", count: 3_000)
        let element = try Element(parsing: "<m>\(beginning)\(body)</m>")
        let (few, many) = (try Self.set(of: 20), try Self.set(of: 400))
        #expect(many.matches(element).count == 800)
        // The pattern reaches its limit, which causes a fault.
        #expect(many.matches(element).failures.isEmpty == (beginning == "<a/>"))
        try Self.expectLittleGrowth(from: few, to: many, on: element)
    }

    /// The walk does not run queries on a machine again when all have their results.
    @Test func queriesWithRestsAreFoundOnce() throws {
        func set(of count: Int) throws -> QuerySet {
            var set = QuerySet()
            for _ in 0..<count {
                try set.insert("x@n|int")
                try set.insert("y@n|int")
            }
            return set
        }
        let element = try Element(parsing: "<m>\(String(repeating: "<x n='1'/><y n='2'/>", count: 3_000))</m>")
        let (few, many) = (try set(of: 20), try set(of: 400))
        #expect(many.matches(element).count == 800)
        try Self.expectLittleGrowth(from: few, to: many, on: element)
    }

    /// A pattern whose queries come too late is not tried on each further candidate.
    @Test(arguments: [1, 8, 9, 30]) func patternsAfterTheFirstMatch(_ count: Int) throws {
        let value = String(repeating: "ab", count: 200)
        let element = try Element(parsing: "<m>\(String(repeating: "<a x='\(value)'/>", count: 1_000))</m>")
        var (alone, late) = (QuerySet(), QuerySet())
        try alone.insert("a<x~(a|b)+$>")
        try late.insert("a")
        for _ in 0..<count { try late.insert("a<x~(a|b)+$>") }
        let growth = try growth(
            from: { try Self.expectFirst(of: alone, on: element) }, to: { try Self.expectFirst(of: late, on: element) },
            below: 8)
        #expect(growth < 8)
    }

    /// Nor are those that come too late gone through for each candidate, when one before them is not decided.
    @Test func lateQueriesAfterAnUndecidedOne() throws {
        let element = try Element(parsing: "<m>\(String(repeating: "<a x='ababc'/>", count: 1_000))</m>")
        func set(of count: Int) throws -> QuerySet {
            var set = QuerySet()
            try set.insert("a<x~(a|b)+$>")
            try set.insert("a")
            for _ in 0..<count { try set.insert("a<x~(a|b)+$>") }
            return set
        }
        let (few, many) = (try set(of: 5), try set(of: 10_000))
        let growth = growth(
            from: { #expect((try? few.first(element)) == few.ids[1]) },
            to: { #expect((try? many.first(element)) == many.ids[1]) }, below: 8)
        #expect(growth < 8)
    }

    /// Twenty times as many queries take less than eight times as long.
    private static func expectLittleGrowth(from few: QuerySet, to many: QuerySet, on element: Element) throws {
        let matches = growth(
            from: { #expect(!few.matches(element).isEmpty) }, to: { #expect(!many.matches(element).isEmpty) }, below: 8)
        #expect(matches < 8)
        let first = try growth(
            from: { try expectFirst(of: few, on: element) }, to: { try expectFirst(of: many, on: element) }, below: 8)
        #expect(first < 8)
    }

    private static func expectFirst(of set: QuerySet, on element: Element) throws {
        let first = try set.first(element)
        #expect(first == set.ids.first)
    }

    /// A number of queries for each of two paths, and one with a pattern that reads a long value without a match.
    private static func set(of count: Int) throws -> QuerySet {
        var set = QuerySet()
        for _ in 0..<count {
            try set.insert("body")
            try set.insert("subject")
        }
        try set.insert("a<x~b>")
        return set
    }
}
