// Every kind of error: its kind, its place, and the stream error for it.

import TestSupport
import Testing

@testable import XMLTree

@Suite struct ParserErrorsTests {
    /// Stream content after the header, with `¦` at the place of the expected error.
    struct Case: CustomTestStringConvertible {
        let content: String
        let kind: XMLParseError.Kind
        let condition: XMLParseError.StreamCondition

        init(_ content: String, _ kind: XMLParseError.Kind, _ condition: XMLParseError.StreamCondition) {
            self.content = content
            self.kind = kind
            self.condition = condition
        }

        var testDescription: String { content }
    }

    static let streamCases = [
        Case("<a>¦<!-- x --></a>", .restricted(.comment), .restrictedXML),
        Case("¦<!-- x -->", .restricted(.comment), .restrictedXML),
        Case("¦<!--> x <!-->", .restricted(.comment), .restrictedXML),
        Case("<a>¦<?x y<?x?></a>", .restricted(.processingInstruction), .restrictedXML),
        Case("¦<?xml version='1.0'?>", .restricted(.xmlDeclaration), .restrictedXML),
        Case("<a>¦<?xml version='1.0'?></a>", .restricted(.xmlDeclaration), .restrictedXML),
        Case("¦<?xml?>", .restricted(.xmlDeclaration), .restrictedXML),
        Case("¦<?xml<", .restricted(.xmlDeclaration), .restrictedXML),
        Case("¦<?XmL x?>", .restricted(.xmlDeclaration), .restrictedXML),
        Case("¦<?xml-stylesheet href=''?>", .restricted(.processingInstruction), .restrictedXML),
        Case("¦<?xml1 y?>", .restricted(.processingInstruction), .restrictedXML),
        Case("¦<?xmlé y?>", .restricted(.processingInstruction), .restrictedXML),
        Case("<?xml¦", .unexpectedEnd, .notWellFormed),
        Case("¦<!DOCTYPE a>", .restricted(.documentType), .restrictedXML),
        Case("<a>¦&nbsp;</a>", .entityReference("nbsp"), .restrictedXML),
        Case("<a b='\n x¦&nbsp;'/>", .entityReference("nbsp"), .restrictedXML),
        Case("<a>¦&nbsp;", .entityReference("nbsp"), .restrictedXML),
        Case(" ¦&nbsp;", .entityReference("nbsp"), .restrictedXML),
        Case("<a> ¦&#0;", .forbiddenReference, .notWellFormed),
        Case("<a>¦&#0;</a>", .forbiddenReference, .notWellFormed),
        Case("<a>¦&#x;</a>", .incompleteNumber, .notWellFormed),
        Case("<a b='¦&#xFFFF;'/>", .forbiddenReference, .notWellFormed),
        Case("<c>\u{20AC}</c> <a b='1' ¦b='2'/>", .duplicateAttribute("b"), .notWellFormed),
        Case("<a><b>¦</a>", .mismatchedEndTag, .notWellFormed),
        Case("¦</a>", .mismatchedEndTag, .notWellFormed),
        Case(" \n  ¦text<a/>", .textBetweenElements, .badFormat),
        Case("<a/>¦&amp;<a/>", .textBetweenElements, .badFormat),
        Case("<a/>\n¦<![CDATA[x]]>", .textBetweenElements, .badFormat),
        Case("</stream:stream>\n¦<a/>", .contentAfterEnd, .notWellFormed),
        Case("<a>¦", .unexpectedEnd, .notWellFormed),
        Case("<a/>¦", .unexpectedEnd, .notWellFormed),
        Case("<a/><b¦", .unexpectedEnd, .notWellFormed),
    ]

    @Test(arguments: streamCases)
    func streamErrors(_ example: Case) throws {
        let text = header + example.content.replacing("¦", with: "")
        let place = place(of: "¦", in: header + example.content)
        for chunk in [1, 3, .max] {
            let expected = "error \(example.kind) at \(place)"
            #expect(transcript(text, .stream, chunk: chunk).lines.last == expected)
        }
        #expect(XMLParseError(example.kind, at: .start).streamCondition == example.condition)
        #expect(!XMLParseError(example.kind, at: .start).description.isEmpty)
    }

