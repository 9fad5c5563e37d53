// The output of a parser does not depend on how its input is cut: random inputs close to limits, the seeds of the
// fuzzer, and markup that is so long that the parser holds it back.

import TestSupport
import Testing

@testable import XMLTree

@Suite struct ParserCutsTests {
    private static let modes: [XMLStreamParser.Mode] = [
        .stream, .document, .fragments(in: .empty), .fragments(in: .clientStream),
    ]

    // MARK: Random inputs

    private static let pieces =
        (ParserOutputTests.fragments + ParserOutputTests.mistakes + ParserOutputTests.streams).map(\.text) + [
            "<b x='1'><c/>\n<d y=\">\"/></b>\n", "<a>\u{E9}\u{1F600}&amp;&#x20;</a>\n", "<open>", "</open>", "</a>",
            "</s:s>",
            "\n<a>\(String(repeating: "long text ", count: 40))</a>", "<a>\(String(repeating: "&lt;", count: 30))</a>",
            "<?x1>?>", "<?a:b?>", "<?pi > ?>", "<a b='' c='' d='' e=''/>", "<averylongnameindeed/>",
            "&averylongnameindeed;",
            "<a averylongnameindeed='", "<averylongnameindeed", "</averylongnameindeed", "&averylongnameindeed",
            "\n<a/>",
            "<!-- <a b=' -->&averylongnameindeed;", "<![CDATA[<a b=']]>&averylongnameindeed;", "\u{E9}", " ", "\n",
            "&#10;",
        ]
    /// Markup for the places before and after a root.
    private static let outsideRoot =
        ParserOutputTests.outsideRoot + [
            "", "", "\n", "<!DOCTYPE a", "<!DOCTYPE a [ ] x>", "<!DOCTYPE a []\u{E9}>", "<!DOCTYPE a [<!x>]]>", "<!DX",
            "x",
            "<!DOCTYPE a SYSTEM 'x>", "<!DOCTYPE a [<?pi ' ]>", "<!DOCTYPE a [<!-- -- -->]>", "<!DOCTYPE a [<![x[]]>]>",
            "<!DOCTYPE a [<!ENTITY b '\u{E9}]>'> <!x> ]>", "<!--> -- -->", "<?>?>", "<?x", "<!-->", "<!>", "<!-x     >",
            "<!DOCTYPE a [<?'?>]>", "<!DOCTYPE a [<?p'q?>]>", "<!x '> '> '>", "<?1?>", "<?xml?>", "<!\u{E9}", "<\u{E9}",
            "<![CDATA[x]]>", "\u{FEFF}", " \u{FEFF}",
        ]

