// The cost of attacks under the default limits, in memory and in time. ParserLimitsTests.swift tests each limit,
// ParserErrorsTests.swift tests entities.
//
// STANZA_HOSTILE=large enables sizes that take minutes (.ci/long).

import Foundation
import TestSupport
import Testing

@testable import XMLTree

@Suite(.serialized) struct HostileInputTests {
    private static let isLarge = ProcessInfo.processInfo.environment["STANZA_HOSTILE"] == "large"

    /// Openings of markup, each with the filler that continues it without end.
    private static let endless: [(mode: XMLStreamParser.Mode, opening: String, filler: String)] = [
        (.stream, "<a>", "x"), (.stream, "<a>", "<b>"), (.stream, "<a>", "<b/>"), (.stream, "<a>", "<b>x</b>"),
        (.stream, "<a>", "&amp;"),
        (.stream, "<a>", "]"), (.stream, "<a><![CDATA[", "]] "), (.stream, "<a><![CDATA[", "<&"),
        (.stream, "<a><![CDATA[", "> "), (.document, "<a><![CDATA[", "]> "),
        (.stream, "<a>", "<![CDATA[x]]>"), (.stream, "<a b='", "> "), (.stream, "<a b='", "&lt;"),
        (.stream, "<a ", " "), (.stream, "<a", "x"), (.stream, "<a b='", "\u{20AC}"), (.stream, "<a>", "\r\n"),
        (.stream, "", "&#32;<a/>"), (.fragments(in: .clientStream), "", "<?xml?><a/>"),
        (.stream, "<a>&", "x"), (.stream, "<a>&#", "0"), (.stream, "<a></a", " "),
        (.stream, "<a></", "'"), (.document, "<a></a", "\""), (.stream, "<a></a '", "> "), (.stream, "<a></a", "\r"),
        (.document, "<a></a", "'>'"),
        (.document, "<a><!-- ", "- "), (.document, "<a><?x ", "? "), (.document, "<!DOCTYPE a [ ", "<!ENTITY b 'c'>"),
        (.document, "<a><!-- ", "> "), (.document, "<a><?x ", "> "), (.document, "<!-- ", "> "),
        (.document, "<!-", "x"), (.document, "<!x '", "> "), (.document, "<!x [", "> "),
        (.document, "<!x ", "'>' "), (.document, "<!Dx '", "> "), (.document, "<!DOCTYPEx '", "> "),
        (.document, "<?x ", "> "), (.document, "<a/><!-- ", "> "), (.document, "<!DOCTYPE a ", "'>' "),
        (.document, "<!DOCTYPE a [ <!ENTITY b '", "> "), (.document, "<!DOCTYPE a [ ", "<?x ]> ' ?>"),
        (.document, "", "<!-- > -->"), (.document, "<a/>", "<?x ?> "), (.stream, "<?xml ", "> "),
        (.document, "<?xml version='<", "a"), (.document, "<?xml version='?>", "a"),
        (.document, "<?xml version='", "a?"),
        (.fragments(in: .clientStream), "<!-- ", "> "), (.fragments(in: .clientStream), "<a><?x ", "> "),
        (.fragments(in: .clientStream), "<", "<"), (.fragments(in: .clientStream), "<a b='", "\n<"),
        (.fragments(in: .clientStream), "x", "\n<\u{1}"), (.fragments(in: .clientStream), "", "<a></b>\n"),
    ]

    /// The parser skips an endless stanza after the first limit, and refuses it soon after the second one, however
    /// small its pieces are. A sixth of the openings, another one for each seed.
    @Test func nothingGrowsBeyondTheLimit() {
        let stanzas = Self.endless.filter { $0.mode == .stream && !$0.opening.isEmpty }
        let part = Self.isLarge ? 1 : 6
        let first = Int(SeededGenerator.seed % UInt64(part))
        for (mode, opening, filler) in stride(from: first, to: stanzas.count, by: part).map({ stanzas[$0] }) {
            let most = 2 * ParserLimits.stanzaBytes
            var parser = XMLStreamParser(mode: mode, limits: ParserLimits(skippedBytes: most))
            parser.feed(header + opening)
            let piece = Array(String(repeating: filler, count: 4096 / filler.utf8.count).utf8)
            var fed = 0
            var isRefused = false
            var largest = 0
            while fed < 2 * most, !isRefused {
                parser.feed(piece)
                fed += piece.count
                largest = max(largest, parser.bufferCapacity + parser.inputCapacity)
                if fed > ParserLimits.stanzaBytes + piece.count {
                    let kept = parser.bufferCapacity + parser.inputCapacity
                    #expect(kept < 1 << 17, "\(opening)\(filler)… holds \(kept) bytes of a skipped stanza")
                }
                do { while try parser.next() != nil {} } catch { isRefused = true }
            }
            #expect(isRefused && fed <= most + piece.count, "\(opening)\(filler)… after \(fed)")
            #expect(largest <= 8 * ParserLimits.stanzaBytes, "\(opening)\(filler)… holds \(largest) bytes")
        }
    }

