// The costs of queries beside the ten: compiling them, arguments, regular expressions, data forms.

import Harness
import StanzaQuery
import _StanzaLimit

struct QuerySuite {
    let bench: Bench

    func run() throws {
        try addCompilation()
        try addVariants()
    }

    /// Compiles the ten queries. Returns the number of their arguments.
    static func compile() throws -> Int {
        try BenchmarkQuery.all.reduce(0) { $0 + (try compiledAnew($1.source).argumentCount) }
    }

    private func addCompilation() throws {
        let peers = Peer.all.map { peer in
            let sources = BenchmarkQuery.all.map(peer.translation)
            return Contender("\(peer.name) XPath") { try sources.reduce(0) { $0 + (try peer.compileOnce($1)) } }
        }
        let contenders = [Contender("compiled") { try Self.compile() }] + peers
        let count = BenchmarkQuery.all.count
        let times = try bench.stopwatch.time("compilation", per: 1_000 * count, agreeing: false, contenders)
        let allocations = try contenders.map {
            try Counter.allocations(of: CountedWork($0.name, operations: count, $0.run))
        }
        let bytes = try Counter.bytes { try BenchmarkQuery.all.map { try compiledAnew($0.source) } }
        let cells = zip(times.cells(best: times.min()), allocations.cells(best: allocations.min()))
        bench.report.add(
            Section(
                "Compilation",
                note: "Mean of the ten queries. Together they keep \(bytes) bytes, their texts included.",
                columns: ["engine", "µs per query", "allocations per query"],
                rows: zip(contenders, cells).map { [$0.name, $1.0, $1.1] }))
        bench.report.add(
            Goal(
                "compiling a query, mean of ten: × pugixml's XPath, and allocations", .atMost(0.6, times[0] / times[1]),
                .atMost(3, allocations[0], "allocations")))
    }

    private func addVariants() throws {
        let elements = bench.elements
        let variants = try QueryVariant.all()
        let contenders = variants.map { variant in Contender(variant.name) { try variant.check(elements) } }
        let times = try bench.stopwatch.time(
            "queries of other kinds", per: elements.count, agreeing: false, contenders)
        bench.report.add(
            Section(
                "Regular expressions, data forms and arguments",
                note: "Nanoseconds per stanza for `check` on every stanza. Arguments are bound for each of them.",
                columns: ["kind", "query", "stanzas found", "ns"],
                rows: try zip(variants, times).map { variant, time in
                    [variant.name, "`\(variant.source)`", "\(try variant.check(elements))", time.short]
                }))
    }
}
