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
        let first = try set.bestMatch(in: element)
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
