// The ten queries: every engine, every query, the same stanzas. EvaluationSuite+Mix.swift asks all of them of each stanza,
// EvaluationSuite+Caches.swift in a small and in a cold cache.

import StanzaQuery
import _StanzaLimit

struct EvaluationSuite {
    let bench: Bench
    let libxml2: PeerDocuments
    let pugixml: PeerDocuments
    private let foundation: FoundationDocuments
    let libxml2Queries: LibXML2Queries
    let pugixmlQueries: PugiXMLQueries
    let limit = LimitQueries(node: BenchmarkQuery.node)

    init(_ bench: Bench) throws {
        self.bench = bench
        libxml2 = try .libxml2(bench.corpus.documents)
        pugixml = try .pugixml(bench.corpus.documents)
        foundation = try FoundationDocuments(bench.corpus.documents)
        libxml2Queries = try LibXML2Queries(BenchmarkQuery.all.map(\.libxml2))
        pugixmlQueries = try PugiXMLQueries(BenchmarkQuery.all.map(\.pugixml))
    }

    func run() throws {
        let checks = try table(of: checks, "check")
        let prosody = try prosody(agreeingWith: checks.counts)
        add("Evaluation: check", checks.timings, prosody: prosody)
        addGoals(checks.timings)
        add("Evaluation: findFirst", try table(of: findFirsts, "findFirst").timings, prosody: nil)
        let finds = try table(of: finds, "find")
        add("Evaluation: find, all results", finds.timings, prosody: nil)
        try addMix()
        try addHot()
        try addCold()
    }

    // MARK: Contenders

    private func checks(_ number: Int) -> [Contender] {
        let query = bench.queries[number]
        let elements = bench.elements
        let xpath = BenchmarkQuery.all[number].foundation
        return [
            Contender("limit") { limit.count(number, in: elements) },
            Contender("compiled") { try Engine.check(query, elements) },
            Contender("StaticString") { try Engine.checkLiteral(query, elements) },
            Contender("String") { try Engine.checkString(query, elements) },
            Contender("pugixml by hand") { PugiXMLQueries.handWritten(number, pugixml) },
            Contender("pugixml XPath") { pugixmlQueries.check(number, pugixml) },
            Contender("libxml2 XPath") { libxml2Queries.check(number, libxml2) },
            Contender("FoundationXML") { try foundation.check(xpath) },
        ]
    }

    private func findFirsts(_ number: Int) -> [Contender] {
        let query = bench.queries[number]
        let elements = bench.elements
        return [
            Contender("compiled") { try Engine.findFirst(query, elements) },
            Contender("StaticString") { try Engine.findFirstLiteral(query, elements) },
            Contender("String") { try Engine.findFirstString(query, elements) },
        ]
    }

    private func finds(_ number: Int) -> [Contender] {
        let query = bench.queries[number]
        let elements = bench.elements
        let xpath = BenchmarkQuery.all[number].foundation
        return [
            Contender("compiled") { try Engine.find(query, elements) },
            Contender("StaticString") { try Engine.findLiteral(query, elements) },
            Contender("String") { try Engine.findString(query, elements) },
            Contender("pugixml XPath") { pugixmlQueries.find(number, pugixml) },
            Contender("libxml2 XPath") { libxml2Queries.find(number, libxml2) },
            Contender("FoundationXML") { try foundation.find(xpath) },
        ]
    }

    // MARK: The corpus

    /// For each query the times of all contenders, per stanza; and how many results they agree on.
    private func table(of contenders: (Int) -> [Contender], _ name: String) throws
        -> (timings: [[Timing]], counts: [Int])
    {
        var timings: [[Timing]] = []
        var counts: [Int] = []
        for number in bench.queries.indices {
            let contenders = contenders(number)
            counts.append(try contenders[0].run())
            timings.append(
                try bench.stopwatch.time("\(name) of \(bench.queries[number].source)", contenders)
                    .map { $0.divided(by: bench.elements.count) })
        }
        return (timings, counts)
    }

