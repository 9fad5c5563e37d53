// Bytes to trees: speed and memory, beside libxml2's bare parser and the trees of others.

import CLibXML2Peer
import Harness
import StanzaQuery

/// Our parser, driven as a client and as a tool drives it.
enum Parsing {
    /// The bytes that a network delivers at once.
    static let packet = 1_400

    /// Returns the number of stanzas, and drops them.
    @inline(never)
    static func stream(_ bytes: [UInt8], chunk: Int) throws -> Int {
        var count = 0
        try forEachElement(of: bytes, mode: .stream, chunk: chunk) { _ in count += 1 }
        return count
    }

    @inline(never)
    static func streamKept(_ bytes: [UInt8], chunk: Int) throws -> [Element] {
        var elements: [Element] = []
        try forEachElement(of: bytes, mode: .stream, chunk: chunk) { elements.append($0) }
        return elements
    }

    @inline(never)
    static func document(_ bytes: [UInt8], chunk: Int) throws -> Element? {
        var root: Element?
        try forEachElement(of: bytes, mode: .document, chunk: chunk) { root = $0 }
        return root
    }

    @inline(__always)
    private static func forEachElement(
        of bytes: [UInt8], mode: XMLStreamParser.Mode, chunk: Int, _ body: (Element) -> Void
    ) throws {
        var parser = XMLStreamParser(mode: mode)
        try bytes.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                parser.feed(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + chunk, bytes.count)]))
                while let event = try parser.next() {
                    if case .element(let element, _) = event { body(element) }
                }
            }
        }
        parser.finish()
        while let event = try parser.next() {
            if case .element(let element, _) = event { body(element) }
        }
    }

    /// libxml2's SAX2 parser, which makes no tree. Returns the number of elements.
    static func sax2(_ bytes: [UInt8], chunk: Int) -> Int {
        bytes.withUnsafeBytes { bytes in
            libxml2_sax_parse(bytes.bindMemory(to: CChar.self).baseAddress, bytes.count, chunk)
        }
    }

    /// Parsers of whole documents into trees, ours first. Each returns 1.
    static func treeContenders(_ bytes: [UInt8]) -> [Contender] {
        [Contender("ours") { try document(bytes, chunk: bytes.count) == nil ? 0 : 1 }]
            + Peer.all.map { peer in
                Contender(peer.name) {
                    let handle = peer.parse(bytes)
                    defer { peer.free(handle) }
                    return handle == nil ? 0 : 1
                }
            }
    }
}

struct ParsingSuite {
    let bench: Bench
    /// Stanzas without indentation: less memory for each element, and more markup for each byte.
    let session: Bench

    func run() throws {
        let examples = try addSpeed(bench)
        let recorded = try addSpeed(session)
        let other = try addNonASCII()
        let small = try addSmallElements()
        _ = try addMemory(bench)
        let memory = try addMemory(session)
        let report = bench.report
        let pieces = "parsing in pieces of 1,400 bytes"
        report.add(Goal("\(pieces)\(session.suffix): × libxml2's SAX2", .atLeast(2.1, recorded.inPieces)))
        report.add(
            Goal("\(pieces), examples of the specifications: × libxml2's SAX2", .atLeast(1.75, examples.inPieces)))
        report.add(
            Goal(
                "parsing one large document, the slower of both corpora: × libxml2's SAX2",
                .atLeast(2.4, min(examples.document, recorded.document))))
        report.add(Goal("\(pieces), text that is not ASCII: × libxml2's SAX2", .atLeast(1.75, other)))
        report.add(Goal("parsing 10,000 elements of ten bytes: × pugixml", .atMost(2.3, small)))
        report.add(
            Goal(
                "memory\(session.suffix): a tree per stanza, and one document",
                .atMost(115, memory[0], "bytes per element"), .atMost(85, memory[1], "bytes per element")))
    }

