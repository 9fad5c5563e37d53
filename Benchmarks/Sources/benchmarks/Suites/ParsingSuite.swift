// Bytes to trees: speed and memory, beside libxml2's bare parser and the trees of others.

import CExpatPeer
import CLibXML2Peer
import CPugiXMLPeer
import StanzaQuery

/// Our parser, driven as a client and as a tool drives it. Each counts the trees it got.
enum Parsing {
    /// The bytes that a network delivers at once.
    static let packet = 1_400

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

    /// A document that is one token. Names may be as long as that.
    static func token(_ bytes: [UInt8], chunk: Int) throws -> Int {
        var count = 0
        let limits = ParserLimits(bytes: ParserLimits.documentBytes, nameLength: ParserLimits.documentBytes)
        try forEachElement(of: bytes, mode: .document, chunk: chunk, limits: limits) { _ in count += 1 }
        return count
    }

    @inline(__always)
    private static func forEachElement(
        of bytes: [UInt8], mode: XMLStreamParser.Mode, chunk: Int, limits: ParserLimits? = nil,
        _ body: (Element) -> Void
    ) throws {
        var parser = XMLStreamParser(mode: mode, limits: limits)
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

    static func libxml2Events(_ bytes: [UInt8], chunk: Int) -> Int {
        bytes.withUnsafeBytes { bytes in
            Int(libxml2_sax_parse(bytes.bindMemory(to: CChar.self).baseAddress, bytes.count, chunk))
        }
    }

    static func libxml2Elements(_ bytes: [UInt8], chunk: Int) -> Int {
        bytes.withUnsafeBytes { bytes in
            libxml2_sax_count(bytes.bindMemory(to: CChar.self).baseAddress, bytes.count, chunk)
        }
    }

    static func expatEvents(_ bytes: [UInt8], chunk: Int) -> Int {
        bytes.withUnsafeBytes { bytes in
            Int(expat_parse(bytes.bindMemory(to: CChar.self).baseAddress, bytes.count, chunk))
        }
    }

    static func libxml2Tree(_ bytes: [UInt8]) -> UnsafeMutableRawPointer? {
        bytes.withUnsafeBytes { libxml2_document_parse($0.bindMemory(to: CChar.self).baseAddress, $0.count) }
    }

    static func pugixmlTree(_ bytes: [UInt8]) -> UnsafeMutableRawPointer? {
        bytes.withUnsafeBytes { pugixml_document_parse($0.bindMemory(to: CChar.self).baseAddress, $0.count) }
    }
}

/// The goals of parsing a corpus. Elements without indentation need less memory, and have more markup for each byte.
struct ParsingGoals {
    /// Speed as a multiple of libxml2's SAX2.
    var inPieces, asWhole, oneDocument: Double
    /// Bytes per element.
    var treePerStanza, treeOfDocument: Double

    static let specifications = ParsingGoals(
        inPieces: 1.75, asWhole: 1.75, oneDocument: 2.4, treePerStanza: 120, treeOfDocument: 105)
    static let session = ParsingGoals(
        inPieces: 2.1, asWhole: 2.1, oneDocument: 2.4, treePerStanza: 115, treeOfDocument: 85)
}

struct ParsingSuite {
    let bench: Bench
    let goals: ParsingGoals

    func run() throws {
        try addSpeed()
        try addNonASCII()
        try addMemory()
        try addChunkSizes()
        try addLongTokens()
    }

    /// What depends on indentation, on stanzas without any.
    func runOnSession() throws {
        try addSpeed()
        try addMemory()
    }

