// Mistakes that the fuzzers found in the parser and the serializer, each with the smallest input that shows it.

import Testing

@testable import XMLTree

@Suite struct HostileFindingsTests {
    /// The parser reports a mistake even before the first tag.
    @Test(arguments: ["x", " x", "<<a/>", "\u{FEFF}x", "<a/>x", "&amp;", "<![CDATA[x]]>"])
    func textBeforeTheFirstFragment(_ text: String) {
        for chunk in [1, .max] {
            for context in [NamespaceContext.empty, .clientStream] {
                let lines = transcript(text, .fragments(in: context), chunk: chunk).lines
                #expect(lines.last?.hasPrefix("error") == true, "\(lines)")
            }
        }
        #expect(throws: XMLParseError.self) { try Element(parsing: text) }
    }

    /// At the end of the input, an end tag has only the beginning of a long name.
    @Test(arguments: [1, 15, 16, 17, 40, 64, 79])
    func endTagsThatAreTooShort(length: Int) {
        let name = String(repeating: "n", count: 200)
        for rest in ["", ">", " ", " >"] {
            let text = "<\(name)></" + name.prefix(length) + rest
            for chunk in [1, 7, .max] {
                let lines = transcript(text, .document, chunk: chunk).lines
                #expect(lines.count == 1 && lines.first?.hasPrefix("error ") == true, "\(lines)")
            }
        }
    }

    /// The error is the bad character if it is within the limit of names, otherwise the limit.
    @Test(arguments: [1, 33, 34, 35, 36, 60], ["\u{83}", "<", "\u{FFFE}", "(", ">"])
    func longNamesOfInstructions(length: Int, culprit: String) {
        for bad in [Array(culprit.utf8), [0x83], [0xE2, 0x82]] {
            let bytes =
                Array("<?".utf8) + Array(repeating: UInt8(ascii: "n"), count: length) + bad
                + Array(repeating: UInt8(ascii: "m"), count: 40) + Array("?>\n<a/>".utf8)
            for mode in [XMLStreamParser.Mode.stream, .document, .fragments(in: .empty)] {
                let limits = ParserLimits(nameLength: 34)
                let whole = transcript(bytes, mode, limits: limits)
                #expect(whole.lines.first?.hasPrefix("error ") == true)
                for chunk in [1, 2, 5, 30] {
                    #expect(transcript(bytes, mode, chunk: chunk, limits: limits) == whole, "\(length), \(bad)")
                }
            }
        }
    }

    /// Of two mistakes in one tag, the parser reports the first, however the input is cut.
    @Test(arguments: [
        "<1a<b>>", "<a b<c d='>'>", "<a b=<c>", "<a b='1'c='<'>", "<a b=''\n<c/>\n<d/>", "<a &<b>", "<a>&#<b>",
        "<a>&#x<b>", "<a>&#12<b/></a>", "<a>&b<c/></a>", "<a>&<!--", "<a <!DOCTYPE a>", "&<a/>", "<<!x", "<0<1b",
        "<a/>&#13;x",
    ])
    func theFirstMistakeInATag(_ text: String) {
        for mode in [XMLStreamParser.Mode.document, .fragments(in: .empty)] {
            let whole = transcript(text, mode)
            for chunk in 1...text.utf8.count {
                #expect(transcript(text, mode, chunk: chunk) == whole, "chunks of \(chunk)")
            }
        }
    }

    /// The parser does not take text in the tag of a stream's root, or in a document type, for a document type.
    @Test func documentTypesInOtherMarkup() {
        let restricted = "restricted(XMLTree.XMLParseError.Markup.documentType)"
        for (text, error) in [
            ("<s <!DOCTYPE a>", "malformed"), ("<s a='<!DOCTYPE a>'", "malformed"), ("<s:<!D>", "malformed"),
            ("<?xml version='1.0'?><s <!DOCTYPE a>", "malformed"), ("¦<!DOCTYPE <!D>", restricted),
            ("¦<!DOCTYPE a SYSTEM '<!DOCTYPE a'>", restricted), (" \n¦<!DOCTYPE a PUBLIC '' '<!D'>", restricted),
            ("<?xml version='1.0'?>\n¦<!DOCTYPE a SYSTEM '<!DOCTYPE' [<!ELEMENT a ANY>]>", restricted),
            ("<s></s>\n¦<!DOCTYPE a>", restricted),
        ] {
            let input = text.replacing("¦", with: "")
            let place = text.contains("¦") ? " at \(place(of: "¦", in: text))" : "("
            let whole = transcript(input, .stream)
            #expect(whole.lines.last?.hasPrefix("error \(error)\(place)") == true, "\(text): \(whole.lines)")
            for chunk in 1...input.utf8.count {
                #expect(transcript(input, .stream, chunk: chunk) == whole, "\(text) in chunks of \(chunk)")
            }
        }
        // A limit is not reported in the middle of a document type either.
        let names = "<!-- --> <!DOCTYPE a SYSTEM '<!DOCTYPE'><a/>"
        let lines = transcript(names, .document, limits: ParserLimits(names: 0)).lines
        #expect(lines == ["error \(XMLParseError.Kind.limit(.names, maximum: 0)) at 1:41@40"])
    }

