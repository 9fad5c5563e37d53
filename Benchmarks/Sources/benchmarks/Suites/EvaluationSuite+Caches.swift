// The ten queries where everything is in the nearest cache, and where nothing is in any.

import StanzaQuery

extension EvaluationSuite {
    /// Few stanzas over and over: everything is in the nearest cache and every branch is foreseen.
    func addHot() throws {
        let step = max(1, bench.elements.count / 32)
        let indices = Array(stride(from: 0, to: bench.elements.count, by: step).prefix(32))
        let elements = indices.map { bench.elements[$0] }
        let documents = indices.map { bench.corpus.documents[$0] }
        let libxml2 = try PeerDocuments.libxml2(documents)
        let pugixml = try PeerDocuments.pugixml(documents)
        var timings: [[Timing]] = []
        for (number, query) in bench.queries.enumerated() {
            timings.append(
                try bench.stopwatch.time(
                    "hot check of \(query.source)",
                    [
                        Contender("limit") { limit.count(number, in: elements) },
                        Contender("compiled") { try Engine.check(query, elements) },
                        Contender("pugixml by hand") { PugiXMLQueries.handWritten(number, pugixml) },
                        Contender("pugixml XPath") { pugixmlQueries.check(number, pugixml) },
                        Contender("libxml2 XPath") { libxml2Queries.check(number, libxml2) },
                    ]
                ).map { $0.divided(by: elements.count) })
        }
        add("Evaluation: check, hot", timings, prosody: nil, stanzas: elements.count)
        // Peers' trees are larger and leave the cache sooner; here that does not flatter us.
        func mean(_ index: Int) -> Double { timings.map { $0[index].nanoseconds }.mean }
        let report = bench.report
        report.add(.atMost(2.2, "hot, \(elements.count) stanzas: × the limit", mean(1) / mean(0)))
        report.add(.atLeast(1, "hot: faster than C++ by hand on pugixml", mean(2) / mean(1)))
        report.add(.atLeast(10, "hot: faster than pugixml's XPath", mean(3) / mean(1)))
        report.add(.atLeast(25, "hot: faster than libxml2's XPath", mean(4) / mean(1)))
    }

    /// All stanzas once, out of order, after everything else was thrown out of the caches.
    func addCold() throws {
        let order = bench.elements.indices.shuffled(with: 42)
        let elements = order.map { bench.elements[$0] }
        let documents = order.map { bench.corpus.documents[$0] }
        let libxml2 = try PeerDocuments.libxml2(documents)
        let pugixml = try PeerDocuments.pugixml(documents)
        let number = 2
        let query = bench.queries[number]
        let contenders = [
            Contender("limit") { limit.count(number, in: elements) },
            Contender("compiled") { try Engine.check(query, elements) },
            Contender("pugixml by hand") { PugiXMLQueries.handWritten(number, pugixml) },
            Contender("pugixml XPath") { pugixmlQueries.check(number, pugixml) },
            Contender("libxml2 XPath") { libxml2Queries.check(number, libxml2) },
        ]
        _ = try AgreementSuite.agreed("cold check", contenders.map { ($0.name, try $0.run()) })
        var samples = [[Double]](repeating: [], count: contenders.count)
        for _ in 0..<bench.stopwatch.effort.samples {
            for (index, contender) in contenders.enumerated() {
                sink = sink &+ Cache.evict()
                let start = ThreadClock.nanoseconds
                sink = try sink &+ contender.run()
                samples[index].append((ThreadClock.nanoseconds - start) / Double(elements.count))
            }
        }
        let medians = samples.map { $0.sorted()[$0.count / 2] }
        bench.report.add(
            Section(
                "Evaluation: check, cold",
                note: "Nanoseconds per stanza for `\(query.source)`, each stanza once, in random order, "
                    + "caches emptied before.",
                columns: ["engine", "ns", "× compiled"],
                rows: zip(contenders, medians).map { [$0.name, $1.short, ($1 / medians[1]).short] },
                plot: .bars(unit: "ns per stanza", values: zip(contenders, medians).map { ($0.name, $1) })))
    }
}

/// Empties the processor's caches by reading more than fits.
enum Cache {
    private static let lines = [UInt64](repeating: 1, count: 96 << 17)

    static func evict() -> Int {
        var sum: UInt64 = 0
        for index in stride(from: 0, to: lines.count, by: 8) { sum &+= lines[index] }
        return Int(truncatingIfNeeded: sum)
    }
}
