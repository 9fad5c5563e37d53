// Before the timing, all parsers and trees have to give the same. The stopwatch compares the results of queries.

import Harness
import StanzaQuery

struct AgreementSuite {
    let bench: Bench

    func run() throws {
        try compareParsers()
        try compareTrees()
    }

    /// The number of elements in the same bytes.
    private func compareParsers() throws {
        let inputs: [([UInt8], Int?)] = [
            (bench.corpus.stream, bench.elements.count), (bench.corpus.largeDocument, nil),
        ]
        for (bytes, stanzas) in inputs {
            var results = [("libxml2 SAX2", Parsing.sax2(bytes, chunk: Parsing.packet))]
            for chunk in [Parsing.packet, bytes.count] {
                let root = try Parsing.document(bytes, chunk: chunk)
                results.append(("ours, one document, \(chunk)", root.map { Census($0).elements } ?? 0))
                guard let stanzas else { continue }
                let kept = try Parsing.streamKept(bytes, chunk: chunk)
                let dropped = try Parsing.stream(bytes, chunk: chunk)
                _ = try Stopwatch.agreed(
                    "stanzas", [("kept", kept.count), ("dropped", dropped), ("corpus", stanzas)])
                // The root is not a stanza.
                results.append(("ours, stanzas, \(chunk)", 1 + kept.reduce(0) { $0 + Census($1).elements }))
            }
            _ = try Stopwatch.agreed("elements", results)
        }
    }

    /// Trees that peers build and write have to be ours when we read them.
    private func compareTrees() throws {
        let built = try Trees.build().freeze()
        for peer in Peer.all {
            guard try Element(parsing: peer.builtText()) == built else {
                throw BenchmarkError("\(peer.name) builds \(peer.builtText()) instead of \(built)")
            }
            let documents = try PeerDocuments(bench.corpus.documents, peer)
            for (element, handle) in zip(bench.elements, documents.handles) {
                let text = peer.text(of: handle)
                // pugixml drops text that is only white space, so the text is not compared.
                guard try Census(Element(stanza: text)) == Census(element) else {
                    throw BenchmarkError("\(peer.name) writes \(text) instead of \(element)")
                }
            }
        }
    }
}

/// How much there is in a tree.
struct Census: Equatable {
    var elements = 1
    var attributes: Int

    init(_ element: Element) {
        attributes = element.attributes.count
        for child in element.children {
            let below = Census(child)
            elements += below.elements
            attributes += below.attributes
        }
    }
}
