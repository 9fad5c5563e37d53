// Building and writing trees, beside the trees of peers.

import Harness
import StanzaQuery

struct TreeSuite {
    let bench: Bench

    private static let building = "build a message of five elements"
    private static let adding = "add a child with an attribute"

    func run() throws {
        let elements = bench.elements
        let children = 1_000
        let peers = try Peer.all.map { ($0, try PeerDocuments(bench.corpus.documents, $0)) }
        let works: [(String, Int, [Contender])] = [
            (
                Self.building, 1,
                [Contender("ours") { try Trees.build().name.isEmpty ? 0 : 1 }]
                    + peers.map { peer, _ in Contender(peer.name) { peer.build() } }
            ),
            (
                Self.adding, children,
                [Contender("ours") { try Trees.addChildren(children) }]
                    + peers.map { peer, _ in Contender(peer.name) { peer.buildChildren(children) } }
            ),
            (
                "write the corpus", elements.count,
                [Contender("ours") { Trees.write(elements) }]
                    + peers.map { peer, documents in Contender(peer.name) { peer.write(documents) } }
            ),
        ]
        var times: [String: [Double]] = [:]
        let cells = try works.map { work, count, contenders in
            // The outputs differ in quotes and escapes; AgreementSuite.swift reads them again.
            let values = try bench.stopwatch.time(work, per: count, agreeing: false, contenders)
            times[work] = values
            return [work] + values.cells(best: values.min())
        }
        bench.report.add(
            Section(
                "Building and writing",
                note:
                    "Nanoseconds per message, child or stanza. A thousand children are added in place to one element, "
                    + "which is then freed. Only our building and writing checks names, characters and namespaces, so "
                    + "that no tree is unfit for XML; pugixml knows no namespaces.",
                columns: ["work", "ours"] + Peer.all.map(\.name), rows: cells))
        /// Our time as a multiple of that of the peer at this place; ours is the first.
        func ratio(_ work: String, _ peer: Int) -> Double { times[work].map { $0[0] / $0[peer] } ?? .nan }
        bench.report.add(
            Goal(
                "\(Self.building): × libxml2, and × pugixml", .atMost(0.75, ratio(Self.building, 2)),
                .atMost(1.5, ratio(Self.building, 1))))
        bench.report.add(Goal("\(Self.adding): × libxml2", .atMost(0.75, ratio(Self.adding, 2))))
    }
}
