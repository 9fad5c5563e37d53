// The spellings of texts from strangers, character by character.

import SafeText
import Testing

@Suite struct LineSpellingTests {
    /// The controls and line breaks of all Unicode, and its format characters. Fonts draw some of these: signs above
    /// Arabic, Syriac and Kaithi numbers, and the joints of hieroglyphs.
    @Test func unsafeCharacters() {
        let drawn = [
            0x600...0x605, 0x6DD...0x6DD, 0x70F...0x70F, 0x890...0x891, 0x8E2...0x8E2, 0x110BD...0x110BD,
            0x110CD...0x110CD, 0x13430...0x1343F,
        ]
        for scalar in (0...0x10FFFF).lazy.compactMap(Unicode.Scalar.init) {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                #expect(scalar.isUnsafeToShow, "\(scalar.value)")
            case .format:
                let isDrawn = drawn.contains { $0.contains(Int(scalar.value)) }
                #expect(scalar.isUnsafeToShow != isDrawn, "\(scalar.value)")
            default:
                if scalar.isUnsafeToShow { Issue.record("\(scalar.value)") }
            }
        }
    }

    /// A text with a character that no font draws looks like the text without it.
    @Test(
        arguments: [
            "\u{AD}", "\u{61C}", "\u{180E}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{2060}", "\u{FEFF}",
            "\u{FFF9}", "\u{1BCA0}", "\u{1D173}", "\u{E0041}",
        ] as [Unicode.Scalar])
    func invisibleCharacters(scalar: Unicode.Scalar) {
        let text = "ro\(scalar)meo"
        #expect(text.spelled(.replacements) == "ro\u{FFFD}meo" && text.excerpt() == "ro\u{FFFD}meo")
        #expect(text.spelled(.xml) == "ro&#\(scalar.value);meo")
        let escapes = String(scalar).utf16.map { unit in
            "\\u" + String(repeating: "0", count: unit < 0x100 ? 2 : unit < 0x1000 ? 1 : 0) + String(unit, radix: 16)
        }
        #expect(text.spelled(.json) == "ro" + escapes.joined() + "meo")
    }

    /// Joiners stay in emoji and in scripts that need them, and after each other character beyond ASCII.
    @Test(arguments: ["👩‍👩‍👧", "می‌خواهم", "क्‍ष", "À\u{200D}é"])
    func joiners(text: String) {
        #expect(text.spelled(.replacements) == text && text.spelled(.json) == text)
        #expect("a\u{200D}\(text)\u{200D}".spelled(.words) == "a\u{FFFD}\(text)\u{FFFD}")
    }

    @Test(arguments: [
        (LineSpelling.backslashes, #"a\tb\r\n\u001b[31m\u2028\u202ec\\d" e\u{301}\u{A0}é"#),
        (.json, #"a\tb\r\n\u001b[31m\u2028\u202ec\\d\" e\u{301}\u{A0}é"#),
        (.references(keepingLineBreaks: false), "a\tb&#13;&#10;&#27;[31m&#8232;&#8238;c\\d\" e\u{301}\u{A0}é"),
        (.references(keepingLineBreaks: true), "a\tb&#13;\n&#27;[31m&#8232;&#8238;c\\d\" e\u{301}\u{A0}é"),
        (.xml, "a&#9;b&#13;&#10;\u{FFFD}[31m&#8232;&#8238;c\\d&quot; e\u{301}\u{A0}é"),
        (.replacements, "a\u{FFFD}b\u{FFFD}\u{FFFD}\u{FFFD}[31m\u{FFFD}\u{FFFD}c\\d\" e\u{301}\u{A0}é"),
        (
            .replacementsInLines,
            "a\u{FFFD}b\u{FFFD}\n\u{FFFD}[31m\u{FFFD}\u{FFFD}c\\d\" e\u{301}\u{A0}é"
        ),
        (.words, "a b\u{FFFD} \u{FFFD}[31m \u{FFFD}c\\d\" e\u{301}\u{A0}é"),
    ])
    func spellings(spelling: LineSpelling, spelled: String) {
        let text = "a\tb\r\n\u{1B}[31m\u{2028}\u{202E}c\\d\" e\u{301}\u{A0}é"
        let spelled = spelled.replacing(#"e\u{301}\u{A0}"#, with: "e\u{301}\u{A0}")
        let expected = if case .backslashes = spelling { spelled.replacing(#"a\tb"#, with: "a\tb") } else { spelled }
        #expect(Array(text.spelled(spelling).utf8) == Array(expected.utf8))
        var bytes = Array("\n".utf8)
        bytes.append(contentsOf: text.utf8)
        bytes.spell(from: 1, as: spelling)
        #expect(bytes == Array("\n".utf8) + Array(expected.utf8))
    }

    /// A byte that begins no character does not hide the control after it.
    @Test func afterAWrongByte() {
        var bytes: [UInt8] = [0xC2, 0x1B, 0x5B]
        bytes.spell(from: 0, as: .replacements)
        #expect(bytes == [0xC2] + Array("\u{FFFD}[".utf8))
    }

    @Test func xml() {
        #expect(
            "<a k='1'>&\"\0\u{B}\u{1F}\u{FFFE}\u{FFFF}\u{FFFD}\u{F0000}".spelled(.xml)
                == "&lt;a k=&apos;1&apos;&gt;&amp;&quot;\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{F0000}")
    }

    /// The spelling of a text is that of its scalars, one after the other.
    @Test func scalarsAreIndependent() {
        let scalars: [Unicode.Scalar] = [
            "a", "\\", "\"", "<", "&", "\n", "\u{7F}", "\u{85}", "\u{A0}", "\u{2028}", "\u{2026}", "€", "\u{FFFE}", "😀",
        ]
        for spelling in [
            LineSpelling.backslashes, .json, .references(keepingLineBreaks: true), .xml, .replacements, .words,
        ] {
            for first in scalars {
                for second in scalars {
                    for third in scalars {
                        let text = String(String.UnicodeScalarView([first, second, third]))
                        let alone = [first, second, third].map { String($0).spelled(spelling) }.joined()
                        #expect(Array(text.spelled(spelling).utf8) == Array(alone.utf8))
                    }
                }
            }
        }
    }
}
