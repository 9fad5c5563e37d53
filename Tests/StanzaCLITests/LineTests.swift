// The places where an input is cut: lines with a stanza each, of which a batch gives the same items as single lines,
// and the search for the ends of stanzas.

import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Lines")
struct LineTests {
    /// Texts that are not an element alone, among good ones, and texts that would be one together.
    private static let texts = [
        "<a/>", "<b>\\n</b>", "<c>", "</c>", "<c/><d/>", "", " <e/>", "<!-- --><f/>", "<g/> <!-- x -->", "<h/><!--",
        "--><i/>", "<j", "/>", "text", "<k/>text", "<?xml version='1.0'?><l/>", "<m/>", "<n><o/>", "</n><p/>",
        "\\ufeff<q/>",
    ]

    /// The reader's items for lines, with the number of the first line.
    private static func items(_ format: InputFormat, _ lines: [String], first: Int = 1) -> [String] {
        let offset = first == 1 ? 0 : 1_000
        let place = InputPlace(format: format, position: SourcePosition(line: first, column: 1, offset: offset))
        let reader = StanzaReader(ReadingSettings(), at: place)
        Array(lines.joined(separator: "\n").utf8).withUnsafeBytes { reader.feed($0) }
        reader.finish()
        var items: [String] = []
        while let item = reader.next() {
            switch item {
            case .stanza(let stanza, let position, _): items.append("\(position.line): \(stanza.xmlString())")
            case .problem(let problem): items.append("\(problem)")
            case .results(let results): items.append("\(results)")
            }
        }
        return items
    }

    @Test("give the same in a batch as alone")
    func batch() {
        for (first, second) in Self.texts.flatMap({ first in Self.texts.map { (first, $0) } }) {
            let json = [first, second, "<z/>"].map { "{\"xml\": \"\($0)\"}" }
            for (format, lines) in [
                (InputFormat.jsonl, json), (.lines, json), (.lines, [first, second, "{\"xml\": \"<y/>\"}", "<z/>"]),
            ] {
                let apart = lines.enumerated().flatMap { Self.items(format, [$1], first: $0 + 1) }
                #expect(Self.items(format, lines) == apart, "\(first) \(second)")
                #expect(apart.count == lines.count { !$0.isEmpty })
            }
        }
    }

    /// A bad line in a batch affects no other line, for any size of the batch.
    @Test("are read in batches of a bounded size")
    func batches() {
        var batch = LineBatch(context: .clientStream, limits: .stanza, allowsXML: true)
        func isFull(after text: String) -> Bool {
            Array(text.utf8).withUnsafeBytes { batch.add($0, at: .start) }
            return batch.isFull
        }
        let fill = (1...LineBatch.mostLines).map { isFull(after: "<a\($0)/>") }
        #expect(fill.firstIndex(of: true) == LineBatch.mostLines - 1)
        batch.read()
        var count = 0
        while batch.next() != nil { count += 1 }
        #expect(count == LineBatch.mostLines)
        let long = "<a k='\(String(repeating: "x", count: LineBatch.mostBytes - 12))'/>"
        #expect([isFull(after: long), isFull(after: "<b/>")] == [false, true])

        let shapes = ["<a/>", "{\"xml\": \"<b/>\"}", long, "<c>", "<d/>"]
        let lines = (0..<5 * LineBatch.mostLines).map { shapes[$0 % 97 < 4 ? $0 % 97 : 4] }
        let apart = lines.enumerated().flatMap { Self.items(.lines, [$1], first: $0 + 1) }
        #expect(apart.count == lines.count && apart.count { $0.contains("<d") } > 300)
        #expect(Self.items(.lines, lines) == apart)
    }
}

// The search for the ends of stanzas reads each byte once, even if a tag arrives in small pieces.
@Suite("The search for ends")
struct ScannerTests {
    private static func boundaries(_ text: String, pieceLength: Int) -> [Int] {
        let bytes = Array(text.utf8)
        let scanner = StanzaScanner(isStream: false)
        var boundaries: [Int] = []
        for end in stride(from: pieceLength, to: bytes.count, by: pieceLength) + [bytes.count] {
            bytes[..<end].withUnsafeBytes { scanner.scan($0) }
            if boundaries.last != scanner.boundary { boundaries.append(scanner.boundary) }
        }
        return boundaries
    }

    @Test(
        "finds the same in pieces",
        arguments: [
            "<a/>", "<a b='>' c=\"'>\"/>x<d>", "<a><b/></a><!-- > -- -> --><c/>", "<a><![CDATA[ ]> ]]></a><c/>",
            "<a><?pi > ?></a ><b/>", "<a b='\"'/><c d=\"'\"/>", "<!-><!--><a/>", "<a\n\tb='1234567890>'\nc='2'/>",
        ])
    func pieces(text: String) {
        let whole = Self.boundaries(text, pieceLength: text.utf8.count)
        for length in 1..<text.utf8.count {
            #expect(Self.boundaries(text, pieceLength: length).last == whole.last, "pieces of \(length)")
        }
    }

    /// A tag, a comment, a line without end: four times the bytes take four times as long, not sixteen times.
    @Test(
        "takes linear time",
        arguments: ["<a ", "<a b='", "</a ", "<!-- ", "<![CDATA[", "{\"xml\": \""])
    func linear(opening: String) {
        func work(_ count: Int) {
            var cutter = BlockCutter(ReadingSettings(maximumBytes: 1 << 30), blockLength: 64)
            Array(opening.utf8).withUnsafeBytes { cutter.add($0) }
            let piece = Array(repeating: UInt8(ascii: "x"), count: 64)
            var blocks = 0
            for _ in 0..<count {
                piece.withUnsafeBytes { cutter.add($0) }
                if cutter.cut() != nil { blocks += 1 }
            }
            #expect(blocks == 0)
        }
        let growth = growth(from: { work(2_000) }, to: { work(8_000) }, below: 10)
        #expect(growth < 10, "\(opening)")
    }
}