    static let malformed = [
        "<a b='¦<'/>", "<a b=¦c/>", "<a b ¦c='1'/>", "<a b='1'¦c='2'/>", "<a><¦1/></a>", "<a>¦]]></a>", "<a¦/ >",
        "<a>¦& </a>", "<a>¦&#x</a>", "<a>¦&#12a;</a>", "<a><b/></a ¦b>", "<a>¦<!x></a>", "<a b='¦&c'/>", "<a>¦&;</a>",
        "<a>¦& x;</a>",
        "<a></a ¦'>'", "<a></a¦\">\"", "<a></¦'a'>", "<a></¦ 'a'>", "<a></a ¦b='>'>",
        "<a><¦<b/></a>", "<a ¦<b/>", "<a b='¦<c/>'/>", "<a>¦&x</a>&y;",
    ]

    @Test(arguments: malformed)
    func malformedInput(_ content: String) {
        let text = header + "<ok/>" + content.replacing("¦", with: "") + "\n"
        let whole = transcript(text, .stream)
        for chunk in 1...text.utf8.count {
            let lines = transcript(text, .stream, chunk: chunk).lines
            #expect(lines == whole.lines)
            #expect(lines.count == 3)
            #expect(lines.last?.hasPrefix("error malformed") == true)
            let offset = lines.last?.split(separator: "@").last.flatMap { Int($0) } ?? 0
            let expected = (header + "<ok/>" + content).utf8.firstIndex(of: 0xC2)
                .map { (header + "<ok/>" + content).utf8.distance(from: text.utf8.startIndex, to: $0) }
            #expect(offset == expected, "\(lines.last ?? "")")
        }
    }

    /// A processing instruction needs white space after its target, even at the end of the input.
    @Test(arguments: ["<?p¦<x?>", "<?p¦/", "<?p¦/?>"])
    func instructionsWithoutSpace(_ markup: String) {
        let text = "<a/>\n" + markup
        let input = text.replacing("¦", with: "")
        let kind = XMLParseError.Kind.malformed("expected white space here")
        for mode in [XMLStreamParser.Mode.document, .fragments(in: .empty)] {
            for chunk in 1...input.utf8.count {
                let lines = transcript(input, mode, chunk: chunk).lines
                #expect(lines.count == 2 && lines.last == "error \(kind) at \(place(of: "¦", in: text))", "\(lines)")
            }
        }
    }

    /// Declarations need white space, too.
    @Test(arguments: ["<?xml version='1.0'¦<?><a/>", "<!DOCTYPE¦<x>><a/>"])
    func declarationsWithoutSpace(_ text: String) {
        let input = text.replacing("¦", with: "")
        let expected =
            "error \(XMLParseError.Kind.malformed("expected white space here")) at \(place(of: "¦", in: text))"
        for chunk in 1...input.utf8.count {
            #expect(transcript(input, .document, chunk: chunk).lines == [expected], "chunks of \(chunk)")
        }
    }

    /// The input ends after a '?'.
    @Test(arguments: [
        "<?p?", "<?p ?", "<?xml version='1.0'?", "<?xml version='1.0' ?", "<?xml version='1.0' encoding='utf-8'?",
        "<?xml version='1.0' encoding='utf-8' standalone='no'?",
        "<?xml version='1.0' encoding='utf-8' standalone='no' ?",
    ])
    func instructionsWithoutEnd(_ markup: String) {
        let modes: [XMLStreamParser.Mode] =
            markup.hasPrefix("<?p")
            ? [.document, .fragments(in: .empty)] : [.stream, .document, .fragments(in: .empty)]
        for mode in modes {
            for chunk in 1...markup.utf8.count {
                let lines = transcript(markup, mode, chunk: chunk).lines
                #expect(lines == ["error unexpectedEnd at 1:\(markup.count + 1)@\(markup.count)"], "\(mode)")
            }
            // Instructions between fragments take no memory and have no limit.
            let limits = ParserLimits(bytes: markup.utf8.count)
            if mode != .document, markup.hasPrefix("<?p") { continue }
            let lines = transcript(markup + ">", mode, limits: limits).lines
            #expect(lines == ["error \(XMLParseError.Kind.limit(.bytes, maximum: markup.utf8.count)) at 1:1@0"])
        }
    }