    /// Places count all bytes of a forbidden character, wherever the input is cut.
    @Test func placesAfterForbiddenCharacters() {
        let text = "<a>\u{FFFF}\u{FFFE}\u{FFFF} </a>\n<b/>\n<c>\u{FFFF}</c>\n<d/>"
        let whole = transcript(text, .fragments(in: .empty))
        #expect(whole.lines.last == "element \(place(of: "<d", in: text)) <d></>")
        for chunk in 1...text.utf8.count {
            #expect(transcript(text, .fragments(in: .empty), chunk: chunk) == whole, "chunks of \(chunk)")
        }
    }

    /// Refused bytes do not begin a fragment, and errors come in the order of their places.
    @Test func refusedBytesBeginNothing() {
        let open = Array("<?pi \n<a>".utf8) + [0xA9]
        let inTag =
            Array("x\n<".utf8) + [0xFF] + Array("\n<b/>\n<".utf8) + [0xEF, 0xBF, 0xBF, 0xED, 0xA0] + Array("/>".utf8)
        for (bytes, expected) in [
            (open, ["error invalidUTF8 at 2:4@9"]),
            (
                inTag,
                [
                    "error textBetweenElements at 1:1@0", "element 3:1@5 <b></>",
                    "error forbiddenCharacter(\"\\u{FFFF}\") at 4:2@11",
                ]
            ),
        ] {
            for chunk in 1...bytes.count {
                #expect(transcript(bytes, .fragments(in: .empty), chunk: chunk).lines == expected, "chunks of \(chunk)")
            }
        }
    }

    /// The parser reports a mistake before refused bytes that follow it.
    @Test(arguments: [
        "<a></a '>' ", "<a></b '>' <c", "<a>&amp ' <", "<a b='' <c", "<a><!-- -- ", "<a></a></b ", "<a>]]> ",
    ])
    func mistakesBeforeRefusedBytes(_ beginning: String) {
        for bad: [UInt8] in [[0xFF], [1], [0xEF, 0xBF, 0xBF]] {
            let bytes = Array(beginning.utf8) + bad + Array("\n<d/>".utf8)
            for mode in [XMLStreamParser.Mode.document, .fragments(in: .empty)] {
                let whole = transcript(bytes, mode)
                #expect(whole.lines.contains { $0.hasPrefix("error") })
                for chunk in 1...bytes.count {
                    #expect(transcript(bytes, mode, chunk: chunk) == whole, "chunks of \(chunk)")
                }
            }
        }
    }