    /// Without a limit of depth, the limit of elements applies: memory and time grow with the number of elements only.
    @Test func depthHasItsPrice() {
        let limits = ParserLimits(depth: .max)
        var parser = XMLStreamParser(mode: .stream, limits: limits)
        parser.feed(header)
        let piece = Array(String(repeating: "<b>", count: 1 << 10).utf8)
        var depth = 0
        var lines = Transcript()
        while depth <= 2 * ParserLimits.stanzaElements {
            parser.feed(piece)
            depth += 1 << 10
            lines.drain(&parser)
            let capacity = parser.bufferCapacity
            #expect(capacity <= 128 * depth + 1 << 14, "\(capacity) bytes at \(depth)")
            #expect(depth <= ParserLimits.stanzaElements || capacity < 1 << 14)
        }
        parser.feed(String(repeating: "</b>", count: depth))
        lines.drain(&parser)
        #expect(lines.lines.last == "rejected elements 1:\(header.utf8.count + 1)@\(header.utf8.count) b")
        let (short, long) = (Self.text("", "<b>", 1 << 13), Self.text("", "<b>", 1 << 16))
        let growth = growth(
            from: { _ = transcript(short, .stream, behind: header, limits: limits) },
            to: { _ = transcript(long, .stream, behind: header, limits: limits) }, below: 30)
        #expect(growth < 30)
    }

    /// Eight times the input takes about eight times as long, not sixty-four times, in single bytes and in pieces. A
    /// short run takes one of both for each opening, and the other one with the next seed.
    @Test(arguments: endless.indices)
    func timeIsLinear(_ index: Int) {
        let (mode, opening, filler) = Self.endless[index]
        // The parser holds most of the input back, which takes longer for each byte than the opening.
        let sizes = [(1, 1 << 12), (1000, 1 << 14)]
        let first = (index + Int(SeededGenerator.seed % 2)) % 2
        for (chunk, least) in Self.isLarge ? sizes[...] : sizes[first...first] {
            let small = Self.isLarge ? 1 << 17 : least
            let (short, long) = (input(mode, opening, filler, small), input(mode, opening, filler, 8 * small))
            let growth = growth(
                from: { readAll(short, mode, chunk: chunk) }, to: { readAll(long, mode, chunk: chunk) }, below: 30)
            #expect(growth < 30, "\(opening)\(filler)… in \(chunk)")
        }
    }

    /// The same before a stream's header, from a peer that has not yet identified itself.
    @Test(arguments: [
        ("<!x '", "> "), ("<!-x '", "> "), ("<!Dx '", "> "), ("<!DOCTYPEx '", "> "), ("<![CDATA[", "> "),
        ("<!-- ", "> "), ("<?x ", "> "), ("", "\n"),
    ])
    func timeIsLinearBeforeTheHeader(_ opening: String, _ filler: String) {
        let small = Self.isLarge ? 1 << 17 : 1 << 13
        let (short, long) = (Self.text(opening, filler, small), Self.text(opening, filler, 8 * small))
        for chunk in [1, 100] {
            let growth = growth(
                from: { readAll(short, .stream, chunk: chunk) }, to: { readAll(long, .stream, chunk: chunk) },
                below: 30)
            #expect(growth < 30, "\(opening)\(filler)… in \(chunk)")
        }
    }

    /// CDATA sections in pieces of all lengths.
    @Test(arguments: [XMLStreamParser.Mode.stream, .document, .fragments(in: .clientStream)])
    func timeIsLinearInCharacterData(_ mode: XMLStreamParser.Mode) {
        let section = "<![CDATA[\(String(repeating: ">", count: 5000))]]>"
        let small = 1 << 16
        for (opening, filler) in [("<a><![CDATA[", "> "), ("<a>", section)] {
            let (short, long) = (input(mode, opening, filler, small), input(mode, opening, filler, 8 * small))
            let growth = growth(
                from: { readAll(short, mode, chunk: 1000) }, to: { readAll(long, mode, chunk: 1000) }, below: 20)
            #expect(growth < 20, "\(opening)\(filler.prefix(20))…")
        }
    }

    private func input(
        _ mode: XMLStreamParser.Mode, _ opening: String, _ filler: String, _ length: Int
    ) -> [UInt8] {
        Self.text((mode == .stream ? header : "") + opening, filler, length)
    }

    private static func text(_ opening: String, _ filler: String, _ length: Int) -> [UInt8] {
        Array((opening + String(repeating: filler, count: length / filler.utf8.count)).utf8)
    }

    private func readAll(_ bytes: [UInt8], _ mode: XMLStreamParser.Mode, chunk: Int) {
        #expect(!transcript(bytes, mode, chunk: chunk, limits: .document).lines.isEmpty)
    }

    /// The memory for a long value with references ends with its stanza, with an error, and with a reset.
    @Test func decodedValuesAreNotKept() throws {
        let value = "&lt;" + String(repeating: "x", count: 1 << 19)
        for stanza in ["<a b='\(value)'/>", "<a><b c='\(value)'/>", "<a b='\(value)", "<p:a b='\(value)'/>"] {
            var parser = XMLStreamParser(mode: .stream)
            parser.feed(header + stanza)
            var lines = Transcript()
            lines.drain(&parser)
            let capacity = parser.tokenizer.decoded.capacityInBytes
            #expect(capacity < 1 << 16, "\(stanza.prefix(10))… leaves \(capacity) bytes")
        }
    }

