// The search for the ends of stanzas: it reads each byte once, even if a tag arrives in small pieces.

import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

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
