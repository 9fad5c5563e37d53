// One set of all queries of the project, on all its stanzas: the set gives the results of the single queries.
//
// QuerySetDifferentialTests.swift has random queries and trees.

import Foundation
import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct QuerySetCorpusTests {
    /// A set and its queries.
    private struct Members {
        var set = QuerySet()
        var queries: [(id: QuerySet.ID, query: Query<QueryValue>, arguments: [QueryArgumentValue])] = []

        /// Registers a query, unless it or its arguments are wrong.
        mutating func insert(_ text: String, _ arguments: [QueryArgumentValue], _ options: QueryOptions) {
            guard let query = try? Query(text, options: options),
                let id = try? set.insert(query, arguments: arguments)
            else { return }
            queries.append((id, query, arguments))
        }

        /// The number of matching queries, and the sources of those with another result in the set.
        func compare(on element: Element) -> (matchCount: Int, differences: [String]) {
            let results = queries.map { query in
                (query.id, Result { try element.check(query.query.binding(arguments: query.arguments)) })
            }
            let expected = results.filter { (try? $0.1.get()) == true }.map(\.0)
            let failing = results.filter { (try? $0.1.get()) == nil }.map(\.0)
            let matches = set.matches(element)
            var different = Set(matches).symmetricDifference(expected)
            different.formUnion(Set(matches.failures.map(\.id)).symmetricDifference(failing))
            let first = try? set.bestMatch(in: element)
            if failing.isEmpty, first != expected.first {
                different.formUnion([first, expected.first].compactMap(\.self))
            }
            return (expected.count, different.compactMap { set[$0]?.query.source })
        }
    }

    private static func ten() throws -> Members {
        let text = try String(contentsOf: packageFolder.appending(path: "Benchmarks/queries.txt"), encoding: .utf8)
        var members = Members()
        for query in text.split(separator: "\n") {
            members.insert(String(query), query.contains("%@") ? [.text("princely_musings")] : [], [])
        }
        #expect(members.queries.count == 10)
        return members
    }

    /// The ten queries, and those of the conformance suites.
    private static func everything() throws -> Members {
        var members = try ten()
        for test in try ConformanceCase.all() { members.insert(test.query, test.values, test.compileOptions) }
        #expect(members.queries.count > 1500)
        return members
    }

    /// A quarter of the stanzas, or some hundred, spread evenly. Each seed chooses others.
    private static func chosen(_ stanzas: [String]) -> [String] {
        let step = Corpus.specifications != nil ? 4 : stanzas.count / 100 + 1
        let first = Int(SeededGenerator.seed % UInt64(step))
        return stride(from: first, to: stanzas.count, by: step).map { stanzas[$0] }
    }

    private static func compare(_ members: Members, on stanzas: [String]) throws -> Int {
        var matchCount = 0
        for xml in stanzas {
            // Some are wrong on purpose.
            guard let element = try? Element(stanza: xml) else { continue }
            let (count, differences) = members.compare(on: element)
            #expect(differences.isEmpty, "on \(xml)")
            matchCount += count
        }
        return matchCount
    }

    @Test func theTenQueries() throws {
        let stanzas = try Corpus.stanzas(in: Corpus.specifications ?? Corpus.recordedSession)
        let count = try Self.compare(try Self.ten(), on: stanzas)
        #expect(count > stanzas.count / 2)
    }

    @Test func everyQuery() throws {
        let files = [Corpus.recordedSession] + [Corpus.specifications].compactMap(\.self)
        for stanzas in try [ConformanceCase.documents().sorted()] + files.map(Corpus.stanzas) {
            let chosen = Self.chosen(stanzas)
            let count = try Self.compare(try Self.everything(), on: chosen)
            #expect(count > chosen.count * 10)
        }
    }
}
