// The output of a parser does not depend on how its input is cut, even with mistakes close to limits.

import Foundation
import TestSupport
import Testing

@testable import XMLTree

@Suite struct ParserCutsTests {
    private static let pieces = [
        "<a/>", "<a>text</a>", "<b x='1'><c/>\n<d y=\">\"/></b>\n", "<e><![CDATA[</e>]]]]></e>", " ", "\n", "&#10;",
        "<a>\u{E9}\u{1F600}&amp;&#x20;</a>\n", "<p:a xmlns:p='urn:p' p:x='' y=''/>", "<open>", "</open>", "</a>",
        "</s:s>",
        "\n<a>\(String(repeating: "long text ", count: 40))</a>", "<a>\(String(repeating: "&lt;", count: 30))</a>",
    ]
    private static let mistakes = [
        "text", "\u{E9}", "]]>", "&unknown;", "& ", "&#0;", "&#", "<", "<!", "<!-x", "<!-xxxxxxxx", "<!DOCTYPE a>",
        "<?xml version='1.0'?>",
        "<a b='' b=''/>", "<a b='<'>", "<a b>", "<a b=''c=''>", "<q:a/>", "<!-- -- -->", "<a b='", "<a ", "</a x>",
        "</",
        "<a b='' c='' d='' e=''/>", "<averylongnameindeed/>", "</averylongnameindeed>", "<?1?>", "<!--->", "<!x>",
        "<!-- \u{E9} -- -->", "<!DX>", "<!DOCX",
        "&averylongnameindeed;",
        "<a averylongnameindeed='", "<averylongnameindeed", "</averylongnameindeed", "&averylongnameindeed",
        "<!-- <a b=' -->&averylongnameindeed;", "<![CDATA[<a b=']]>&averylongnameindeed;",
    ]
    private static let headers = [
        "", "", "<?xml version='1.0'?>\n", "<!-- -- -->", "<?1?>", "<?xml?>", "<!DOCTYPE a [ <!x> ]>", "<!DOCTYPE",
        "<!DX", "x", "<!-x     >", "<!x '> '> '>",
    ]
    /// Markup that streams refuse and other modes skip.
    private static let markup = [
        "<!-- comment -->", "<?x1>?>", "<?a:b?>", "<?pi > ?>", "<a><!-- comment --></a>", "<a><?pi ?></a>", "<!--",
    ]

    /// Valid and invalid markup for the places before and after a document's root.
    private static let outsideRoot =
        validBeforeRoot + [
            "\n", " ", "<!DOCTYPE a", "<!DOCTYPE a [ ] x>", "<!DOCTYPE a []\u{E9}>", "<!DOCTYPE a [<!x>]]>",
            "<!DOCTYPE a SYSTEM 'x>", "<!DOCTYPE a [<?pi ' ]>",
            "<!DOCTYPE a [<!-- -- -->]>", "<!DOCTYPE a [<!ENTITY b '\u{E9}]>'> <!x> ]>", "<!DOCTYPE a [<![x[]]>]>",
            "<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]>", "<!--> -- -->", "<?>?>", "<?x", "<!-->", "<!>", "<!-x>",
            "<!DOCTYPE a [<?'?>]>", "<!DOCTYPE a [<?p'q?>]>", "<!DOCTYPE a PUBLIC 'x>y' ''>",
            "<!DOCTYPE a [<!ELEMENT a (b)> %c; ]>", "\u{FEFF}", " \u{FEFF}", "\u{E9}", " \u{E9}", "<\u{E9}", "<!\u{E9}",
            "<![CDATA[x]]>", "<!DOCTYPE a [<!ATTLIST a b (c|d) #IMPLIED>]>",
            "<!DOCTYPE a [<!ATTLIST a b (c|c|d) #IMPLIED>]>", "<!DOCTYPE a [<!ATTLIST a b NOTATION (c|c) #IMPLIED>]>",
        ]

    /// Markup that contains text which looks like its end.
    private static let validBeforeRoot = [
        "<!--> hello -->", "<!---> hello -->", "<!-- > ' ]> -->", "<?pi > ]> ' ?>", "<!DOCTYPE a SYSTEM 'x>y'>",
        "<!DOCTYPE a PUBLIC '-//x' \"x'>y\">", "<!DOCTYPE a [<?pi ]> ?>]>", "<!DOCTYPE a [<!-- ]> -->]>",
        "<!DOCTYPE a [<?pi don't ?>]>", "<!DOCTYPE a [<!-- don't -->\n<!ENTITY b \"'>]>\">\n] >",
        "<!DOCTYPE a [<?pi <!-- ?>]>", "<!DOCTYPE a [<!--> ' -->]>", "<!DOCTYPE a [<!ELEMENT a (b)>]>",
    ]