    /// A header with eight times the declarations takes about eight times as long.
    @Test func headersWithManyDeclarationsTakeLinearTime() {
        func read(_ count: Int) {
            let text = "<s" + (0..<count).map { " xmlns:p\($0)='u'" }.joined() + ">"
            let limits = ParserLimits(attributes: .max, declarations: .max)
            var parser = XMLStreamParser(mode: .stream, limits: limits)
            parser.feed(text)
            guard case .streamStart(let header)? = try? parser.next() else {
                Issue.record("no header")
                return
            }
            #expect(header.namespaces.prefixes.keys.last == "p\(count - 1)")
        }
        let growth = growth(from: { read(500) }, to: { read(4000) }, below: 20)
        #expect(growth < 20)
    }

    /// The length of a tag does not count for each stanza that is rejected after it: both together take about as long
    /// as one after the other.
    @Test func rejectedStanzasAfterALongTag() {
        func read(_ length: Int, rejected count: Int) {
            let rejected = String(repeating: "<a><b/></a>", count: count)
            let text = "<a b='\(String(repeating: "x", count: length))'/>" + rejected
            var parser = XMLStreamParser(mode: .fragments(in: .empty), limits: ParserLimits(depth: 1))
            parser.feed(text)
            var lines = Transcript()
            lines.drain(&parser)
            #expect(lines.lines.count == 1 + count)
        }
        let growth = growth(
            from: {
                read(1 << 19, rejected: 0)
                read(1, rejected: 1000)
            }, to: { read(1 << 19, rejected: 1000) }, below: 3)
        #expect(growth < 3)
    }

    /// The maximum numbers of attributes and of bindings in scope.
    @Test func theMostExpensiveTags() {
        let attributes = (0..<ParserLimits.defaultAttributes).map { " a\($0)='\($0)'" }.joined()
        let declarations = (0..<ParserLimits.defaultAttributes).map { " xmlns:p\($0)='u\($0)'" }.joined()
        let levels = ParserLimits.defaultDeclarations / ParserLimits.defaultAttributes - 1
        let nested =
            String(repeating: "<d\(declarations)>", count: levels)
            + String(repeating: "<p0:e p255:a=''/>", count: 10_000) + String(repeating: "</d>", count: levels)
        let tags = String(repeating: "<e\(attributes)/>", count: 200)
        for content in ["<s>\(tags)</s>", nested] {
            let time = processorTime {
                let lines = transcript(header + content + "</stream:stream>", .stream).lines
                #expect(lines.last == "end", "\(lines.last ?? "")")
            }
            #expect(time < 20)
        }
    }

    /// Distinct names without end do not increase the memory of the parser.
    @Test func distinctNamesWithoutEnd() throws {
        let (count, namesOfAStanza) = (Self.isLarge ? 1_000_000 : 500_000, 100)
        var stanza = Array(("<a" + String(repeating: " n0000000=''", count: namesOfAStanza) + "/>").utf8)
        var parser = XMLStreamParser(mode: .stream)
        parser.feed(header)
        _ = try parser.next()
        var delivered = 0
        var largest = (dictionary: 0, buffers: 0, names: 0)
        for first in stride(from: 0, to: count, by: namesOfAStanza) {
            for number in 0..<namesOfAStanza {
                var rest = first + number
                for digit in stride(from: 7, to: 0, by: -1) {
                    stanza[3 + 12 * number + digit] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
            }
            parser.feed(stanza)
            while let event = try parser.next() {
                if case .element(let element, _) = event, element.attributes.count == namesOfAStanza { delivered += 1 }
            }
            largest.dictionary = max(largest.dictionary, parser.dictionarySize)
            largest.buffers = max(largest.buffers, parser.bufferCapacity)
            largest.names = max(largest.names, parser.nameCapacity)
        }
        #expect(delivered == count / namesOfAStanza)
        #expect(largest.dictionary < 2 * Renewal.standard.names, "\(largest.dictionary) names")
        #expect(largest.buffers < 1 << 16, "\(largest.buffers) bytes")
        // All names would need more than 4 MB, and their records twice that.
        #expect(largest.names < 4 << 20, "\(largest.names) bytes of names")
    }

    /// As many distinct names as a busy stream sends in an hour do not increase the memory.
    @Test(.enabled(if: isLarge)) func tenMillionNames() throws {
        let count = 10_000_000
        var parser = XMLStreamParser(mode: .stream)
        parser.feed(header)
        var delivered = 0
        var baseline: Int?
        for number in stride(from: 0, to: count, by: 2) {
            parser.feed("<n\(number) a\(number)='x'/>")
            while let event = try parser.next() { if case .element = event { delivered += 1 } }
            if number == count / 10 { baseline = residentBytes() }
        }
        #expect(delivered == count / 2)
        let growth = try #require(residentBytes()) - #require(baseline)
        #expect(growth < 64 << 20, "\(growth) bytes more")
    }
}
