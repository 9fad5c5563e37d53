// Building, writing, copying and freeing trees, beside the trees of peers.

import StanzaQuery

struct TreeSuite {
    let bench: Bench

    func run() throws {
        try addWork()
        try addFreeing()
    }

    /// A piece of work, done by us and by peers.
    private struct Row {
        let name: String
        /// How many stanzas the work is of.
        let stanzas: Int
        let ours: () throws -> Int
        var theirs: ((TreePeer, PeerDocuments) -> Int)?
    }

    private func addWork() throws {
        let elements = bench.elements
        let thawed = elements.map { $0.thaw() }
        let (identifier, origin) = ("m1", "o1")
        let message = try Trees.build(identifier, origin)
        let rows = [
            Row(name: "build a message of five elements", stanzas: 1) {
                try Trees.build(identifier, origin).name.isEmpty ? 0 : 1
            } theirs: { peer, _ in
                peer.build(identifier, origin)
            },
            Row(name: "build and write it", stanzas: 1) {
                try Trees.build(identifier, origin).xmlBytes().count
            } theirs: { peer, _ in
                peer.buildAndWrite(identifier, origin)
            },
            Row(name: "build and add a child with an attribute", stanzas: Self.children) {
                try Trees.buildChildren(Self.children)
            },
            Row(name: Self.child, stanzas: Self.children) {
                try Trees.addChildren(Self.children)
            } theirs: { peer, _ in
                peer.buildChildren(Self.children)
            },
            Row(name: "freeze it", stanzas: 1) { message.freeze().name.isEmpty ? 0 : 1 },
            Row(name: Self.writing, stanzas: elements.count) {
                Trees.write(elements)
            } theirs: { peer, documents in
                peer.write(documents)
            },
            Row(name: "copy the corpus, editable (`thaw`)", stanzas: elements.count) {
                Trees.thaw(elements)
            } theirs: { peer, documents in
                peer.copy(documents)
            },
            Row(name: "copy the corpus, frozen (`copy`)", stanzas: elements.count) { Trees.copy(elements) },
            Row(name: "freeze the corpus", stanzas: elements.count) { Trees.freeze(thawed) },
        ]
        let peers = TreePeer.all
        let documents = try peers.map { try $0.parse(bench.corpus.documents) }
        var bars: [(name: String, value: Double)] = []
        var times: [String: [Double]] = [:]
        let cells = try rows.map { row in
            var contenders = [Contender("ours", row.ours)]
            if let theirs = row.theirs {
                for (peer, documents) in zip(peers, documents) {
                    contenders.append(Contender(peer.name) { theirs(peer, documents) })
                }
            }
            // The outputs differ in quotes and escapes; AgreementSuite.swift reads them again.
            let timings = try bench.stopwatch.time(row.name, agreeing: false, contenders)
                .map { $0.divided(by: row.stanzas) }
            times[row.name] = timings.map(\.nanoseconds)
            bars += timings.map { ("\(row.name.replacing("`", with: "")): \($0.name)", $0.nanoseconds) }
            return [row.name] + (0...peers.count).map { $0 < timings.count ? timings[$0].nanoseconds.short : "" }
        }
        let bytes = Double(Trees.write(elements)) / Double(elements.count)
        let writing = times[Self.writing]?[0] ?? .nan
        bench.report.add(
            Section(
                "Building, writing, copying",
                note: "Nanoseconds per stanza; we write the corpus at \((bytes / writing * 1e3).short) MB/s. Only our "
                    + "building and writing checks names, characters and namespaces, so that no tree is unfit for XML; "
                    + "pugixml knows no namespaces.",
                columns: ["work", "ours"] + peers.map(\.name), rows: cells,
                plot: .bars(unit: "ns per stanza", values: bars)))
        // The place of each peer, ours first.
        for (work, peer, goal) in [(Self.writing, 1, 1.2), (Self.writing, 2, 0.8), (Self.child, 2, 1.5)] {
            guard let row = times[work], row.count > peer else { continue }
            bench.report.add(.atMost(goal, "\(work): × \(peers[peer - 1].name)", row[0] / row[peer]))
        }
    }

    private static let writing = "write the corpus"
    private static let child = "add a child with an attribute"
    private static let children = 1_000

    /// Trees of different sizes are let go: with storage in one block it takes the same time for all. That instructions
    /// do not grow at all is counted (`CountedWorks`); time is that of the allocator and of cold memory.
    private func addFreeing() throws {
        var points: [(x: Double, y: Double)] = []
        for size in [10, 100, 1_000, 10_000] {
            let count = max(4, 20_000 / size)
            let element = try Element(parsing: Self.text(of: size))
            var samples: [Double] = []
            for _ in 0..<bench.stopwatch.effort.samples {
                var copies = (0..<count).map { _ in element.copy() }
                let start = ThreadClock.nanoseconds
                copies.removeAll(keepingCapacity: true)
                samples.append((ThreadClock.nanoseconds - start) / Double(count))
            }
            points.append((Double(size), samples.sorted()[samples.count / 2]))
        }
        bench.report.add(
            .atMost(
                100, "freeing a tree of 10,000 elements: × one of 10 (linear would be 1,000)", points[3].y / points[0].y
            ))
        bench.report.add(
            Section(
                "Freeing",
                note: "Nanoseconds to let a tree of that many elements go: one block each. The instructions are under "
                    + "Counts; what grows is the allocator's work on pages.",
                columns: ["elements", "ns"], rows: points.map { ["\(Int($0.x))", $0.y.short] },
                plot: .lines(x: "elements", y: "ns", series: [("ours", points)])))
    }

    /// A document with a number of elements.
    static func text(of size: Int) -> String {
        "<a xmlns='urn:x'>" + String(repeating: "<b c='d'/>", count: size - 1) + "</a>"
    }
}