    private static func text(_ mode: XMLStreamParser.Mode, using random: inout SeededGenerator) -> String {
        let badness = random.pick([5, 20, 50])
        var text = ""
        switch mode {
        case .stream: text = random.pick(headers) + "<s:s xmlns:s='urn:s' xmlns='urn:c'>"
        case .document:
            text = random.pick(["", "<?xml version='1.0'?>"])
            if random.chance(50) { text += random.pick(outsideRoot) }
            if random.chance(30) { text += random.pick(outsideRoot) }
            text += "<root>"
        case .fragments: break
        }
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let isMistake = random.chance(badness)
            text += random.pick(isMistake ? mistakes : random.chance(15) ? markup : pieces)
        }
        if mode == .document, random.chance(80) {
            text += "</root>"
            while random.chance(40) { text += random.pick(random.chance(80) ? outsideRoot : mistakes) }
        }
        return text
    }

    private static func limits(using random: inout SeededGenerator) -> ParserLimits {
        var limits = ParserLimits(bytes: Int.random(in: 1...random.pick([20, 60, 500]), using: &random))
        if random.chance(50) { limits.bytes = 1_000 }
        if random.chance(30) { limits.depth = 2 }
        if random.chance(30) { limits.attributes = 2 }
        if random.chance(30) { limits.nameLength = 8 }
        if random.chance(30) { limits.elements = 4 }
        if random.chance(30) { limits.names = 5 }
        return limits
    }

    @Test(arguments: [XMLStreamParser.Mode.stream, .document, .fragments(in: .empty), .fragments(in: .clientStream)])
    func randomCuts(_ mode: XMLStreamParser.Mode) {
        var random = SeededGenerator(salt: 4_242)
        for round in 0..<SeededGenerator.cases(default: 300) {
            let text = Self.text(mode, using: &random)
            let limits = Self.limits(using: &random)
            let whole = transcript(text, mode, limits: limits).lines
            for chunk in [1, 2, Int.random(in: 3...100, using: &random)] {
                let lines = transcript(text, mode, chunk: chunk, limits: limits).lines
                guard lines != whole else { continue }
                let at = zip(lines, whole).prefix { $0 == $1 }.count
                Issue.record(
                    """
                    STANZA_SEED=\(SeededGenerator.seed), round \(round), \(text.debugDescription) in chunks of \(chunk), \
                    \(limits): \(lines[at...].first ?? "nothing") instead of \(whole[at...].first ?? "nothing")
                    """)
                return
            }
        }
    }

    /// The parser skips correct markup outside the root, however long it is and however it is cut.
    @Test(arguments: validBeforeRoot)
    func markupOutsideTheRoot(_ markup: String) {
        let filler = String(repeating: "x", count: 600)
        let long = markup.replacing("'x", with: "'\(filler)").replacing("pi ", with: "pi \(filler) ")
            .replacing("hello", with: filler).replacing("<!-- ", with: "<!-- \(filler) ")
        for markup in [markup, long] {
            var texts = [markup + "<a>text</a>"]
            if !markup.hasPrefix("<!D") { texts += ["<a>text</a>\n" + markup, markup + " <a>text</a>" + markup] }
            for text in texts {
                let expected = "element \(place(of: "<a>", in: text)) <a>text</>"
                for chunk in [1, 2, 3, 7, 100, 256, text.utf8.count] {
                    let lines = transcript(text, .document, chunk: chunk).lines
                    #expect(lines == [expected], "\(text) in chunks of \(chunk)")
                }
            }
        }
    }

    /// A byte order mark is a mistake unless it begins the input.
    @Test(arguments: [XMLStreamParser.Mode.stream, .document, .fragments(in: .empty), .fragments(in: .clientStream)])
    func byteOrderMarks(_ mode: XMLStreamParser.Mode) {
        let beginnings = [
            "\u{FEFF}", " ", "\n\n", "    ", "<?xml version='1.0'?>", "<!-- -->", "<a/>", "<a/> ", "<", "<!DOCTYPE a [",
        ]
        for text in beginnings.map({ $0 + "\u{FEFF}<a>text</a>" }) {
            let whole = transcript(text, mode).lines
            #expect(whole.contains { $0.hasPrefix("error") }, "\(text.debugDescription): \(whole)")
            for chunk in 1...text.utf8.count {
                let lines = transcript(text, mode, chunk: chunk).lines
                #expect(lines == whole, "\(text.debugDescription) in chunks of \(chunk)")
            }
        }
    }

    /// The parser refuses text that only looks like a comment or a document type, without reading its end.
    @Test(
        arguments: [XMLStreamParser.Mode.stream, .document],
        [
            "<![CDATA[", "<!x [", "<!-x [", "<!-", "<!x '", " <!\u{E9} [", "<!Dx '", "<!DOCTYPx '", "<a/><![CDATA[",
            "<a/> <!x [", "<a/><!-", "<?xml version='1.0'?><!x '", "<!DOCTYPE a><!x '",
        ])
    func noMarkupOutsideTheRoot(_ mode: XMLStreamParser.Mode, _ markup: String) throws {
        for filler in [" ", "x", "> ", "'>' "] {
            let text = markup + String(repeating: filler, count: 5000) + "> "
            let whole = transcript(text, mode).lines
            #expect(whole.last?.hasPrefix("error") == true, "\(whole)")
            for chunk in [1, 7, 1000] {
                #expect(transcript(text, mode, chunk: chunk).lines == whole, "chunks of \(chunk)")
            }
            var parser = XMLStreamParser(mode: mode)
            var lines = Transcript()
            let start = try #require(markup.range(of: "<!", options: .backwards)?.lowerBound)
            for byte in text.utf8.prefix(markup.utf8.distance(from: markup.startIndex, to: start) + 9) {
                parser.feed([byte])
                lines.drain(&parser)
            }
            #expect(lines.lines == whole, "\(text.prefix(20))")
        }
    }

    /// After a token that is too long, the parser continues with the fragment in the next line.
    @Test(arguments: [
        "<a averylongnameindeed='>", "<a averylongnameindeed", "</averylongnameindeed", "&averylongnameindeed",
    ])
    func nextLineAfterALongName(_ start: String) {
        let text = start + "\n<b/>"
        for chunk in 1...text.utf8.count {
            let lines = transcript(text, .fragments(in: .empty), chunk: chunk, limits: ParserLimits(nameLength: 8))
                .lines
            #expect(lines.count == 2 && lines.last?.hasPrefix("error") == false, "chunks of \(chunk): \(lines)")
        }
    }

    /// The parser reports a mistake that shows within the limit of bytes. Beyond the limit, it looks only at markup.
    @Test(arguments: [
        ("<m>text ¦]]> and more text</m>", 11), ("<m b ¦c=''>and more text</m>", 6),
        ("<m><!-- ¦-- and more text--></m>", 0),
        ("<m>¦&#0;</m>", 7), ("<m>text¦</o></m>", 11), ("<m b=''¦c=''>text</m>", 8),
    ])
    func mistakesAtTheLimit(_ marked: String, _ shows: Int) throws {
        let text = marked.replacing("¦", with: "")
        for bytes in 1..<text.utf8.count {
            let whole = transcript(text, .fragments(in: .empty), limits: ParserLimits(bytes: bytes)).lines
            let error = try #require(whole.first)
            #expect(error.hasPrefix("rejected bytes") == (bytes < shows), "\(bytes) bytes: \(error)")
            let place = place(of: "¦", in: marked)
            #expect(bytes < shows || error.hasPrefix("error") && error.hasSuffix(" at \(place)"), "\(error)")
            for chunk in 1...text.utf8.count {
                let lines = transcript(text, .fragments(in: .empty), chunk: chunk, limits: ParserLimits(bytes: bytes))
                    .lines
                #expect(lines == whole, "\(bytes) bytes, chunks of \(chunk)")
            }
        }
    }

    /// Zeros that the parser drops from a long reference do not affect the markup that follows.
    @Test(arguments: ["&amp;</m>", "&unknown;</m>", "<?aaaaaaaaaaaaaaaaaaaaaaaa x?></m>", "<b/></m>", "&#66;</m>"])
    func markupAfterLongReferences(_ rest: String) {
        let modes: [(XMLStreamParser.Mode, String)] = [
            (.stream, header), (.document, ""), (.fragments(in: .empty), ""),
        ]
        for (mode, beginning) in modes {
            for count in [0, 1, 30, 60, 61, 62, 63, 64, 65, 66, 100, 120, 200, 1000] {
                let pieces = ["<m>x", "&#" + String(repeating: "0", count: count), "65;", rest]
                let whole = transcript(Array(pieces.joined().utf8), mode, behind: beginning).lines
                var parser = XMLStreamParser(mode: mode)
                var cut = Transcript()
                for piece in [beginning] + pieces {
                    parser.feed(piece)
                    cut.drain(&parser)
                }
                parser.finish()
                cut.drain(&parser)
                #expect(cut.lines == whole, "\(mode), \(count) zeros")
            }
        }
    }

    /// The end of a CDATA section in text, at the ends of blocks.
    @Test func endsOfCharacterDataInLongText() {
        for length in 290...310 {
            let text = "<m>\(String(repeating: "x", count: length))]]>\(String(repeating: "y", count: 600))</m>"
            let whole = transcript(text, .document).lines
            #expect(
                whole.count == 1 && whole.first?.hasSuffix(" at \(place(of: "]]>", in: text))") == true, "\(length)")
            for chunk in [1, 2, 3, 100, 301] {
                #expect(transcript(text, .document, chunk: chunk).lines == whole, "\(length), chunks of \(chunk)")
            }
        }
    }
}
