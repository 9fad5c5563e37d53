// The ten queries: every engine, every query, the same stanzas, on two corpora and in a small cache.

import Harness
import StanzaQuery
import _StanzaLimit

struct EvaluationSuite {
    let bench: Bench
    let session: Bench

    private static let limit = "limit"
    private static let ours = "compiled"

    func run() throws {
        let checks = try check("Evaluation: check", bench)
        try find(bench)
        // Few stanzas over and over: everything is in the nearest cache, and the processor foresees every branch.
        let step = max(1, bench.elements.count / 32)
        let few = Array(stride(from: 0, to: bench.elements.count, by: step).prefix(32))
        let hot = try check("Evaluation: check, hot", bench, few)
        let recorded = try check("Evaluation: check" + session.suffix, session)
        let report = bench.report
        report.add(Goal("`check`, compiled, mean of ten: × the limit", .atMost(2.2, checks)))
        report.add(Goal("hot, \(few.count) stanzas: × the limit", .atMost(2.2, hot)))
        report.add(Goal("`check`, compiled, mean of ten\(session.suffix): × the limit", .atMost(2.2, recorded)))
    }

    /// Times `check` of all stanzas, or of some. Returns the mean time as a multiple of the limit's.
    private func check(_ title: String, _ bench: Bench, _ chosen: [Int]? = nil) throws -> Double {
        let elements = chosen?.map { bench.elements[$0] } ?? bench.elements
        let texts = bench.corpus.documents
        let documents = chosen?.map { texts[$0] } ?? texts
        let limit = LimitQueries(node: BenchmarkQuery.node)
        let peers = try peers(documents)
        let times = try table(title, bench, elements.count, found: "stanzas found") { number, query in
            [
                Contender(Self.limit) { limit.count(number, in: elements) },
                Contender(Self.ours) { try Engine.check(query, elements) },
                Contender("StaticString") { try Engine.checkLiteral(query, elements) },
                Contender("String") { try Engine.checkString(query, elements) },
            ]
                + peers.map { peer, queries, documents in
                    Contender("\(peer.name) XPath") { queries.check(number, documents) }
                }
        }
        return times.map { $0[1] }.mean / times.map { $0[0] }.mean
    }

    private func find(_ bench: Bench) throws {
        let peers = try peers(bench.corpus.documents)
        _ = try table("Evaluation: find, all results", bench, bench.elements.count, found: "results") { number, query in
            [Contender(Self.ours) { try Engine.find(query, bench.elements) }]
                + peers.map { peer, queries, documents in
                    Contender("\(peer.name) XPath") { queries.find(number, documents) }
                }
        }
    }

    /// The peers with the ten queries, compiled before, and documents.
    private func peers(_ documents: [String]) throws -> [(Peer, PeerQueries, PeerDocuments)] {
        try Peer.all.map { peer in
            let queries = try PeerQueries(BenchmarkQuery.all.map(peer.translation), peer)
            return (peer, queries, try PeerDocuments(documents, peer))
        }
    }

    /// Adds a table of all contenders' times for each query, per stanza, and returns the times.
    private func table(
        _ title: String, _ bench: Bench, _ stanzas: Int, found: String,
        _ contenders: (Int, CompiledQuery) -> [Contender]
    ) throws -> [[Double]] {
        var (names, rows): ([String], [[String]]) = ([], [])
        let times = try bench.queries.enumerated().map { number, query in
            let contenders = contenders(number, query)
            names = contenders.map(\.name)
            let times = try bench.stopwatch.time("\(title), \(query.source)", per: stanzas, contenders)
            // All contenders have found the same.
            rows.append(["`\(query.source)`", "\(try contenders[0].run())"] + cells(names, times))
            return times
        }
        let means = names.indices.map { column in times.map { $0[column] }.mean }
        let ours = zip(names, means).first { $0.0 == Self.ours }?.1 ?? .nan
        rows.append(["mean", ""] + cells(names, means))
        rows.append(["× compiled", ""] + means.map { ($0 / ours).short })
        bench.report.add(
            Section(
                title,
                note: "Nanoseconds per query and stanza, \(stanzas) stanzas of `\(bench.corpus.name)`. Before the "
                    + "timing, all engines have found the same.",
                columns: ["query", found] + names, rows: rows))
        return times
    }

    /// The fastest engine's time is bold. The limit is not an engine.
    private func cells(_ names: [String], _ times: [Double]) -> [String] {
        times.cells(best: zip(names, times).filter { $0.0 != Self.limit }.map(\.1).min())
    }
}
