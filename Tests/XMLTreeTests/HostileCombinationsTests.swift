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
    /// The bytes before those whose time is measured, and the number of the latter.
    private static let waiting = (short: 1 << 6, long: isLarge ? 1 << 16 : 1 << 12)
    private static let measuredBytes = 64

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

    /// All modes, each with the text before the opening.
    private static let modes: [(XMLStreamParser.Mode, String)] = [
        (.stream, ""), (.stream, header), (.document, ""), (.fragments(in: .clientStream), ""),
    ]

    /// Calls a function with each filler after an opening, in each mode.
    private func combine(
        _ opening: String, _ body: (XMLStreamParser.Mode, _ beginning: String, String, _ name: String) -> Void
    ) {
        for filler in Self.fillers {
            for (mode, before) in Self.modes {
                let name = "\(opening)\(filler)… in \(before.isEmpty ? "" : "the root of ")\(mode)"
                body(mode, before + opening, filler, name)
            }
        }
    }

    private func input(_ beginning: String, _ filler: String, _ length: Int) -> [UInt8] {
        Array((beginning + String(repeating: filler, count: length / filler.utf8.count)).utf8)
    }

    @Test(arguments: openings)
    func timeIsLinear(_ opening: String) {
        combine(opening) { mode, beginning, filler, name in
            let (short, long) = (
                input(beginning, filler, Self.lengths.short), input(beginning, filler, Self.lengths.long)
            )
            var lines = Transcript()
            let growth = growth(from: { _ = readAll(short, mode) }, to: { lines = readAll(long, mode) }, below: 24)
            #expect(growth < 24, "\(name)")
            // White space alone makes no event.
            #expect(!lines.lines.isEmpty || long.allSatisfy { Scan.isSpace($0) }, "\(name)")
            #expect(transcript(long, mode, limits: .document) == lines, "\(name)")
        }
    }

    /// A single byte costs the same after a short input and after a long one, which comes at once. So this finds
    /// repeated scans that are faster than the rest of the work on some hundred bytes.
    @Test(arguments: openings)
    func aByteCostsTheSameAfterAnyInput(_ opening: String) {
        combine(opening) { mode, beginning, filler, name in
            func seconds(_ length: Int) -> Double {
                var parser = XMLStreamParser(mode: mode, limits: .document)
                feed(input(beginning, filler, length)[...], &parser)
                let bytes = input("", filler, Self.measuredBytes)
                return processorTime { for index in bytes.indices { feed(bytes[index...index], &parser) } }
            }
            let growth = growth(
                fromSeconds: { seconds(Self.waiting.short) }, toSeconds: { seconds(Self.waiting.long) }, below: 10)
            #expect(growth < 10, "\(name)")
        }
    }

    /// Reads bytes, and drops all events and errors.
    private func feed(_ bytes: ArraySlice<UInt8>, _ parser: inout XMLStreamParser) {
        parser.feed(bytes)
        while true {
            do { while try parser.next() != nil {} } catch { continue }
            return
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
