// Every beginning with every filling, byte by byte: what is known to hurt is HostileInputTests.swift's, what nobody
// thought of shows here. It takes minutes: only with STANZA_HOSTILE=large (.ci/long).

import Foundation
import TestSupport
import Testing

@testable import XMLTree

@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["STANZA_HOSTILE"] == "large"))
struct HostileCombinationsTests {
    /// What stands before, and may be open.
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
                let (short, long) = (input(1 << 13), input(1 << 16))
                let growth = growth(from: { readAll(short, mode) }, to: { readAll(long, mode) }, below: 24)
                #expect(growth < 24, "\(opening)\(filler)… in \(before.isEmpty ? "" : "the root of ")\(mode)")
            }
        }
    }

    private func readAll(_ bytes: [UInt8], _ mode: XMLStreamParser.Mode) {
        let lines = transcript(bytes, mode, chunk: 1, limits: .document).lines
        // White space alone tells nothing.
        #expect(!lines.isEmpty || bytes.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D })
    }
}