    /// The parser does not read tags or references in a CDATA section that has not ended.
    @Test(arguments: [
        "& x", "&;&", "<<", "<a <b>", "<!-- x", "<?x", "<!D", "</<", "]", "]]", "]]] >", "> ]>",
    ])
    func markupInCharacterData(_ content: String) {
        for length in [0, 299, 300, 301, 2047, 2348, 5000] {
            let text = "<a><![CDATA[\(String(repeating: "x", count: length))\(content)]]></a>"
            for mode in [XMLStreamParser.Mode.document, .fragments(in: .empty)] {
                let whole = transcript(text, mode)
                #expect(whole.lines.count == 1 && whole.lines[0].hasPrefix("element"))
                for chunk in [1, 2, 3, 7, 290, 1000, 2200] { #expect(transcript(text, mode, chunk: chunk) == whole) }
            }
            let stream = header + text + "</stream:stream>"
            for chunk in [1, 2, 5] { #expect(transcript(stream, .stream, chunk: chunk).lines.last == "end") }
        }
    }

    /// The parser holds the rest of a long reference back, whatever its ending.
    @Test(arguments: [
        "41;</m>", "41 </m>", "41", "", ";</m>", "<k/></m>", "4\u{E9};</m>", "\u{1}</m>", "41;]]></m>",
        "41234567894123456789412345678941234567894123456789;</m>",
    ])
    func longReferences(_ ending: String) {
        for (opening, length) in [("&#", 2044), ("&#x", 5000)] {
            let beginning = "<m>text\(opening)\(String(repeating: "0", count: length))\(ending)"
            for (mode, rest) in [
                (XMLStreamParser.Mode.stream, "\n<k/>"), (.document, ""), (.fragments(in: .empty), "\n<k/>"),
                (.fragments(in: .clientStream), ""),
            ] {
                let input = (mode == .stream ? header : "") + beginning + rest
                for limits in [nil, ParserLimits(bytes: 3000, nameLength: 40)] {
                    let whole = transcript(input, mode, limits: limits)
                    let isWhole = whole.lines.contains { $0.contains("text\(opening == "&#" ? ")" : "A")") }
                    #expect(isWhole == (ending == "41;</m>" && (limits == nil || length < 3000)), "\(whole)")
                    for chunk in [1, 1000, 2047, 2049] {
                        #expect(transcript(input, mode, chunk: chunk, limits: limits) == whole, "chunks of \(chunk)")
                    }
                }
            }
        }
    }

    /// The parser holds the rest of a long end tag back, too.
    @Test(arguments: [">", ">\n<k/>", "'>\n<k/>", "\r<k/>", "x>\n<k/>", "x", ""])
    func longEndTags(_ ending: String) {
        for (name, length) in [("m", 2044), ("m", 5000), ("n", 5000), (String(repeating: "m", count: 3000), 1000)] {
            let text = "<m></\(name)\(String(repeating: "\r", count: length))\(ending)"
            for (mode, before) in [
                (XMLStreamParser.Mode.stream, header), (.document, ""), (.fragments(in: .empty), ""),
            ] {
                for limits in [nil, ParserLimits(bytes: 3000, nameLength: 40)] {
                    let whole = transcript(before + text, mode, limits: limits)
                    let isGood = ending.hasPrefix(">") && name == "m" && (limits == nil || length < 3000)
                    #expect(whole.lines.contains { $0.hasSuffix("m></>") } == isGood)
                    for chunk in [1, 1000, 2047, 2049] {
                        #expect(transcript(before + text, mode, chunk: chunk, limits: limits) == whole, "by \(chunk)")
                    }
                }
            }
        }
    }

    /// Between trees, long references may only be white space.
    @Test(arguments: ["10;<k/>", "10;\n<k/>", "65;\n<k/>", "10 \n<k/>", "10", ""])
    func longReferencesBetweenTrees(_ rest: String) {
        for length in [2044, 5000] {
            let text = "<m/>&#\(String(repeating: "0", count: length))\(rest)"
            for (mode, before) in [(XMLStreamParser.Mode.stream, header), (.fragments(in: .empty), "")] {
                for limits in [nil, ParserLimits(bytes: 3000)] {
                    let whole = transcript(before + text, mode, limits: limits)
                    let isGood = rest.hasPrefix("10;")
                    #expect(
                        whole.lines.contains { $0.hasSuffix("k></>") }
                            == (isGood || rest.contains("\n") && before.isEmpty))
                    for chunk in [1, 1000, 2047, 2049] {
                        #expect(transcript(before + text, mode, chunk: chunk, limits: limits) == whole, "by \(chunk)")
                    }
                }
            }
        }
    }

    /// A space before the stream does not count as part of the markup in place of its root.
    @Test func documentTypesAfterABlank() {
        let markup = Array("<!DOCTYPE \(String(repeating: "n", count: 491)) SYSTEM ''>".utf8)
        for chunk in [1, 2, 7, 300, 511, 512, 513, .max] {
            let lines = transcript(markup, .stream, behind: " ", chunk: chunk).lines
            #expect(lines == ["error restricted(XMLTree.XMLParseError.Markup.documentType) at 1:2@1"], "by \(chunk)")
        }
    }

    /// The parser does not search the content of an endless CDATA section for fragments, however the input is cut.
    @Test func longSectionsThatNeverEnd() {
        for length in [200, 1000, 2040, 4000] {
            let (before, behind) = (String(repeating: "<b> ", count: length / 4), String(repeating: "x", count: length))
            let text = "<a><![CDATA[\(before)\n<c/>\n\(behind)"
            let whole = transcript(text, .fragments(in: .empty))
            #expect(whole.lines == ["error unexpectedEnd at \(place(of: "\u{FFFF}", in: text))"])
            for chunk in [1, 2, 100, 300, 2048] {
                #expect(transcript(text, .fragments(in: .empty), chunk: chunk) == whole, "\(length) by \(chunk)")
            }
        }
    }

    /// Markup that is so short that the next bytes decide its kind.
    @Test(arguments: ["<a><!", "<a><!-", "<a/><!", "<!-"])
    func shortMarkupThatNeverEnds(_ opening: String) {
        let text = opening + "\n<b/>"
        let whole = transcript(text, .fragments(in: .empty))
        #expect(whole.lines.contains { $0.hasPrefix("error") } && whole.lines.last?.hasSuffix("<b></>") == true)
        for chunk in 1...text.utf8.count {
            #expect(transcript(text, .fragments(in: .empty), chunk: chunk) == whole, "\(whole)")
        }
    }

    /// At the end of the input, the parser finds the fragments after an endless attribute value and reads them.
    @Test func fragmentsAfterUnfinishedMarkup() {
        for opening in ["<!-- ", "<a b='", "<a><![CDATA[", "<?pi "] {
            let text = opening + "\n<b/>\n<c"
            for chunk in 1...text.utf8.count {
                let lines = transcript(text, .fragments(in: .empty), chunk: chunk).lines
                #expect(lines.last == "error unexpectedEnd at \(place(of: "\u{FFFF}", in: text))", "\(opening)")
                #expect(!lines.contains { $0.contains("invalidContext") })
                // It does not search the content of an endless comment, instruction or CDATA section.
                let isSearched = opening == "<a b='"
                #expect(lines.contains("element \(place(of: "<b", in: text)) <b></>") == isSearched, "\(opening)")
            }
        }
    }
}