    /// Returns our speeds as multiples of libxml2's.
    private func addSpeed(_ bench: Bench) throws -> (inPieces: Double, document: Double) {
        let stream = bench.corpus.stream
        let document = bench.corpus.largeDocument
        // AgreementSuite.swift has compared their results.
        let streamed = [
            Contender("libxml2 SAX2, 1,400 bytes") { Parsing.sax2(stream, chunk: Parsing.packet) },
            Contender("ours, stanzas dropped, 1,400 bytes") { try Parsing.stream(stream, chunk: Parsing.packet) },
            Contender("ours, stanzas kept, 1,400 bytes") {
                try Parsing.streamKept(stream, chunk: Parsing.packet).count
            },
        ]
        let whole =
            [Contender("libxml2 SAX2") { Parsing.sax2(document, chunk: document.count) }]
            + Parsing.treeContenders(document)
        func speeds(_ contenders: [Contender], _ bytes: [UInt8]) throws -> [Double] {
            try bench.stopwatch.time("parsing" + bench.suffix, agreeing: false, contenders)
                .map { Double(bytes.count) / $0 * 1e3 }
        }
        // The ratios are those of the same input.
        let inputs = [try speeds(streamed, stream), try speeds(whole, document)]
        let names = streamed.map(\.name) + whole.map { $0.name + ", one document" }
        let cells = inputs.flatMap { $0.cells(best: $0.max()) }
        let ratios = inputs.flatMap { speeds in speeds.map { $0 / speeds[0] } }
        bench.report.add(
            Section(
                "Parsing" + bench.suffix,
                note:
                    "A stream of \(stream.count) bytes, and a document of \(document.count) bytes. All but SAX2, whose "
                    + "handlers only count, make trees. pugixml checks no names.",
                columns: ["parser", "MB/s", "× SAX2 of the same input"],
                rows: names.indices.map { [names[$0], cells[$0], ratios[$0].short] }))
        return (ratios[1], ratios[4])
    }

    /// Messages in languages with other alphabets.
    private func addNonASCII() throws -> Double {
        let texts = [
            "Привет, как дела? Увидимся вечером.", "こんにちは、元気ですか。今晩会いましょう。", "Ça va bien, à bientôt, bonne soirée.",
        ]
        let messages = (0..<3_000).map { number in
            "<message id='m\(number)' type='chat'><body>\(texts[number % texts.count])</body></message>"
        }
        let stream = Corpus.stream(of: messages.joined(separator: "\n"))
        let speeds = try bench.stopwatch.time(
            "parsing text that is not ASCII", agreeing: false,
            [
                Contender("ours") { try Parsing.stream(stream, chunk: Parsing.packet) },
                Contender("libxml2 SAX2") { Parsing.sax2(stream, chunk: Parsing.packet) },
            ]
        ).map { Double(stream.count) / $0 * 1e3 }
        bench.report.add(
            Section(
                "Parsing text that is not ASCII",
                note: "MB/s of a stream of \(stream.count) bytes in pieces of 1,400 bytes, stanzas dropped.",
                columns: ["ours", "libxml2 SAX2"], rows: [speeds.cells(best: speeds.max())]))
        return speeds[0] / speeds[1]
    }

    /// Returns our time for most elements as a multiple of pugixml's.
    private func addSmallElements() throws -> Double {
        var rows: [[String]] = []
        var ratio = Double.nan
        for size in [10, 100, 1_000, 10_000] {
            let bytes = Array(Trees.text(of: size).utf8)
            let times = try bench.stopwatch.time(
                "\(size) small elements", per: size, Parsing.treeContenders(bytes))
            ratio = times[0] / times[1]
            rows.append(["\(size)"] + times.cells(best: times.min()))
        }
        bench.report.add(
            Section(
                "Parsing small elements",
                note: "Nanoseconds per element of ten bytes: bytes → tree, and letting it go.",
                columns: ["elements", "ours"] + Peer.all.map(\.name), rows: rows))
        return ratio
    }

    /// Returns bytes per element: of a tree per stanza, and of one document.
    private func addMemory(_ bench: Bench) throws -> [Double] {
        let stream = bench.corpus.stream
        let elementCount = Parsing.sax2(stream, chunk: Parsing.packet) - 1
        var arrayBytes = 0
        let trees = try Counter.bytes {
            let elements = try Parsing.streamKept(stream, chunk: Parsing.packet)
            arrayBytes = elements.capacity * MemoryLayout<Element>.stride
            return elements
        }
        let document = try Counter.bytes { try Parsing.document(stream, chunk: Parsing.packet) }
        let peers = Peer.all.map { peer in
            var handle: Peer.Handle?
            defer { peer.free(handle) }
            // libxml2's context keeps the last input: the measured parse replaces one of the same length.
            peer.free(peer.parse(stream))
            return Counter.bytes { handle = peer.parse(stream) }
        }
        let names = ["ours, a tree per stanza", "ours, one document"] + Peer.all.map { $0.name + ", one document" }
        let values = ([trees - arrayBytes, document] + peers).map { Double($0) / Double(elementCount) }
        bench.report.add(
            Section(
                "Memory" + bench.suffix,
                note: "Bytes per element that stay allocated, names and text included: \(elementCount) elements, "
                    + "\(stream.count / elementCount) bytes of XML each.",
                columns: ["tree", "bytes per element"],
                rows: zip(names, values.cells(best: values.min())).map { [$0, $1] }))
        return values
    }
}
