// What is done to trees beside asking them: building, freezing, copying, writing, freeing.

import StanzaQuery

enum Trees {
    /// A chat message as a client builds it: five elements.
    @inline(never)
    static func build(_ number: Int) throws -> MutableElement {
        try MutableElement(
            "message", namespace: "jabber:client",
            attributes: ["type": "chat", "to": "romeo@example.net/orchard", "id": "m\(number)"]
        ) {
            try MutableElement("body", text: "Wherefore art thou, Romeo?")
            try MutableElement("active", namespace: "http://jabber.org/protocol/chatstates")
            try MutableElement("request", namespace: "urn:xmpp:receipts")
            try MutableElement("origin-id", namespace: "urn:xmpp:sid:0", attributes: ["id": "o\(number)"])
        }
    }

    @inline(never)
    static func write(_ elements: [Element]) -> Int {
        elements.reduce(0) { $0 + $1.xmlBytes(in: .clientStream).count }
    }

    @inline(never)
    static func copy(_ elements: [Element]) -> Int {
        elements.reduce(0) { $0 + ($1.copy().isSame(as: $1) ? 1 : 0) }
    }

    @inline(never)
    static func thaw(_ elements: [Element]) -> Int {
        elements.reduce(0) { $0 + $1.thaw().attributes.count }
    }

    @inline(never)
    static func freeze(_ elements: [MutableElement]) -> Int {
        elements.reduce(0) { $0 + $1.freeze().attributes.count }
    }
}

struct TreeSuite {
    let bench: Bench

    func run() throws {
        try addWork()
        try addFreeing()
    }

    private func addWork() throws {
        let elements = bench.elements
        let thawed = elements.map { $0.thaw() }
        let message = try Trees.build(1)
        let stanzas = Double(elements.count)
        let timings: [(Timing, Double)] = [
            (try bench.stopwatch.time("build a message of five elements") { try Trees.build(1).attributes.count }, 1),
            (
                try bench.stopwatch.time("build and write it") {
                    try Trees.build(1).xmlBytes(in: .clientStream).count
                }, 1
            ),
            (try bench.stopwatch.time("freeze it") { message.freeze().attributes.count }, 1),
            (try bench.stopwatch.time("write the corpus") { Trees.write(elements) }, stanzas),
            (try bench.stopwatch.time("copy the corpus") { Trees.copy(elements) }, stanzas),
            (try bench.stopwatch.time("thaw the corpus") { Trees.thaw(elements) }, stanzas),
            (try bench.stopwatch.time("freeze the corpus") { Trees.freeze(thawed) }, stanzas),
        ]
        let bytes = Double(Trees.write(elements))
        bench.report.add(
            Section(
                "Building, writing, copying",
                note: "Nanoseconds per stanza; the corpus is written at "
                    + "\((bytes / timings[3].0.nanoseconds * 1e3).short) MB/s.",
                columns: ["work", "ns per stanza"],
                rows: timings.map { [$0.0.name, ($0.0.nanoseconds / $0.1).short] }))
    }

    /// Trees of different sizes are let go: with storage in one block it takes the same time for all.
    private func addFreeing() throws {
        var points: [(x: Double, y: Double)] = []
        for size in [10, 100, 1_000, 10_000] {
            let count = max(4, 20_000 / size)
            let text = "<a xmlns='urn:x'>" + String(repeating: "<b c='d'/>", count: size - 1) + "</a>"
            let element = try Element(parsing: text)
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
                "Freeing", note: "Nanoseconds to let a tree of that many elements go.",
                columns: ["elements", "ns"], rows: points.map { ["\(Int($0.x))", $0.y.short] },
                plot: .lines(x: "elements", y: "ns", series: [("ours", points)])))
    }
}