    private func addSpeed() throws {
        let stream = bench.corpus.stream
        let document = Self.largeDocument(bench.corpus)
        // AgreementSuite.swift has compared their results.
        let streamed = try bench.stopwatch.time(
            "parsing a stream" + bench.suffix, agreeing: false,
            [
                Contender("libxml2 SAX2, empty handlers, 1,400 bytes") {
                    Parsing.libxml2Events(stream, chunk: Parsing.packet)
                },
                Contender("ours, stanzas dropped, 1,400 bytes") {
                    try Parsing.stream(stream, chunk: Parsing.packet)
                },
                Contender("ours, stanzas kept, 1,400 bytes") {
                    try Parsing.streamKept(stream, chunk: Parsing.packet).count
                },
                Contender("expat, empty handlers, 1,400 bytes") {
                    Parsing.expatEvents(stream, chunk: Parsing.packet)
                },
                Contender("libxml2 SAX2, empty handlers, whole") { Parsing.libxml2Events(stream, chunk: stream.count) },
                Contender("ours, stanzas dropped, whole") { try Parsing.stream(stream, chunk: stream.count) },
                Contender("expat, empty handlers, whole") { Parsing.expatEvents(stream, chunk: stream.count) },
            ])
        let whole = try bench.stopwatch.time(
            "parsing a document" + bench.suffix, agreeing: false,
            [
                Contender("libxml2 SAX2, empty handlers, one document") {
                    Parsing.libxml2Events(document, chunk: document.count)
                },
                Contender("ours, one document") {
                    try Parsing.document(document, chunk: document.count) == nil ? 0 : 1
                },
                Contender("ours, one document, 1,400 bytes") {
                    try Parsing.document(document, chunk: Parsing.packet) == nil ? 0 : 1
                },
                Contender("libxml2 tree, one document") {
                    libxml2_document_free(Parsing.libxml2Tree(document))
                    return 1
                },
                Contender("pugixml tree, one document") {
                    pugixml_document_free(Parsing.pugixmlTree(document))
                    return 1
                },
                Contender("FoundationXML tree, one document") { try FoundationDocuments.parse(document) },
            ])
        let speeds =
            streamed.map { (name: $0.name, value: Double(stream.count) / $0.nanoseconds * 1e3) }
            + whole.map { (name: $0.name, value: Double(document.count) / $0.nanoseconds * 1e3) }
        bench.report.add(
            Section(
                "Parsing" + bench.suffix,
                note: "A stream of \(stream.count) bytes, and a document of \(document.count) bytes.",
                columns: ["parser", "MB/s", "× SAX2 of the same input"],
                rows: speeds.enumerated().map { index, speed in
                    let base = speeds[index < 4 ? 0 : index < 7 ? 4 : 7].value
                    return [speed.name, speed.value.short, (speed.value / base).short]
                },
                plot: .bars(unit: "MB/s", values: speeds)))
        let report = bench.report
        report.add(
            .atLeast(
                goals.inPieces,
                "parsing, stanzas consumed as they come\(bench.suffix): × libxml2's SAX2, 1,400 bytes",
                speeds[1].value / speeds[0].value))
        report.add(
            .atLeast(
                goals.asWhole, "parsing, stanzas consumed, fed as a whole\(bench.suffix): × libxml2's SAX2",
                speeds[5].value / speeds[4].value))
        report.add(
            .atLeast(
                goals.oneDocument, "parsing one large document\(bench.suffix): × libxml2's SAX2",
                speeds[8].value / speeds[7].value))
    }

    /// Messages in languages with other alphabets.
    private func addNonASCII() throws {
        let texts = [
            "Привет, как дела? Увидимся вечером.", "こんにちは、元気ですか。今晩会いましょう。", "Ça va bien, à bientôt, bonne soirée.",
        ]
        let messages = (0..<3_000).map { number in
            "<message id='m\(number)' type='chat'><body>\(texts[number % texts.count])</body></message>"
        }
        let stream = Array((Corpus.streamStart + messages.joined(separator: "\n") + Corpus.streamEnd).utf8)
        let timings = try bench.stopwatch.time(
            "parsing text that is not ASCII", agreeing: false,
            [
                Contender("libxml2 SAX2, empty handlers") { Parsing.libxml2Events(stream, chunk: Parsing.packet) },
                Contender("expat, empty handlers") { Parsing.expatEvents(stream, chunk: Parsing.packet) },
                Contender("ours") { try Parsing.stream(stream, chunk: Parsing.packet) },
            ])
        bench.report.add(
            Section(
                "Parsing text that is not ASCII", note: "A stream of \(stream.count) bytes in pieces of 1,400.",
                columns: ["parser", "MB/s"],
                rows: timings.map { [$0.name, (Double(stream.count) / $0.nanoseconds * 1e3).short] }))
        bench.report.add(
            .atLeast(
                1.75, "parsing text that is not ASCII: × libxml2's SAX2, 1,400 bytes",
                timings[0].nanoseconds / timings[2].nanoseconds))
    }

    /// The stream several times over, under one root.
    static func largeDocument(_ corpus: Corpus) -> [UInt8] {
        let content = corpus.stanzas.joined(separator: "\n")
        return Array((Corpus.streamStart + String(repeating: content, count: 4) + Corpus.streamEnd).utf8)
    }

