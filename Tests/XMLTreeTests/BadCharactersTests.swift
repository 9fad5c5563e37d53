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
    static let forbidden: [Unicode.Scalar] = [
        "\0", "\u{1}", "\u{8}", "\u{B}", "\u{C}", "\u{1F}", "\u{FFFE}", "\u{FFFF}",
    ]

    /// All of them, each with its error.
    static let bad =
        invalid.map { ($0, XMLParseError.Kind.invalidUTF8) }
        + forbidden.map { (Array(String($0).utf8), .forbiddenCharacter($0)) }

    /// One bad sequence makes one error, which belongs to the fragment that contains it. Streams and documents end.
    @Test(arguments: modes) func badCharactersAreFoundWhereTheyBegin(_ mode: XMLStreamParser.Mode) {
        // It is never one of the first two bytes, which would indicate another encoding.
        var surroundings = [
            ("<a>x", "</a>"), ("<a b='", "'/>"), ("<a><![CDATA[", "]]></a>"), ("    ", "<a/>"), ("<a ", "/>"),
            ("<a>\u{20AC}", "</a>"), ("<a></a", ">"), ("<a>&amp;\n", "</a>"),
        ]
        // Streams refuse these where they begin.
        if mode != .stream { surroundings += [("<a><!--", "--></a>"), ("<a><?pi ", "?></a>"), ("<!-- ", "--><a/>")] }
        let beginning = mode == .stream ? header : ""
        for (before, after) in surroundings {
            for (bytes, kind) in Self.bad {
                let input = Array(before.utf8) + bytes + Array(after.utf8) + Array("\n<c/>\n".utf8)
                let found = transcript(input, mode, after: beginning)
                let place = places(in: beginning + before + "¦")[0]
                let lines = found.lines.dropFirst(mode == .stream ? 1 : 0)
                #expect(lines.first == "\(place) error \(kind)", "\(bytes) between \(before) and \(after)")
                #expect(found.errors.count == 1 && lines.count == (mode.isFragments ? 2 : 1))
                #expect(!mode.isFragments || lines.last?.hasSuffix("@\(input.count - 5) <{jabber:client}c></>") == true)
            }
        }
        let allowed = "<a>\u{7F}\u{85}\u{D7FF}\u{E000}\u{FFFD}\u{10000}\u{10FFFF}</a>"
        #expect(transcript(allowed, mode, after: beginning).events.contains { $0.hasSuffix("\u{10FFFF}</>") })
    }

    /// Refused bytes do not begin a fragment, and errors come in the order of their places.
    @Test func refusedBytesBeginNothing() {
        let open = Array("<?pi \n<a>".utf8) + [0xA9]
        let inTag =
            Array("x\n<".utf8) + [0xFF] + Array("\n<b/>\n<".utf8) + [0xEF, 0xBF, 0xBF, 0xED, 0xA0] + Array("/>".utf8)
        for (bytes, expected) in [
            (open, ["2:4@9 error invalidUTF8"]),
            (
                inTag,
                ["1:1@0 error textBetweenElements", "3:1@5 <b></>", "4:2@11 error forbiddenCharacter(\"\\u{FFFF}\")"]
            ),
        ] {
            #expect(transcript(bytes, .fragments(in: .empty)).lines == expected)
        }
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
                    let error = output(Array(beginning.utf8) + bytes + Array(after.utf8), .document).errors.first
                    #expect(error?.kind == .invalidUTF8 && error?.position.offset == beginning.utf8.count, "\(bytes)")
                }
            }
        }
    }

    /// Valid and invalid sequences cross the ends of blocks and slices.
    @Test(arguments: modes)
    func sequencesAcrossBlocksAndSlices(_ mode: XMLStreamParser.Mode) {
        let before = (mode == .stream ? header : "") + "<a>"
        let end = Array((mode == .stream ? "</a></stream:stream>" : "</a>").utf8)
        for boundary in [192, 256, Tokenizer.sliceLength, 2 * Tokenizer.sliceLength] {
            for place in boundary - 4...boundary {
                let filler = String(repeating: "x", count: place - before.utf8.count)
                let filled = Array((before + filler).utf8)
                for character in ["\u{E9}", "\u{20AC}", "\u{1F600}"] {
                    let found = output(filled + Array(character.utf8) + end, mode)
                    #expect(
                        found.lines.contains { $0.hasSuffix("a>\(filler)\(character)</>") }, "\(character) at \(place)")
                    #expect(found.errors.isEmpty)
                }
                for (bytes, kind) in Self.invalid.map({ ($0, XMLParseError.Kind.invalidUTF8) })
                    + [([0xEF, 0xBF, 0xBE], .forbiddenCharacter("\u{FFFE}"))]
                {
                    let error = output(filled + bytes + end, mode).errors.first
                    #expect(error?.kind == kind && error?.position.short == "1:\(place + 1)@\(place)", "\(bytes)")
                }
            }
        }
    }
}
