// Before anything is timed: all engines are asked the same, and have to find the same.

import CLibXML2Peer
import CPugiXMLPeer
import StanzaQuery

struct AgreementSuite {
    let bench: Bench

    func run() throws {
        try addQueries()
        try addParsers()
        try compareTrees()
    }

    /// Throws unless all counts are the same. Returns that count.
    static func agreed(_ work: String, _ results: [(name: String, result: Int)]) throws -> Int {
        guard let first = results.first, results.allSatisfy({ $0.result == first.result }) else {
            throw Disagreement(work: work, results: results)
        }
        return first.result
    }

    // MARK: The ten queries

    private func addQueries() throws {
        let suite = try EvaluationSuite(bench)
        let prosody = try ProsodyPeer.counts(bench.corpus.documents)
        if prosody == nil, bench.suffix.isEmpty { print("Prosody or lua5.4 is not installed: left out") }
        var engines = 0
        let rows = try bench.queries.enumerated().map { number, query in
            var checks = try suite.checks(number).map { (name: $0.name, result: try $0.run()) }
            if let prosody { checks.append(("Prosody", prosody[number])) }
            let firsts = try suite.findFirsts(number).map { (name: "findFirst, \($0.name)", result: try $0.run()) }
            let finds = try suite.finds(number).map { (name: $0.name, result: try $0.run()) }
            engines = checks.count
            return [
                "`\(query.source)`", "\(try Self.agreed("check of \(query.source)", checks + firsts))",
                "\(try Self.agreed("find of \(query.source)", finds))",
            ]
        }
        bench.report.add(
            Section(
                "Results: the ten queries" + bench.suffix,
                note: "What \(engines) ways of asking found alike on \(bench.elements.count) stanzas, before anything "
                    + "was timed: stanzas with a result, and results where all of them can be had.",
                columns: ["query", "stanzas", "results"], rows: rows))
    }

    // MARK: Parsers

    private func addParsers() throws {
        let stream = bench.corpus.stream
        let document = ParsingSuite.largeDocument(bench.corpus)
        let inputs = [("the stream", stream, bench.elements.count), ("the document", document, 0)]
        let rows = try inputs.map { name, bytes, stanzas in
            var results = [("libxml2 SAX2", Parsing.libxml2Elements(bytes, chunk: Parsing.packet))]
            for peer in TreePeer.all {
                let handle = peer.parseOne(bytes)
                results.append(("\(peer.name) tree", peer.elementCount(handle)))
                peer.free(handle)
            }
            results.append(("FoundationXML tree", try FoundationDocuments.elementCount(bytes)))
            for chunk in [Parsing.packet, bytes.count] {
                let root = try Parsing.document(bytes, chunk: chunk)
                results.append(("ours, one document, \(chunk)", root.map { Census($0).elements } ?? 0))
                // The root is not a stanza.
                guard stanzas > 0 else { continue }
                let kept = try Parsing.streamKept(bytes, chunk: chunk)
                let dropped = try Parsing.stream(bytes, chunk: chunk)
                _ = try Self.agreed(
                    "stanzas of \(name)", [("kept", kept.count), ("dropped", dropped), ("corpus", stanzas)])
                results.append(("ours, stanzas, \(chunk)", 1 + kept.reduce(0) { $0 + Census($1).elements }))
            }
            return [name, "\(bytes.count)", "\(try Self.agreed("elements of \(name)", results))", "\(results.count)"]
        }
        bench.report.add(
            Section(
                "Results: the parsers" + bench.suffix, note: "How many elements all parsers found in the same bytes.",
                columns: ["input", "bytes", "elements", "parsers"], rows: rows))
    }

    // MARK: Trees

    /// Built and written trees have to be the same when they are read again.
    private func compareTrees() throws {
        let built = try Trees.build("m1", "o1").freeze()
        for peer in TreePeer.all {
            guard try Element(parsing: peer.builtText("m1", "o1")) == built else {
                throw PeerError(description: "\(peer.name) builds \(peer.builtText("m1", "o1")) instead of \(built)")
            }
            let documents = try peer.parse(bench.corpus.documents)
            for (element, handle) in zip(bench.elements, documents.handles) {
                let text = peer.text(of: handle)
                // pugixml drops text that is only white space, so the text is not compared.
                guard try Census(Element(stanza: text)) == Census(element) else {
                    throw PeerError(description: "\(peer.name) writes \(text) instead of \(element)")
                }
            }
        }
        for element in bench.elements {
            let bytes = element.xmlBytes(in: .clientStream)
            guard try Element(parsing: bytes, in: .clientStream) == element, element.copy() == element,
                element.thaw().freeze() == element
            else { throw PeerError(description: "not written, copied or thawed as it is: \(element)") }
        }
    }
}

/// How much there is in a tree.
struct Census: Equatable {
    var elements = 0
    var attributes = 0

    init(_ element: Element) {
        elements = 1
        attributes = element.attributes.count
        for child in element.children {
            let below = Census(child)
            elements += below.elements
            attributes += below.attributes
        }
    }
}