    @Test func otherEncodingsAreErrors() {
        for mode in [XMLStreamParser.Mode.stream, .document] {
            let declared = "<?xml version='1.0' encoding='ISO-8859-1'?><a/>"
            #expect(
                transcript(declared, mode, chunk: 1).lines
                    == ["error unsupportedEncoding(\"ISO-8859-1\") at \(place(of: "ISO", in: declared))"])
            #expect(transcript("<?xml version='1.0' encoding='utf-8'?><a/>", .document).lines.count == 1)
            // Only the beginning of a long name is shown.
            let (long, shown) = (String(repeating: "a", count: 9_000), String(repeating: "a", count: 1_000))
            #expect(
                transcript("<?xml version='1.0' encoding='\(long)'?><a/>", mode).lines
                    == ["error unsupportedEncoding(\"\(shown)\") at 1:31@30"])
        }
        for bytes: [UInt8] in [
            [0xFE, 0xFF, 0, 0x3C], [0xFF, 0xFE, 0x3C, 0], [0, 0x3C, 0, 0x61], [0x3C, 0, 0x61, 0], [0, 0, 0xFE, 0xFF],
            [0, 0, 0, 0x3C], [0x3C, 0, 0, 0], [0xFE, 0xFF], [0, 0x3C],
        ] {
            for chunk in 1...4 {
                let lines = transcript(bytes, .stream, chunk: chunk).lines
                #expect(lines.count == 1)
                #expect(lines[0].hasPrefix("error unsupportedEncoding(\"UTF-16 or UTF-32\") at 1:"))
            }
        }
    }

    /// Only the beginnings of XML 1.0, appendix F, show an encoding.
    @Test func otherZerosAreForbiddenCharacters() {
        for (bytes, error) in [
            ([0], "forbiddenCharacter(\"\\0\") at 1:1@0"), ([0, 0], "forbiddenCharacter(\"\\0\") at 1:1@0"),
            ([0, 0, 0, 0x61], "forbiddenCharacter(\"\\0\") at 1:1@0"),
            ([0, 0x61], "forbiddenCharacter(\"\\0\") at 1:1@0"),
            ([0, 0, 0x3C], "forbiddenCharacter(\"\\0\") at 1:1@0"),
            ([0x20, 0, 0x3C], "forbiddenCharacter(\"\\0\") at 1:2@1"),
            ([0xFE], "invalidUTF8 at 1:1@0"), ([0xFF, 0x3C], "invalidUTF8 at 1:1@0"),
            ([0xFE, 0xFE, 0xFF], "invalidUTF8 at 1:1@0"),
        ] as [([UInt8], String)] {
            for mode in [XMLStreamParser.Mode.stream, .document, .fragments(in: .empty)] {
                for chunk in 1...4 {
                    #expect(transcript(bytes, mode, chunk: chunk).lines == ["error \(error)"], "\(bytes)")
                }
            }
        }
    }

    /// The parser waits for the bytes that decide, and for no others.
    @Test func encodingsDoNotDependOnTheLengthOfTheParts() {
        let alphabet: [UInt8] = [0, 0x3C, 0xFE, 0xFF, 0x20, 0x61]
        for number in 0..<1296 {
            let bytes = [number / 216, number / 36 % 6, number / 6 % 6, number % 6].map { alphabet[$0] }
            for mode in [XMLStreamParser.Mode.stream, .document, .fragments(in: .empty)] {
                let lines = transcript(bytes, mode, chunk: 4).lines
                for chunk in 1...3 { #expect(transcript(bytes, mode, chunk: chunk).lines == lines, "\(bytes)") }
            }
        }
    }

    /// A document type declaration after a mistake does not change the error, whether it was fed already or not.
    @Test func documentTypesAfterMistakes() {
        for mistake in ["</a>", "<a></b>", "<p:a/>", "<a b='' b=''/>", "<a b='", "<a ", "&unknown;", "&#0;", "]]>"] {
            let text = "<a/>\n\(mistake)<!DOCTYPE a>\n<a/>"
            let expected = transcript(text, .fragments(in: .empty), chunk: 1).lines
            #expect(expected.count == 3 && expected[1].hasPrefix("error") && !expected[1].contains("documentType"))
            for chunk in 2...text.utf8.count {
                #expect(
                    transcript(text, .fragments(in: .empty), chunk: chunk).lines == expected, "\(mistake) by \(chunk)")
            }
        }
    }

    @Test func failedParsersStayFailed() throws {
        var parser = XMLStreamParser(mode: .stream)
        parser.feed(header + "<a/>\n<b></c><d/>")
        var lines = Transcript()
        lines.drain(&parser)
        #expect(lines.lines.count == 3)
        parser.feed("<e/>")
        parser.finish()
        // The parser throws the error only once, so that a caller that continues after errors terminates.
        for _ in 0..<2 {
            let event = try parser.next()
            #expect(event == nil)
            let hasFailed = parser.hasFailed
            #expect(hasFailed)
        }
        parser.reset()
        let hasFailed = parser.hasFailed
        #expect(!hasFailed)
    }

    @Test func fragmentsThatEndTooEarlyHaveNotFailed() {
        var parser = XMLStreamParser(mode: .fragments(in: .empty))
        parser.feed("<a>")
        parser.finish()
        #expect(throws: XMLParseError.self) { try parser.next() }
        let hasFailed = parser.hasFailed
        #expect(!hasFailed)
    }

    @Test func aNameWithThePrefixForDeclarations() {
        let error = XMLParseError(.unboundPrefix("xmlns"), at: .start)
        #expect(transcript("<xmlns:a/>", .document).lines == ["error \(error.kind) at 1:2@1"])
        #expect(error.message == "the prefix 'xmlns' is only for declarations; use another prefix")
    }

    @Test func namespacesThatAreNoURIsAreNoErrors() {
        let text = "<a xmlns='no uri' xmlns:p='../relative' xmlns:q='::' p:x='1' q:y='2'><b xmlns=':'/></a>"
        #expect(transcript(text, .fragments(in: .empty)).lines.count == 1)
        #expect(transcript(text, .fragments(in: .empty)).lines[0].hasPrefix("element"))
        for bad in [
            "<a xmlns:p=''/>", "<a xmlns:xml='urn:x'/>", "<a xmlns:xmlns='urn:x'/>", "<a:b:c xmlns:a='urn:a'/>",
            "<a: />",
            "<:a/>", "<a xmlns:p='http://www.w3.org/2000/xmlns/'/>",
            "<a xmlns='http://www.w3.org/XML/1998/namespace'/>",
            "<a xmlns:p='u' xmlns:q='u' p:x='' q:x=''/>",
        ] {
            #expect(transcript(bad, .fragments(in: .empty)).lines[0].hasPrefix("error"), "\(bad)")
        }
    }

    @Test func contextsThatCannotBeDeclaredAreErrors() {
        for context in [
            NamespaceContext(prefixes: ["": "urn:x"]), NamespaceContext(prefixes: ["a b": "urn:x"]),
            NamespaceContext(prefixes: ["a": ""]), NamespaceContext(prefixes: ["xmlns": "urn:x"]),
            NamespaceContext(defaultNamespace: "\u{0}"), NamespaceContext(prefixes: ["a='' b": "urn:x"]),
            NamespaceContext(prefixes: ["a='u'><evil/><x xmlns:b": "u"]), NamespaceContext(prefixes: ["a:b": "urn:x"]),
            NamespaceContext(prefixes: ["a='u' xmlns:b": "u"]), NamespaceContext(prefixes: ["a": "\u{FFFE}"]),
        ] {
            #expect(transcript("<a/>\n<b/>", .fragments(in: context)).lines == ["error invalidContext at 1:1@0"])
        }
        let odd = NamespaceContext(defaultNamespace: "a'\"<&>\n", prefixes: ["xml": "ignored", "\u{E9}": "u"])
        #expect(
            transcript("<\u{E9}:a b=''><c/></\u{E9}:a>", .fragments(in: odd)).lines == [
                "element 1:1@0 <{u}\u{E9}:a b=''><{a'\"<&>\n}c></></>"
            ])
    }

    /// The input that completes an invalid context has no effect on the next input.
    @Test func anInvalidContextLeavesNothing() {
        var parser = XMLStreamParser(mode: .fragments(in: NamespaceContext(prefixes: ["a b": "urn:x"])))
        for _ in 0..<2 {
            var lines = Transcript()
            parser.feed("<a/>")
            lines.drain(&parser)
            #expect(lines.lines == ["error invalidContext at 1:1@0"])
            parser.reset()
        }
    }

    // MARK: Entities

    @Test func entityBombsAreHarmless() {
        var laughs = "<!ENTITY e0 'ha'>"
        for level in 1...30 {
            laughs += "<!ENTITY e\(level) '" + String(repeating: "&e\(level - 1);", count: 10) + "'>"
        }
        let bombs = [
            "<!DOCTYPE a [\(laughs)]><a>&e30;</a>", "<!DOCTYPE a [\(laughs)]><a b='&e30;'/>",
            "<!DOCTYPE a [<!ENTITY % p '\(laughs.replacing("'", with: "\""))'> %p;]><a>&e30;</a>",
            "<!DOCTYPE a [<!ENTITY a '&b;'><!ENTITY b '&a;'>]><a>&a;</a>",
            "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
            "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a>&x;</a>",
            "<!DOCTYPE a [<!ENTITY % x SYSTEM 'file:///etc/passwd'> %x;]><a>&y;</a>",
        ]
        for bomb in bombs {
            for mode in [XMLStreamParser.Mode.stream, .document, .fragments(in: .clientStream)] {
                var lines: [String] = []
                // The first of them expand to 10^30 words.
                let time = processorTime { lines = transcript(bomb, mode).lines }
                #expect(time < 1, "\(mode): \(bomb.prefix(60))")
                #expect(lines.count == 1)
                #expect(lines.first?.hasPrefix("error") == true, "\(mode): \(bomb.prefix(60))")
            }
        }
        #expect(
            transcript(bombs[0], .stream).lines == [
                "error restricted(XMLTree.XMLParseError.Markup.documentType) at 1:1@0"
            ])
        #expect(transcript(bombs[3], .document).lines[0].hasPrefix("error entityReference(\"a\")"))
        #expect(transcript(bombs[5], .document).lines[0].hasPrefix("error entityReference(\"x\")"))
        // The parser does not read default values of attributes.
        let attributes = "<!DOCTYPE a [<!ATTLIST a b CDATA '\(String(repeating: "x", count: 1000))'>]><a/>"
        #expect(transcript(attributes, .document).lines.last?.hasSuffix(" <a></>") == true)
        // Redefining the five predefined entities has no effect.
        let redefined = "<!DOCTYPE a [<!ENTITY lt 'boo'><!ENTITY amp \"boo\">]><a b='&lt;'>&amp;&lt;</a>"
        #expect(transcript(redefined, .document).lines.last?.hasSuffix("<a b='<'>&<</>") == true)
    }
}
