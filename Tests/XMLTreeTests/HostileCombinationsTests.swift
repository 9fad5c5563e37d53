// Every opening with every filler, byte by byte. HostileInputTests.swift has the known attacks; this test finds unknown
// ones. STANZA_HOSTILE=large enables longer inputs, which take minutes (.ci/long).

import Foundation
import TestSupport
import Testing

@testable import XMLTree

@Suite struct HostileCombinationsTests {
    private static let isLarge = ProcessInfo.processInfo.environment["STANZA_HOSTILE"] == "large"
    /// The lengths of the inputs. In a debug build, some hundred bytes suffice to detect repeated scans of a byte.
    private static let lengths = isLarge ? (short: 1 << 13, long: 1 << 16) : (short: 1 << 6, long: 1 << 9)

    /// The text before the filler, which may leave markup open.
    private static let openings = [
        "", " ", "<", "<a", "<a ", "<a b", "<a b=", "<a b='", "<a b=''", "<a/", "<a xmlns:p='", "<a></", "<a></a",
        "<a></a ", "<a></b", "<a></a '", "<a>", "<a> ", "<a>x", "<a>&", "<a>&#", "<a>&#x", "<a>&lt", "<a>]", "<a>]]",
        "<a><!", "<a><!-", "<a><!--", "<a><!---", "<a><![", "<a><![CDATA[", "<a><![CDATA[]", "<a><?", "<a><?p",
        "<a><?p ", "<a><?p ?", "<a/>", "<a/> ", "<a/><", "<a/>&", "<a/>&#", "<!", "<!-", "<!--", "<!-- -", "<!D",
        "<!DOCTYPE",
        "<!DOCTYPE a", "<!DOCTYPE a [", "<!DOCTYPE a [<", "<!DOCTYPE a [<!", "<!DOCTYPE a [<!ENTITY b '",
        "<!DOCTYPE a [<!ENTITY % b '", "<!DOCTYPE a [<!ATTLIST a ", "<!DOCTYPE a [<!ELEMENT a (", "<!DOCTYPE a [<!--",
        "<!DOCTYPE a [<?p ", "<!DOCTYPE a []", "<!DOCTYPE a SYSTEM '", "<?", "<?p", "<?p ", "<?xml", "<?xml ",
        "<?xml version='",
    ]

    private static let fillers = [
        "x", " ", "\n", "\r", "\r\n", "<", ">", "> ", "'", "\"", "'>", "\">'", "'>'", "=", "/", "/>", "&", "&#", "&lt;",
        "&#0", ";", "0", "]", "]]", "]]>", "]]> ", "-", "--", "-->", "--> ", "?", "?>", "?> ", "!", "<!", "<!--", "<a>",
        "</a>", "<a/>", "<?", "[", "(", "|", "a b ", "b='' ", "\u{E9}", "%", "%b;", ":", "<b ", "<b>'</b>",
    ]

    @Test(arguments: openings)
    func timeIsLinear(_ opening: String) {
        let modes: [(XMLStreamParser.Mode, String)] = [
            (.stream, ""), (.stream, header), (.document, ""), (.fragments(in: .clientStream), ""),
        ]
        for filler in Self.fillers {
            for (mode, before) in modes {
                func input(_ length: Int) -> [UInt8] {
                    Array((before + opening + String(repeating: filler, count: length / filler.utf8.count)).utf8)
                }
                let (short, long) = (input(Self.lengths.short), input(Self.lengths.long))
                var lines = Transcript()
                let growth = growth(
                    from: { _ = readAll(short, mode) }, to: { lines = readAll(long, mode) }, below: 24)
                let name = "\(opening)\(filler)… in \(before.isEmpty ? "" : "the root of ")\(mode)"
                #expect(growth < 24, "\(name)")
                // White space alone makes no event.
                #expect(!lines.lines.isEmpty || long.allSatisfy { Scan.isSpace($0) }, "\(name)")
                #expect(transcript(long, mode, limits: .document) == lines, "\(name)")
            }
        }
    }

    private func readAll(_ bytes: [UInt8], _ mode: XMLStreamParser.Mode) -> Transcript {
        var parser = XMLStreamParser(mode: mode, limits: .document)
        var lines = Transcript()
        bytes.withUnsafeBytes { bytes in
            for index in bytes.indices {
                parser.feed(UnsafeRawBufferPointer(rebasing: bytes[index...index]))
                lines.drain(&parser)
            }
        }
        parser.finish()
        lines.drain(&parser)
        return lines
    }
}
