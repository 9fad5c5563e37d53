// Invalid bytes and characters that XML forbids. The parser reports them where they begin, in every mode, however the
// input is cut and whatever their place in a checked block.

import Testing

@testable import XMLTree

@Suite struct BadCharactersTests {
    static let modes: [XMLStreamParser.Mode] = [.stream, .document, .fragments(in: .clientStream)]

    /// Sequences that are too short or too long, surrogates, scalars beyond U+10FFFF, and bytes that begin no sequence.
    static let invalid: [[UInt8]] = [
        [0x80], [0xC0, 0x80], [0xC1, 0x81], [0xC3], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
        [0xEF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF8], [0xFE],
        [0xFF],
    ]

    @Test(arguments: modes)
    func invalidUTF8IsFoundWhereItBegins(_ mode: XMLStreamParser.Mode) {
        for (before, after) in Self.surroundings(mode) + [("<a", "/>"), ("<a>\u{20AC}", "</a>"), ("<a/>", "")] {
            for bytes in Self.invalid {
                expect("invalidUTF8", at: bytes, between: before, after, mode)
            }
        }
    }

    @Test(arguments: modes)
    func charactersThatXMLForbidsAreFoundEverywhere(_ mode: XMLStreamParser.Mode) {
        let scalars: [Unicode.Scalar] = ["\0", "\u{1}", "\u{8}", "\u{B}", "\u{C}", "\u{1F}", "\u{FFFE}", "\u{FFFF}"]
        for (before, after) in Self.surroundings(mode) + [("<a ", "/>")] {
            for scalar in scalars {
                let error = "forbiddenCharacter(\(String(reflecting: scalar)))"
                expect(error, at: Array(String(scalar).utf8), between: before, after, mode)
            }
        }
        let allowed = transcript(
            Array("<a>\u{7F}\u{85}\u{D7FF}\u{E000}\u{FFFD}\u{10000}\u{10FFFF}</a>".utf8), mode,
            behind: Self.beginning(mode))
        #expect(allowed.lines.count { $0.hasPrefix("element") } == 1)
    }

    /// From the first character beyond ASCII on, the parser checks sixteen bytes at a time. Sequences begin at each
    /// place of a block, and some cross its end.
    @Test(arguments: ["x", "\u{E9}", "\u{20AC}", "\u{915}"])
    func sequencesAtEachPlaceOfABlock(_ filler: String) {
        for (before, after) in [("<a>", "</a>"), ("<a b='", "'/>"), ("<a><![CDATA[", "]]></a>")] {
            for count in 0...17 {
                let beginning = before + "\u{E9}" + String(repeating: filler, count: count)
                for character in ["\u{E9}", "\u{20AC}", "\u{915}", "\u{D55C}", "\u{FF01}", "\u{1F600}"] {
                    let text = beginning + character + "\u{E9}x" + after
                    let element = try? Element(parsing: text)
                    let expected = String(text.dropFirst(before.count).dropLast(after.count))
                    #expect((element?["b"] ?? element?.text) == expected)
                }
                for bytes in Self.invalid {
                    let lines = transcript(Array(beginning.utf8) + bytes + Array(after.utf8), .document).lines
                    let found = lines.first { $0.hasPrefix("error") } ?? ""
                    let place = "@\(beginning.utf8.count)"
                    #expect(found.hasPrefix("error invalidUTF8 at ") && found.hasSuffix(place), "\(bytes)")
                }
            }
        }
    }

    /// Valid and invalid sequences cross the ends of slices.
    @Test(arguments: modes)
    func sequencesAcrossBlocksAndSlices(_ mode: XMLStreamParser.Mode) {
        let beginning = Self.beginning(mode)
        let end = mode == .stream ? "</a></stream:stream>" : "</a>"
        for boundary in [192, 256, Tokenizer.sliceLength, 2 * Tokenizer.sliceLength] {
            for place in boundary - 4...boundary {
                let before = beginning + "<a>"
                let filled = Array(before.utf8) + Array(repeating: UInt8(ascii: "x"), count: place - before.utf8.count)
                for character in ["\u{E9}", "\u{20AC}", "\u{1F600}"] {
                    let lines = transcript(filled + Array((character + end).utf8), mode).lines
                    let expected = String(repeating: "x", count: place - before.utf8.count) + character + "</>"
                    let elements = lines.filter { $0.hasPrefix("element") }
                    #expect(elements.count == 1 && elements[0].hasSuffix(expected), "\(character) at \(place)")
                    #expect(!lines.contains { $0.hasPrefix("error") })
                }
                for (bytes, error) in Self.invalid.map({ ($0, "invalidUTF8") })
                    + [([0xEF, 0xBF, 0xBE], #"forbiddenCharacter("\u{FFFE}")"#)]
                {
                    let lines = transcript(filled + bytes + Array(end.utf8), mode).lines
                    let found = lines.first { $0.hasPrefix("error") }
                    #expect(found == "error \(error) at 1:\(place + 1)@\(place)", "\(bytes)")
                }
            }
        }
    }

    // MARK: Helpers

    /// The text that must come first in a mode.
    private static func beginning(_ mode: XMLStreamParser.Mode) -> String { mode == .stream ? header : "" }

    /// The texts around a bad character. It is never one of the first two bytes, which would indicate another encoding.
    /// Streams get no comments and processing instructions, because they refuse these where they begin.
    private static func surroundings(_ mode: XMLStreamParser.Mode) -> [(before: String, after: String)] {
        let everywhere = [("<a>x", "</a>"), ("<a b='", "'/>"), ("<a><![CDATA[", "]]></a>"), ("    ", "<a/>")]
        return everywhere + (mode == .stream ? [] : [("<a><!--", "--></a>"), ("<a><?pi ", "?></a>")])
    }

    /// Expects this error first, where the bytes begin. Only fragments continue after it.
    private func expect(
        _ error: String, at bytes: [UInt8], between before: String, _ after: String, _ mode: XMLStreamParser.Mode
    ) {
        let beginning = Self.beginning(mode)
        let text = beginning + before
        let expected = "error \(error) at 1:\(text.unicodeScalars.count + 1)@\(text.utf8.count)"
        let input = Array(before.utf8) + bytes + Array(after.utf8)
        for chunk in 1...input.count {
            let lines = transcript(input, mode, behind: beginning, chunk: chunk).lines
            let isFirst = lines.first { $0.hasPrefix("error") } == expected
            let isLast = lines.last == expected || mode.isFragments
            #expect(isFirst && isLast, "\(bytes) between \(before) and \(after), chunks of \(chunk): \(lines)")
        }
    }
}

extension XMLStreamParser.Mode {
    fileprivate var isFragments: Bool { if case .fragments = self { true } else { false } }
}
