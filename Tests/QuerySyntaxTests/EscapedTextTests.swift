// Which scalars of a text stay visible, and which are escaped: marks of scripts stay visible with their letters, and
// still no two texts look the same.

import QuerySyntax
import QueryTools
import Testing

@Suite("Escaped texts") struct EscapedTextTests {
    @Test(
        "show marks of scripts with their letters, and other marks where no letter has them in itself",
        arguments: [
            "हिन्दी", "\u{915}\u{93C}\u{94D}षि", "বাংলা", "தமிழ்", "ไทย ภาษา", "עִבְרִית", "العَرَبِيَّة",
            "x\u{302}", "\u{25B}\u{301}", "q\u{323}\u{30B}",
        ])
    func shown(text: String) {
        let scalars = Array(text.unicodeScalars)
        #expect(Array(escapedText(text).unicodeScalars) == scalars)
        #expect(Array(quotedText(text).unicodeScalars) == ["\""] + scalars + ["\""])
    }

    @Test(
        "escape marks without a letter, marks that a letter may have in itself, and invisible characters",
        arguments: [
            ("\u{93F}\u{915}", #"\u{93F}क"#), ("/\u{338}", #"/\u{338}"#), ("\u{915}/\u{93F}", #"क/\u{93F}"#),
            ("e\u{301}", #"e\u{301}"#), ("\u{928}\u{93C}\u{93F}", #"न\u{93C}\u{93F}"#),
            ("\u{E9}\u{323}", "\u{E9}\\u{323}"),
            // Of equal characters, the composed one stays, unless Unicode always decomposes it.
            ("\u{929}", "\u{929}"), ("\u{958}", #"\u{958}"#), ("\u{212B}\u{C5}", "\\u{212B}\u{C5}"),
            // Out of order, twice, and too many.
            ("q\u{30B}\u{323}", "q\u{30B}\\u{323}"), ("q\u{302}\u{302}", "q\u{302}\\u{302}"),
            ("q\u{300}\u{301}\u{302}\u{303}\u{304}", "q\u{300}\u{301}\u{302}\u{303}\\u{304}"),
            // A dot on a letter that has one.
            ("i\u{307}", #"i\u{307}"#), ("j\u{323}\u{307}", "j\u{323}\\u{307}"),
            // A variation selector sometimes changes nothing; and no letter precedes a mark after an escape.
            ("\u{2764}\u{FE0F}", #"❤\u{FE0F}"#), ("\u{915}\u{200D}\u{93F}", #"क\u{200D}\u{93F}"#),
        ])
    func escaped(text: String, shown: String) {
        #expect(Array(escapedText(text).unicodeScalars) == Array(shown.unicodeScalars), "\(escapedText(text))")
    }

    /// Texts that Unicode calls equal look the same; escaped, no two texts are equal.
    @Test(
        "are different for different texts",
        arguments: [
            ("e\u{E9}\u{1EB9}x\u{301}\u{323}\u{308}\u{344}\u{FE0F}\\u{", 3),
            ("\u{928}\u{929}\u{915}\u{958}\u{93C}\u{94D}\u{951}\u{93F}\u{200D}", 4),
            ("\u{995}\u{9C7}\u{9BE}\u{9CB}\u{DD9}\u{DCA}\u{DCF}\u{DDA}\u{DDC}\u{DDD}\u{D9A}", 4),
            ("\u{304B}\u{304C}\u{3099}\u{627}\u{622}\u{653}\u{64E}A\u{C5}\u{212B}\u{30A}", 3),
            ("\u{AC00}\u{1100}\u{1161}\u{11A8}", 4),
        ])
    func different(alphabet: String, length: Int) {
        var texts: [String: [UInt8]] = [:]
        var round = [""]
        for _ in 1...length {
            round = round.flatMap { text in
                alphabet.unicodeScalars.map { String(text.unicodeScalars + [$0]) }
            }
            for text in round {
                let other = texts.updateValue(Array(text.utf8), forKey: escapedText(text))
                #expect(other == nil, "\(escapedText(text))")
            }
        }
    }
}
