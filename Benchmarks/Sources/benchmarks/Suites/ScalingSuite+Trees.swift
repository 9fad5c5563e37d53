// How work on trees grows with their size: parsing, writing, copying, building, memory.

import StanzaQuery

extension ScalingSuite {
    private static let sizes = [10, 100, 1_000, 10_000]

    /// A work on a tree of some size, by several contenders that all return the same.
    private struct Work {
        let title: String
        let note: String
        var agreeing = true
        /// The most time for 10,000 elements, as a multiple of pugixml's.
        var goal: Double?
        let contenders: (Subject) -> [Contender]
    }

    /// A document in all forms that the work needs.
    private struct Subject {
        let size: Int
        let bytes: [UInt8]
        let element: Element
        /// Each with a root around it, as elsewhere.
        let documents: [(peer: TreePeer, documents: PeerDocuments)]

        init(_ size: Int) throws {
            self.size = size
            let text = "<r>" + String(repeating: "<a b='c'/>", count: size) + "</r>"
            bytes = Array(text.utf8)
            element = try Element(parsing: text)
            documents = try TreePeer.all.map { ($0, try $0.parse(["<x>\(text)</x>"])) }
        }
    }

    func addTrees() throws {
        let subjects = try Self.sizes.map { try Subject($0) }
        for work in Self.works { try add(work, subjects) }
        try addMemory(subjects)
    }

    private static var works: [Work] {
        [
            Work(
                title: "Scaling: parsing", note: "Bytes → tree, and letting it go; libxml2's SAX2 makes no tree.",
                goal: 2.3,
                contenders: { subject in
                    let bytes = subject.bytes
                    var contenders = [
                        Contender("ours") { try Parsing.document(bytes, chunk: bytes.count) == nil ? 0 : 1 },
                        Contender("libxml2 SAX2") { Parsing.libxml2Events(bytes, chunk: bytes.count) },
                    ]
                    for peer in TreePeer.all {
                        contenders.append(
                            Contender(peer.name) {
                                let handle = peer.parseOne(bytes)
                                defer { peer.free(handle) }
                                return handle == nil ? 0 : 1
                            })
                    }
                    return contenders
                }),
            Work(
                title: "Scaling: writing", note: "Tree → bytes.", agreeing: false,
                contenders: { subject in
                    let element = subject.element
                    return [Contender("ours") { element.xmlBytes().count }]
                        + subject.documents.map { peer, documents in Contender(peer.name) { peer.write(documents) } }
                }),
            Work(
                title: "Scaling: copying", note: "Copying, and letting the copy go.",
                contenders: { subject in
                    let elements = [subject.element]
                    return [
                        Contender("ours, frozen") { Trees.copy(elements) },
                        Contender("ours, editable") { Trees.thaw(elements) },
                    ] + subject.documents.map { peer, documents in Contender(peer.name) { peer.copy(documents) } }
                }),
            Work(
                title: "Scaling: building", note: "Adding one child after another, each with an attribute.",
                contenders: { subject in
                    let size = subject.size
                    return [Contender("ours") { try Trees.addChildren(size) }]
                        + TreePeer.all.map { peer in Contender(peer.name) { peer.buildChildren(size) } }
                }),
        ]
    }

    private func add(_ work: Work, _ subjects: [Subject]) throws {
        var table = ScalingTable()
        for subject in subjects {
            let timings = try bench.stopwatch.time(
                "\(work.title), \(subject.size)", agreeing: work.agreeing, work.contenders(subject))
            if let goal = work.goal, subject.size == Self.sizes.last,
                let peer = timings.first(where: { $0.name == "pugixml" })
            {
                bench.report.add(
                    .atMost(
                        goal, "\(work.title), 10,000 elements of ten bytes: × pugixml",
                        timings[0].nanoseconds / peer.nanoseconds))
            }
            table.add(subject.size, timings.map { ($0.name, $0.nanoseconds / Double(subject.size)) })
        }
        bench.report.add(
            table.section(work.title, note: "Nanoseconds per element. \(work.note)", x: "elements", y: "ns per element")
        )
    }

    /// As many documents as have 10,000 elements together: what a parser keeps for itself must not count.
    private func addMemory(_ subjects: [Subject]) throws {
        var table = ScalingTable()
        for subject in subjects {
            let count = max(1, 10_000 / subject.size)
            func perElement(_ bytes: Int) -> Double { Double(bytes) / Double(count * subject.size) }
            var trees: [Element] = []
            trees.reserveCapacity(count)
            let ours = try Counter.bytes {
                for _ in 0..<count {
                    if let root = try Parsing.document(subject.bytes, chunk: Parsing.packet) { trees.append(root) }
                }
            }
            var values = [("ours", perElement(ours))]
            for peer in TreePeer.all {
                var handles: [TreePeer.Handle?] = []
                handles.reserveCapacity(count)
                let bytes = Counter.bytes { for _ in 0..<count { handles.append(peer.parseOne(subject.bytes)) } }
                handles.forEach(peer.free)
                values.append((peer.name, perElement(bytes)))
            }
            table.add(subject.size, values)
        }
        bench.report.add(
            table.section(
                "Scaling: memory",
                note:
                    "Bytes per element of documents of that size, which have 10,000 elements together. Each of ours has a "
                    + "table of names of its own, as a document has that a parser of its own reads.",
                x: "elements", y: "bytes per element"))
    }
}

/// A table whose rows are sizes, and its plot.
struct ScalingTable {
    private var names: [String] = []
    private var rows: [[String]] = []
    private var lines: [String: [(x: Double, y: Double)]] = [:]

    /// The first row has all names.
    mutating func add(_ size: Int, _ values: [(name: String, value: Double)]) {
        if names.isEmpty { names = values.map(\.name) }
        for (name, value) in values { lines[name, default: []].append((Double(size), value)) }
        rows.append(["\(size)"] + names.indices.map { $0 < values.count ? values[$0].value.short : "" })
    }

    func section(_ title: String, note: String, x: String, y: String) -> Section {
        Section(
            title, note: note, columns: [x] + names, rows: rows,
            plot: .lines(x: x, y: y, series: names.map { ($0, lines[$0] ?? []) }))
    }
}
