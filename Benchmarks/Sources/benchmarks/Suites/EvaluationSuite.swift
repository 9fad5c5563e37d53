// The ten queries: every engine, every query, the same stanzas. EvaluationSuite+Mix.swift asks all of them of each
// stanza, EvaluationSuite+Caches.swift in a small and in a cold cache.

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
        // AgreementSuite.swift has compared its results.
        let prosody = try ProsodyPeer.times(bench.corpus.documents, effort: bench.stopwatch.effort)
        add("Evaluation: check", checks, prosody: prosody)
        add("Evaluation: findFirst", try table(of: findFirsts, "findFirst"), prosody: nil)
        let finds = try table(of: finds, "find")
        add("Evaluation: find, all results", finds, prosody: nil)
        addGoals(checks, finds)
        try addMix()
        try addHot()
        try addCold()
    }

    /// `check` on stanzas as they are on the wire.
    func runOnSession() throws {
        let checks = try table(of: checks, "check" + bench.suffix)
        add("Evaluation: check" + bench.suffix, checks, prosody: nil)
        func mean(_ name: String) -> Double {
            checks.map { $0.first { $0.name == name }?.nanoseconds ?? .nan }.mean
        }
        let compiled = mean("compiled")
        bench.report.add(
            .atMost(
                2.2, "`check`, compiled, mean of ten\(bench.suffix): × the limit", compiled / mean("limit")))
        bench.report.add(
            .atLeast(
                1, "`check`\(bench.suffix): faster than C++ by hand on pugixml", mean("pugixml by hand") / compiled))
        bench.report.add(
            .atLeast(10, "`check`\(bench.suffix): faster than pugixml's XPath", mean("pugixml XPath") / compiled))
    }

    // MARK: Contenders

    func checks(_ number: Int) -> [Contender] {
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

    func findFirsts(_ number: Int) -> [Contender] {
        let query = bench.queries[number]
        let elements = bench.elements
        return [
            Contender("compiled") { try Engine.findFirst(query, elements) },
            Contender("StaticString") { try Engine.findFirstLiteral(query, elements) },
            Contender("String") { try Engine.findFirstString(query, elements) },
        ]
    }

    func finds(_ number: Int) -> [Contender] {
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

    /// For each query the times of all contenders, per stanza.
    private func table(of contenders: (Int) -> [Contender], _ name: String) throws -> [[Timing]] {
        try bench.queries.indices.map { number in
            try bench.stopwatch.time("\(name) of \(bench.queries[number].source)", contenders(number))
                .map { $0.divided(by: bench.elements.count) }
        }
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

    private func addGoals(_ timings: [[Timing]], _ finds: [[Timing]]) {
        func mean(_ name: String, _ table: [[Timing]]? = nil) -> Double {
            (table ?? timings).map { $0.first { $0.name == name }?.nanoseconds ?? .nan }.mean
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
        // Its check takes fewer instructions than its find (Counts), but both mostly wait for memory: the faster one
        // counts.
        report.add(
            .atLeast(
                25, "`check`: faster than libxml2's XPath, its check or its find, whichever is faster",
                min(mean("libxml2 XPath"), mean("libxml2 XPath", finds)) / compiled))
        report.add(.atMost(2, "`check` of a `StaticString`: × a compiled query", mean("StaticString") / compiled))
        report.add(
            .atLeast(
                1.2, "`check` of a `String`, looked up each time: faster than pugixml's compiled XPath",
                mean("pugixml XPath") / mean("String")))
        let programs = bench.queries.reduce(0) { $0 + $1.query.programByteCount }
        report.add(
            .atMost(1_000, "the ten programs together, without their patterns", Double(programs), unit: "bytes"))
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