    private static func text(_ mode: XMLStreamParser.Mode, using random: inout SeededGenerator) -> String {
        let content = (0..<Int.random(in: 1...8, using: &random)).map { _ in random.pick(pieces) }.joined()
        if mode.isFragments { return content }
        let start = mode == .stream ? "<s:s xmlns:s='urn:s' xmlns='urn:c'>" : "<root>"
        let before = random.pick(["", "", "<?xml version='1.0'?>\n"]) + random.pick(outsideRoot)
        return before + start + content + (random.chance(80) ? "</root>" + random.pick(outsideRoot) : "")
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

    @Test(arguments: modes) func randomInputs(_ mode: XMLStreamParser.Mode) {
        var random = SeededGenerator(salt: 4_242)
        var lines = 0
        for _ in 0..<SeededGenerator.cases(default: 300) {
            let text = Self.text(mode, using: &random)
            let limits = Self.limits(using: &random)
            let chunks = [1, 2, Int.random(in: 3...100, using: &random)]
            lines += transcript(text, mode, limits: limits, chunks: chunks).lines.count
        }
        #expect(lines > 300)
    }

    // MARK: Seeds

    @Test func findingsAreThere() throws {
        #expect(try FuzzSeeds.of("Parser").count { $0.name.hasPrefix("finding-") } >= 22)
    }

    /// The seeds of the fuzzer with all of its settings. The first four bytes of a seed choose one of them.
    @Test(arguments: ParserSetting.modes.indices, ParserSetting.limits.indices)
    func seeds(_ mode: Int, _ limits: Int) throws {
        let setting = ParserSetting(mode: mode, limits: ParserSetting.limits[limits])
        for (_, seed) in try FuzzSeeds.of("Parser") {
            let bytes = setting.header + seed.dropFirst(4)
            // Long chunks reach markup that the parser holds back, which begins at 2048 bytes.
            _ = transcript(bytes, setting.mode, limits: setting.limits, chunks: [1, 2, 300, 1000, 2100])
        }
    }

    // MARK: Long markup

    /// Markup with a filler of any length, and the end of the expected element, if there is one.
    @Test(arguments: [
        ("<m>text&#", "0", "41;</m>", "text)"), ("<m>text&#x", "0", "41;</m>", "textA"),
        ("<m>text&#x", "0", "41 </m>", nil),
        ("<m>&#x", "0", "41", nil), ("<m>&#x", "0", "", nil), ("<m>&#x", "0", ";</m>", nil),
        ("<m>&#x", "0", "<k/></m>", nil),
        ("<m>&#x", "0", "4\u{E9};</m>", nil), ("<m>&#", "0", "\u{1}</m>", nil), ("<m>&#x", "0", "41;]]></m>", nil),
        ("<m>&#x", "0", "41234567894123456789412345678941234567894123456789;</m>", nil),
        ("<m>x&#", "0", "65;&amp;</m>", "xA&"), ("<m>x&#", "0", "65;&unknown;</m>", nil),
        ("<m>x&#", "0", "65;&#66;</m>", "xAB"), ("<m>x&#", "0", "65;<b xmlns='u'/></m>", "xA<{u}b></>"),
        ("<m></m", "\r", ">", ""), ("<m></m", "\r", "'>\n<k/>", nil), ("<m></m", "\r", "<k/>", nil),
        ("<m></m", "\r", "x>\n<k/>", nil), ("<m></m", "\r", "", nil), ("<m></n", "\r", ">", nil),
        ("<m></m", "m", ">", nil),
        ("<m><![CDATA[", "x", "& x]]></m>", "& x"), ("<m><![CDATA[", "x", "&;&]]></m>", "&;&"),
        ("<m><![CDATA[", "x", "<<]]></m>", "<<"), ("<m><![CDATA[", "x", "<a <b>]]></m>", "<a <b>"),
        ("<m><![CDATA[", "x", "<!-- x]]></m>", "<!-- x"), ("<m><![CDATA[", "x", "<?x]]></m>", "<?x"),
        ("<m><![CDATA[", "x", "<!D]]></m>", "<!D"), ("<m><![CDATA[", "x", "</<]]></m>", "</<"),
        ("<m><![CDATA[", "x", "]]]></m>", "]"), ("<m><![CDATA[", "x", "]]]]></m>", "]]"),
        ("<m><![CDATA[", "x", "]]] >]]></m>", "]]] >"), ("<m><![CDATA[", "x", "> ]>]]></m>", "> ]>"),
        ("<m><![CDATA[", "<b> ", "\n<c/>\n", nil), ("<m>", "x", "]]>y</m>", nil), ("<m>", "x", "]] ></m>", "]] >"),
    ])
    func longMarkup(_ opening: String, _ filler: String, _ ending: String, _ end: String?) {
        for length in [0, 65, 300, 301, 2044, 5000] where length > 0 || filler != "m" {
            let text = opening + String(repeating: filler, count: length) + ending
            for (mode, beginning) in [
                (XMLStreamParser.Mode.stream, header), (.document, ""), (.fragments(in: .empty), ""),
            ] {
                let chunks = [
                    1, 7, 2047, 2049, (opening + String(repeating: filler, count: length)).utf8.count,
                ]
                let whole = transcript(text, mode, after: beginning, chunks: chunks)
                let isWhole = whole.lines.contains { $0.contains("m>") && $0.hasSuffix((end ?? "") + "</>") }
                #expect(isWhole == (end != nil), "\(length) in \(mode)")
                if length < 5000 { continue }
                let limits = ParserLimits(bytes: 3000, nameLength: 40)
                let limited = transcript(text, mode, after: beginning, limits: limits, chunks: chunks)
                #expect(!limited.lines.contains { $0.contains("m>") })
            }
        }
    }

    /// Between trees, long references may only be white space.
    @Test(arguments: [("10;", true), ("10;\n", true), ("65;\n", false), ("10 \n", false), ("10", false), ("", false)])
    func longReferencesBetweenTrees(_ ending: String, _ isGood: Bool) {
        for length in [0, 62, 2044, 5000] {
            for limits in [nil, ParserLimits(bytes: 3000)] {
                let text = "<m/>&#\(String(repeating: "0", count: length))\(ending)<k/>"
                for (mode, beginning) in [(XMLStreamParser.Mode.stream, header), (.fragments(in: .empty), "")] {
                    let whole = transcript(
                        text, mode, after: beginning, limits: limits, chunks: [1, 2, 1000, 2047, 2049])
                    let isRead = isGood || ending.hasSuffix("\n") && mode != .stream
                    #expect(whole.lines.contains { $0.hasSuffix("k></>") } == isRead, "\(whole)")
                }
            }
        }
    }

    /// At the end of the input, an end tag has only the beginning of a long name.
    @Test(arguments: [1, 15, 16, 17, 40, 64, 79], ["", ">", " ", " >"])
    func endTagsThatAreTooShort(length: Int, rest: String) {
        let name = String(repeating: "n", count: 200)
        let found = transcript("<\(name)></" + name.prefix(length) + rest, .document)
        #expect(found.lines.count == 1 && found.errors.count == 1)
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
            let whole = transcript(text, mode, chunks: [1, 7, 1000])
            #expect(whole.errors.count == 1 && whole.lines.last?.contains(" error ") == true, "\(whole)")
            // The error is known before the end.
            let start = try #require(Array(text.utf8).lastIndex { $0 == UInt8(ascii: "<") })
            var parser = XMLStreamParser(mode: mode)
            var beginning = Transcript()
            parser.feed(text.utf8.prefix(start + 9))
            beginning.drain(&parser)
            #expect(beginning == whole, "\(text.prefix(20))")
        }
    }

    /// A space before the stream does not count as part of the markup in place of its root.
    @Test func documentTypesAfterABlank() {
        let markup = "<!DOCTYPE \(String(repeating: "n", count: 491)) SYSTEM ''>"
        ParserCase("¦" + markup, .error(.restricted(.documentType))).expect(.stream, after: " ")
    }

    /// A byte order mark is a mistake unless it begins the input.
    @Test(arguments: modes) func byteOrderMarks(_ mode: XMLStreamParser.Mode) {
        for beginning in [
            "\u{FEFF}", " ", "\n\n", "    ", "<?xml version='1.0'?>", "<!-- -->", "<a/>", "<a/> ", "<", "<!DOCTYPE a [",
        ] {
            let errors = transcript(beginning + "\u{FEFF}<a>text</a>", mode).errors
            #expect(!errors.isEmpty, "\(beginning.debugDescription)")
        }
    }
}
