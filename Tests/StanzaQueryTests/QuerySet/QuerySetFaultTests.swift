// Random sets some of whose regular expressions reach their limits: matches, failures, their errors and the first query
// are those of the single queries.

import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct QuerySetFaultTests {
    /// So long that no `b` is found in it within the limit of a pattern.
    private static let long = String(repeating: "a", count: 5000)

    private struct Tally {
        var cases = 0
        var failures = 0
        var matchesBesideFailures = 0
        var errorsOfFirst = 0

        var isLacking: Bool { failures < 5 || matchesBesideFailures == 0 || errorsOfFirst == 0 }
    }

    @Test func setsAgreeWithTheirQueriesInFaults() throws {
        let total = SeededGenerator.cases(default: 2_000)
        var tally = Tally()
        var salt: UInt64 = 0
        // Until there was some of everything, which few cases have.
        while tally.cases < total || (tally.isLacking && tally.cases < 20 * total) {
            salt += 1
            var random = SeededGenerator(salt: 0xFA17 &+ salt)
            let element = try Element(parsing: Self.tree(&random, depth: 2))
            var set = QuerySet()
            for _ in 0..<Int.random(in: 2...12, using: &random) {
                let text = Self.query(&random)
                let arguments: [any QueryArgument] = text.contains("%@") ? [random.pick(["n", "q"])] : []
                try set.insert(Query(text), arguments: arguments, priority: random.chance(30) ? 1 : 0)
            }
            if random.chance(30), let id = set.ids.first(where: { set[$0]?.arguments.isEmpty == false }) {
                try set.bind("n", to: id)
            }
            compare(set, on: element, "case \(salt), seed \(SeededGenerator.seed)", &tally)
        }
        #expect(!tally.isLacking, "\(tally)")
    }

    private func compare(_ set: QuerySet, on element: Element, _ note: Comment, _ tally: inout Tally) {
        var matching: [QuerySet.ID] = []
        var failing: [(id: QuerySet.ID, error: QueryError)] = []
        var first: Result<QuerySet.ID, QueryError>?
        for id in set.ids {
            guard let entry = set[id] else { continue }
            do throws(QueryError) {
                guard try element.check(entry.query) else { continue }
                matching.append(id)
                first = first ?? .success(id)
            } catch {
                failing.append((id, error))
                first = first ?? .failure(error)
            }
        }
        tally.cases += set.count
        tally.failures += failing.count
        if !failing.isEmpty { tally.matchesBesideFailures += matching.count }

        let matches = set.matches(element)
        #expect(Array(matches) == matching, "\(note): \(set.ids.compactMap { set[$0]?.query.source })")
        #expect(matches.failures.map(\.id) == failing.map(\.id), note)
        #expect(matches.failures.map(\.error) == failing.map(\.error), note)
        do throws(QueryError) {
            let id = try set.bestMatch(in: element)
            #expect(id == (try? first?.get()), note)
            if case .failure(let error)? = first { Issue.record("first passes over \(error), \(note)") }
        } catch {
            tally.errorsOfFirst += 1
            guard case .failure(let expected)? = first else {
                Issue.record("first throws \(error), \(note)")
                return
            }
            #expect(error == expected, note)
        }
    }

    // MARK: Small trees and queries

    private static func tree(_ random: inout SeededGenerator, depth: Int) -> String {
        let name = random.pick(["a", "b"])
        var attributes = ""
        if random.chance(60) { attributes += " k='\(random.pick([long, "b", "xb", "x"]))'" }
        if random.chance(60) { attributes += " m='\(random.pick(["n", "q"]))'" }
        var content = random.chance(30) ? "t" : ""
        if depth > 0 {
            for _ in 0..<Int.random(in: 0...2, using: &random) { content += tree(&random, depth: depth - 1) }
        }
        return "<\(name)\(attributes)>\(content)</\(name)>"
    }

    private static func query(_ random: inout SeededGenerator) -> String {
        var segments: [String] = []
        var hasArgument = false
        for position in 0..<Int.random(in: 1...2, using: &random) {
            if position > 0, random.chance(12) {
                segments.append("..")
                continue
            }
            var segment = random.pick(["a", "*", "*", "{*}*"])
            while random.chance(45) {
                // One argument at most.
                let filter = random.pick(
                    hasArgument ? ["k~b", "k~^b"] : ["k~b", "k~b", "k~[bx]$", "k~^b", "m=n", "m=%@"])
                hasArgument = hasArgument || filter.contains("%@")
                segment += "<\(filter)>"
            }
            segments.append(segment)
        }
        return segments.joined(separator: "/") + (segments.last == ".." ? "" : random.pick(["", "", "@k", "@m", "#"]))
    }
}
