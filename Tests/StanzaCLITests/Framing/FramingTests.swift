// Framing by examples: places between stanzas, headers, mistakes, and its memory and time.

import TestSupport
import Testing
import XMLTree

@testable import StanzaCLI

@Suite("Framing") struct FramingTests {
    /// Frames a text in pieces, and drops complete stanzas.
    private static func frame(
        _ text: String, isStream: Bool, pieces: Int = .max
    ) -> (stops: [Framing.Stop], header: Range<Int>?, isLost: Bool, rest: Int) {
        var framing = Framing(isStream: isStream)
        var (stops, header): ([Framing.Stop], Range<Int>?) = ([], nil)
        var dropped = 0
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            rest.prefix(pieces).withUnsafeBytes { framing.feed($0) }
            rest = rest.dropFirst(pieces)
            if let tag = framing.header { header = tag.lowerBound + dropped..<tag.upperBound + dropped }
            stops += framing.stops.map { Framing.Stop(end: $0.end + dropped, depth: $0.depth) }
            let end = framing.stops.last?.end ?? 0
            framing.drop(end)
            dropped += end
        }
        return (stops, header, framing.isLost, framing.count)
    }

    /// Text that pushes the following text into another block.
    private static let long = "<a b='c'>text</a>" * 300

    @Test("counts exactly above the limit of the depth", arguments: 0..<32)
    func exactDepth(offset: Int) {
        let names = ["a", "b", "c", "d"].map { $0 + String(repeating: "x", count: 13) }
        let (starts, ends) = (names.map { "<\($0)>" }, names.reversed().map { "</\($0)>" })
        let stanza = starts.joined() + String(repeating: "<x/>", count: 6) + ends.joined()
        for (limit, depths) in [(3, 5...5), (4, 5...5), (5, 5...5), (6, 5...6), (100, 5...13)] {
            var framing = Framing(isStream: false, depth: limit)
            (String(repeating: " ", count: offset) + stanza + "<end/>").utf8.withContiguousStorageIfAvailable {
                framing.feed(UnsafeRawBufferPointer($0))
            }
            let depth = framing.stops.first?.depth ?? 0
            #expect(depths.contains(depth), "\(depth), limit \(limit)")
        }
    }

    /// 32 bytes that begin with the end of an element have eight more starts than elements that are open at once.
    @Test("reports at most eight elements too many", arguments: 0..<32)
    func mostTooDeep(offset: Int) {
        let found = Self.frame(
            " " * offset + "<a>" * 40 + "<a/>" * 40 + "</a>" * 40 + "<end/>", isStream: false)
        #expect(41...49 ~= found.stops.first?.depth ?? 0)
    }

    /// As many as no well-formed input has: the counts of a word do not wrap.
    @Test("counts each tag of 32 bytes", arguments: ["<a", "</"])
    func crowded(tag: String) {
        for offset in 0..<32 {
            let found = Self.frame(
                " " * offset + "<a>" * 40 + tag * 16 + ">" * 16 + "</a>" * 40 + Self.long, isStream: false)
            // Sixteen more elements stay open, or as many end tags are too many.
            #expect(tag == "</" ? found.isLost : found.stops.isEmpty, "\(offset)")
        }
    }

    @Test("finds the header of a stream, and cuts a nested one like any other", arguments: [1, 10, 10_000])
    func header(pieces: Int) {
        let found = Self.frame("<?xml version='1.0'?>\n<s a='>'>  <a/>\n<b/>", isStream: true, pieces: pieces)
        #expect(found.header == 22..<31)
        #expect(found.stops.map(\.end) == [37, 42])
        let nested = Self.frame("<s><a/><s><b/></s><c/>", isStream: true, pieces: pieces)
        #expect(nested.stops.map(\.end) == [7, 18, 22] && nested.stops.map(\.depth) == [1, 2, 1])
    }

    @Test(
        "stops where a parser of a stream fails or ends",
        arguments: [
            "</s>", "</s><s><a/>", "<!-- --><a/>", "<?p ?><a/>", "<?xml version='1.0'?><s>", "<![CDATA[ ]]><a/>",
            "<!DOCTYPE s><a/>", "<a <b/>", "<a b='<'/>", "</a b='>'>", "<!x><a/>", "<a><!-- --></a>",
        ])
    func lostStream(text: String) {
        for before in ["", Self.long] {
            for pieces in [1, 10, 10_000] {
                let found = Self.frame("<s>" + before + text + Self.long, isStream: true, pieces: pieces)
                #expect(found.isLost && found.stops.count == (before.isEmpty ? 0 : 300))
            }
        }
        #expect(Self.frame("<s/><a/>", isStream: true).isLost)
        guard ["</s>", "<a <b/>", "<!DOCTYPE s><a/>", "<![CDATA[ ]]><a/>"].contains(text) else { return }
        for before in ["", Self.long] {
            let found = Self.frame(before + text + Self.long, isStream: false)
            #expect(found.isLost && found.stops.count == (before.isEmpty ? 0 : 300))
        }
        #expect(Self.frame("<!-- -- -->" + Self.long, isStream: false).isLost)
    }

    @Test("keeps only the open stanza")
    func memory() {
        var framing = Framing(isStream: false)
        let piece = Array(Self.long.utf8)
        var most = 0
        for number in 0..<2_000 {
            if number.isMultiple(of: 2) {
                piece.withUnsafeBytes { framing.feed($0) }
            } else {
                framing.room(piece.count).copyBytes(from: piece)
                framing.feed(written: piece.count)
            }
            framing.drop(framing.stops.last?.end ?? 0)
            most = max(most, framing.capacity)
        }
        let kept = framing.count
        #expect(kept == 0)
        #expect(most <= 4 * piece.count)
    }

    /// A tag, a comment, text without end: four times the bytes take four times as long, not sixteen times.
    @Test("takes linear time", arguments: ["<a ", "<a b='", "</a ", "<!-- ", "<?p ", "<a><![CDATA[", "<a>", "<a>>"])
    func linear(opening: String) {
        func work(_ count: Int) {
            var framing = Framing(isStream: false)
            Array(opening.utf8).withUnsafeBytes { framing.feed($0) }
            let piece = Array(repeating: UInt8(ascii: "x"), count: 64)
            for _ in 0..<count { piece.withUnsafeBytes { framing.feed($0) } }
            let (stops, isLost) = (framing.stops, framing.isLost)
            #expect(stops.isEmpty)
            #expect(!isLost)
        }
        let growth = growth(from: { work(2_000) }, to: { work(8_000) }, below: 10)
        #expect(growth < 10, "\(opening)")
    }
}
