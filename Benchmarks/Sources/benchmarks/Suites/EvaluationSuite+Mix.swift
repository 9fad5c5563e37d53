// All ten queries on each stanza, one after the other, as a client queries received stanzas. No query has the branches'
// history for itself.

import StanzaQuery

extension EvaluationSuite {
    func addMix() throws {
        let numbers = bench.queries.indices
        let (queries, elements) = (bench.queries, bench.elements)
        let stanzas = elements.indices
        let timings = try bench.stopwatch.time(
            "the mix",
            [
                Contender("compiled") { try Engine.checkAll(queries, elements) },
                Contender("StaticString") { try Engine.checkAllLiterals(queries, elements) },
                Contender("String") { try Engine.checkAllStrings(queries, elements) },
                Contender("pugixml XPath") {
                    stanzas.reduce(0) { sum, stanza in
                        numbers.reduce(sum) { $0 + pugixmlQueries.check($1, pugixml, only: stanza) }
                    }
                },
                Contender("libxml2 XPath") {
                    stanzas.reduce(0) { sum, stanza in
                        numbers.reduce(sum) { $0 + libxml2Queries.check($1, libxml2, only: stanza) }
                    }
                },
            ]
        ).map { $0.divided(by: numbers.count * elements.count) }
        let compiled = timings[0].nanoseconds
        bench.report.add(
            Section(
                "Evaluation: check, the mix",
                note: "Nanoseconds per query and stanza: all ten are asked of a stanza, then of the next. Code "
                    + "that is written by hand for one query has no part in that.",
                columns: ["engine", "ns", "× compiled", "± %"],
                rows: timings.map {
                    [$0.name, $0.nanoseconds.short, ($0.nanoseconds / compiled).short, ($0.spread * 100).short]
                },
                plot: .bars(unit: "ns per query and stanza", values: timings.map { ($0.name, $0.nanoseconds) })))
    }
}

extension Engine {
    @inline(never)
    static func checkAll(_ queries: [CompiledQuery], _ elements: [Element]) throws -> Int {
        let node = BenchmarkQuery.node
        var count = 0
        for element in elements {
            for query in queries {
                if try query.takesNode ? element.check(query.query, node) : element.check(query.query) { count += 1 }
            }
        }
        return count
    }

    @inline(never)
    static func checkAllLiterals(_ queries: [CompiledQuery], _ elements: [Element]) throws -> Int {
        let node = BenchmarkQuery.node
        var count = 0
        for element in elements {
            for query in queries {
                if try query.takesNode ? element.check(query.literal, node) : element.check(query.literal) {
                    count += 1
                }
            }
        }
        return count
    }

    @inline(never)
    static func checkAllStrings(_ queries: [CompiledQuery], _ elements: [Element]) throws -> Int {
        let node = BenchmarkQuery.node
        var count = 0
        for element in elements {
            for query in queries {
                let found = try Query(query.source)
                if try query.takesNode ? element.check(found, node) : element.check(found) { count += 1 }
            }
        }
        return count
    }
}