    private func prosody(agreeingWith counts: [Int]) throws -> [Double]? {
        guard let results = try ProsodyPeer.run(bench.corpus.documents, effort: bench.stopwatch.effort) else {
            print("Prosody or lua5.4 is not installed: left out")
            return nil
        }
        for (number, result) in results.enumerated() where result.count != counts[number] {
            throw Disagreement(
                work: "check of \(bench.queries[number].source)",
                results: [("compiled", counts[number]), ("Prosody", result.count)])
        }
        return results.map(\.nanoseconds)
    }

    func add(_ title: String, _ timings: [[Timing]], prosody: [Double]?, stanzas: Int? = nil) {
        var names = timings[0].map(\.name)
        var columns = names.indices.map { column in timings.map { $0[column].nanoseconds } }
        if let prosody {
            names.append("Prosody, Lua 5.4")
            columns.append(prosody)
        }
        var rows = bench.queries.enumerated().map { number, query in
            ["`\(query.source)`"] + columns.map { $0[number].short }
        }
        let means = columns.map(\.mean)
        let ours = zip(names, means).first { $0.0 == "compiled" }?.1 ?? 1
        rows.append(["**mean**"] + means.map { "**\($0.short)**" })
        rows.append(["× compiled"] + means.map { ($0 / ours).short })
        rows.append(
            ["± %, of the samples"]
                + names.indices.map { column in
                    column < timings[0].count ? (timings.map { $0[column].spread }.mean * 100).short : "–"
                })
        bench.report.add(
            Section(
                title,
                note: "Nanoseconds per query and stanza, \(stanzas ?? bench.elements.count) stanzas of "
                    + "`\(bench.corpus.name)`.",
                columns: ["query"] + names, rows: rows,
                plot: .bars(unit: "ns per query and stanza", values: zip(names, means).map { ($0, $1) })))
    }

    private func addGoals(_ timings: [[Timing]]) {
        func mean(_ name: String) -> Double {
            timings.map { $0.first { $0.name == name }?.nanoseconds ?? .nan }.mean
        }
        func nine(_ name: String) -> Double {
            zip(bench.queries, timings).filter { !$0.0.takesNode }
                .map { $0.1.first { $0.name == name }?.nanoseconds ?? .nan }.mean
        }
        let compiled = mean("compiled")
        let report = bench.report
        report.add(.atMost(2.2, "`check`, compiled, mean of ten: × the limit", compiled / mean("limit")))
        report.add(
            .atMost(
                2.2, "the same without the query that takes an argument",
                nine("compiled") / nine("limit")))
        report.add(
            .atLeast(1, "`check`: faster than C++ by hand on pugixml", mean("pugixml by hand") / compiled))
        report.add(.atLeast(10, "`check`: faster than pugixml's XPath", mean("pugixml XPath") / compiled))
        report.add(.atLeast(25, "`check`: faster than libxml2's XPath", mean("libxml2 XPath") / compiled))
        report.add(
            .atMost(
                15, "a `StaticString` costs more than a compiled query", mean("StaticString") - compiled, unit: "ns"))
        report.add(.atMost(60, "a `String` costs more than a compiled query", mean("String") - compiled, unit: "ns"))
        let programs = bench.queries.reduce(0) { $0 + $1.query.programByteCount }
        report.add(
            .atMost(1024, "the ten programs together, without their patterns", Double(programs), unit: "bytes"))
    }
}

extension Timing {
    func divided(by operations: Int) -> Timing {
        Timing(name: name, nanoseconds: nanoseconds / Double(operations), spread: spread)
    }
}

extension [Double] {
    var mean: Double { reduce(0, +) / Double(count) }
}

extension Range<Int> {
    /// The same order every time for a seed.
    func shuffled(with seed: UInt64) -> [Int] {
        var state = SplitMix64(state: seed)
        return shuffled(using: &state)
    }
}

/// A small generator that is the same everywhere.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