    private func addMemory() throws {
        let stream = bench.corpus.stream
        let elementCount = try PeerDocuments.libxml2(bench.corpus.documents).elementCount - bench.elements.count
        func perElement(_ bytes: Int) -> Double { Double(bytes) / Double(elementCount) }

        var arrayBytes = 0
        let trees = try Counter.bytes {
            let elements = try Parsing.streamKept(stream, chunk: Parsing.packet)
            arrayBytes = elements.capacity * MemoryLayout<Element>.stride
            return elements
        }
        let document = try Counter.bytes { try Parsing.document(stream, chunk: Parsing.packet) }
        var handle: UnsafeMutableRawPointer?
        let libxml2 = Counter.bytes { handle = Parsing.libxml2Tree(stream) }
        libxml2_document_free(handle)
        let pugixml = Counter.bytes { handle = Parsing.pugixmlTree(stream) }
        pugixml_document_free(handle)

        let rows: [(String, Double)] = [
            ("ours, a tree per stanza", perElement(trees - arrayBytes)),
            ("ours, one document", perElement(document)),
            ("pugixml, one document", perElement(pugixml)),
            ("libxml2, one document", perElement(libxml2)),
        ]
        bench.report.add(
            Section(
                "Memory" + bench.suffix,
                note: "Bytes per element that stay allocated, names and text included: \(elementCount) elements, "
                    + "\(stream.count / elementCount) bytes of XML each.",
                columns: ["tree", "bytes per element"], rows: rows.map { [$0.0, $0.1.short] },
                plot: .bars(unit: "bytes per element", values: rows.map { ($0.0, $0.1) })))
        bench.report.add(
            .atMost(
                goals.treePerStanza, "memory, a tree per stanza\(bench.suffix)", rows[0].1, unit: "bytes per element"))
        bench.report.add(
            .atMost(
                goals.treeOfDocument, "memory, one document\(bench.suffix)", rows[1].1, unit: "bytes per element"))
    }

    private func addChunkSizes() throws {
        let stream = bench.corpus.stream
        let sizes = [16, 64, 256, 1_024, 1_400, 4_096, 16_384, 65_536]
        var ours: [(x: Double, y: Double)] = []
        var theirs: [(x: Double, y: Double)] = []
        for size in sizes {
            let timings = try bench.stopwatch.time(
                "chunks of \(size)", agreeing: false,
                [
                    Contender("ours") { try Parsing.stream(stream, chunk: size) },
                    Contender("libxml2 SAX2") { Parsing.libxml2Events(stream, chunk: size) },
                ])
            ours.append((Double(size), Double(stream.count) / timings[0].nanoseconds * 1e3))
            theirs.append((Double(size), Double(stream.count) / timings[1].nanoseconds * 1e3))
        }
        bench.report.add(
            .atLeast(0.45, "parsing in pieces of 16 bytes: × libxml2's SAX2", ours[0].y / theirs[0].y))
        bench.report.add(
            Section(
                "Parsing in pieces", note: "MB/s for pieces of that many bytes.",
                columns: ["bytes", "ours", "libxml2 SAX2"],
                rows: zip(ours, theirs).map { ["\(Int($0.x))", $0.y.short, $1.y.short] },
                plot: .lines(x: "bytes", y: "MB/s", series: [("ours", ours), ("libxml2 SAX2", theirs)])))
    }

    /// Long tokens in small pieces: sixteen times as many bytes must not take longer for each.
    private func addLongTokens() throws {
        func tokens(_ length: Int) -> [(name: String, text: String)] {
            let x = String(repeating: "x", count: length)
            return [
                ("text", "<m>\(x)</m>"), ("an attribute's value", "<m a='\(x)'/>"), ("a start tag", "<m\(x)/>"),
                ("an end tag", "<m></m\(x.replacing("x", with: " "))>"), ("a comment", "<m><!--\(x)--></m>"),
                ("a CDATA section", "<m><![CDATA[\(x)]]></m>"), ("an instruction", "<m><?p \(x)?></m>"),
            ]
        }
        var rows: [[String]] = []
        var growth = 0.0
        for (short, long) in zip(tokens(1 << 16), tokens(1 << 20)) {
            let inputs = [Array(short.text.utf8), Array(long.text.utf8)]
            let timings = try bench.stopwatch.time(
                "\(long.name) of a megabyte", agreeing: false,
                zip(["64 KiB", "1 MiB"], inputs).map { name, bytes in
                    Contender(name) { try Parsing.token(bytes, chunk: 7) }
                })
            let perByte = zip(timings, inputs).map { $0.nanoseconds / Double($1.count) }
            rows.append([long.name] + perByte.map(\.short))
            growth = max(growth, perByte[1] / perByte[0])
        }
        bench.report.add(
            Section(
                "Long tokens in small pieces", note: "Nanoseconds for each byte of a token in pieces of seven bytes.",
                columns: ["token", "64 KiB", "1 MiB"], rows: rows))
        bench.report.add(.atMost(1.5, "a token of 1 MiB in pieces of 7 bytes: × one of 64 KiB, for each byte", growth))
    }
}
