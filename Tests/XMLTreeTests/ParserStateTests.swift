// The parser from call to call: the time of events, failures, resets, contexts, encodings, and its storage of trees.

import Testing

@testable import XMLTree

@Suite struct ParserStateTests {
    private static let fragments = XMLStreamParser.Mode.fragments(in: .empty)

    @Test func aStanzaIsOutWithItsLastByte() throws {
        let stanzas = [
            "<message/>", "<message></message>", "<message a='>'/>", "<message>it's</message >",
            "<m><![CDATA[<']]></m>", "<m>\"</m\n>", "<m>\u{20AC}&gt;]]</m>", "<m a='\u{20AC}'\r/>", "<m> \r</m>",
        ]
        for mode in [XMLStreamParser.Mode.stream, .fragments(in: .clientStream)] {
            var parser = XMLStreamParser(mode: mode)
            if mode == .stream { parser.feed(header) }
            _ = try parser.next()
            for stanza in stanzas {
                for byte in stanza.utf8.dropLast() {
                    parser.feed(CollectionOfOne(byte))
                    let early = try parser.next()
                    #expect(early == nil, "\(stanza)")
                }
                parser.feed(CollectionOfOne(UInt8(ascii: ">")))
                let event = try parser.next()
                #expect(event != nil, "\(stanza)")
                parser.feed("\r\n")
            }
        }
    }

    @Test func anElementFromText() throws {
        #expect(
            try Element(stanza: " <!-- x --><a><b/></a>\n").dump
                == "<{jabber:client}a><{jabber:client}b></></>")
        #expect(try Element(parsing: Array("<a/>".utf8)).dump == "<a></>")
        #expect(try Element(parsing: Array("<a/>".utf8).lazy.map { $0 }).dump == "<a></>")
        for (text, kind) in [
            ("", XMLParseError.Kind.notOneElement), ("<a/><b/>", .notOneElement), ("<a>", .unexpectedEnd),
            ("<a><b/></a>", .limit(.depth, maximum: 1)),
        ] {
            let error = #expect(throws: XMLParseError.self) {
                try Element(parsing: text, limits: ParserLimits(depth: kind == .unexpectedEnd ? 2 : 1))
            }
            #expect(error?.kind == kind)
        }
    }

    @Test func failedParsersStayFailed() throws {
        var parser = XMLStreamParser(mode: .stream)
        parser.feed(header + "<a/>\n<b></c><d/>")
        var found = Transcript()
        found.drain(&parser)
        #expect(found.lines.count == 3)
        parser.feed("<e/>")
        parser.finish()
        // The parser throws the error only once, so that a caller that continues after errors terminates.
        let event = try parser.next()
        let hasFailed = parser.hasFailed
        #expect(event == nil && hasFailed)
        parser.reset()
        let hasStillFailed = parser.hasFailed
        #expect(!hasStillFailed)
        // Fragments that end too early have not failed.
        var fragments = XMLStreamParser(mode: Self.fragments)
        _ = Transcript(of: Array("<a>".utf8), in: &fragments)
        let haveFailed = fragments.hasFailed
        #expect(!haveFailed)
    }

    @Test func resetBeginsANewStream() {
        var parser = XMLStreamParser(mode: .stream)
        for former in [header + "<a/><b>half", "<", "\0", "\u{20AC}"] {
            parser.feed(Array(former.utf8.prefix(former.utf8.count > 3 ? .max : 1)))
            if former == "<" { parser.finish() }
            parser.reset()
        }
        var found = Transcript()
        found.drain(&parser)
        parser.feed("<?xml version='1.0'?><s:stream xmlns:s='urn:s'><a/></s:stream>")
        found.drain(&parser)
        #expect(found.lines == ["1:22@21 start <{urn:s}s:stream declare {urn:s}s></>", "1:48@47 <a></>", "end"])
    }

    /// A reset keeps the names of fragments.
    @Test func aResetKeepsTheContextOfFragments() {
        var parser = XMLStreamParser(mode: .fragments(in: .clientStream))
        var sizes = Set<Int>()
        for round in 0..<100 {
            parser.feed("\u{FEFF}\n<a b='c'>x</a>\n")
            if round % 2 == 0 { parser.finish() }
            var found = Transcript()
            found.drain(&parser)
            #expect(found.lines == ["2:1@4 <{jabber:client}a b='c'>x</>"])
            let size = parser.dictionarySize
            sizes.insert(size)
            parser.reset()
        }
        #expect(sizes.count == 1)
    }

    @Test func contextsThatCannotBeDeclaredAreErrors() {
        for context in [
            NamespaceContext(prefixes: ["": "urn:x"]), NamespaceContext(prefixes: ["a b": "urn:x"]),
            NamespaceContext(prefixes: ["a": ""]), NamespaceContext(prefixes: ["xmlns": "urn:x"]),
            NamespaceContext(defaultNamespace: "\u{0}"), NamespaceContext(prefixes: ["a='' b": "urn:x"]),
            NamespaceContext(prefixes: ["a='u'><evil/><x xmlns:b": "u"]), NamespaceContext(prefixes: ["a:b": "urn:x"]),
            NamespaceContext(prefixes: ["a='u' xmlns:b": "u"]), NamespaceContext(prefixes: ["a": "\u{FFFE}"]),
        ] {
            ParserCase("¦<a/>\n<b/>", .error(.invalidContext)).expect(.fragments(in: context))
        }
        let odd = NamespaceContext(defaultNamespace: "a'\"<&>\n", prefixes: ["xml": "ignored", "\u{E9}": "u"])
        ParserCase("¦<\u{E9}:a b=''><c/></\u{E9}:a>", "<{u}\u{E9}:a b=''><{a'\"<&>\n}c></></>").expect(
            .fragments(in: odd))
    }

    // MARK: Encodings

    /// Text is decoded already, so only bytes can be in another encoding.
    @Test func textHasNoEncoding() throws {
        let declared = "<?xml version='1.0' encoding='ISO-8859-1'?><a k='é'/>"
        #expect(try Element(parsing: declared).dump == "<a k='é'></>")
        #expect(throws: XMLParseError.self) { try Element(parsing: Array(declared.utf8)) }
        #expect(throws: XMLParseError.self) { try Element(parsing: "<?xml version='1.0' encoding=''latin1?><a/>") }
        for name in ["", "8859", "-1", "ISO 8859", "é", "UTF_8", "AZaz.-09_"] {
            let parsed = try? Element(parsing: "<?xml version='1.0' encoding='\(name)'?><a/>")
            #expect((parsed != nil) == ["UTF_8", "AZaz.-09_"].contains(name), "\(name)")
        }
        var parser = XMLStreamParser(mode: .document)
        parser.feed(declared)
        var found = Transcript()
        found.drain(&parser)
        #expect(found.lines == ["1:44@43 <a k='é'></>"])
        parser.reset()
        #expect(
            Transcript(of: Array(declared.utf8), in: &parser).errors.map(\.kind) == [.unsupportedEncoding("ISO-8859-1")]
        )
    }

    @Test func otherEncodingsAreErrors() {
        // Only the beginning of a long name is shown.
        let (long, shown) = (String(repeating: "a", count: 9_000), String(repeating: "a", count: 1_000))
        for mode in [XMLStreamParser.Mode.stream, .document] {
            ParserCase("<?xml version='1.0' encoding='¦ISO-8859-1'?><a/>", .error(.unsupportedEncoding("ISO-8859-1")))
                .expect(mode)
            ParserCase("<?xml version='1.0' encoding='¦\(long)'?><a/>", .error(.unsupportedEncoding(shown))).expect(
                mode)
        }
        ParserCase("<?xml version='1.0' encoding='utf-8'?>¦<a/>", "<a></>").expect(.document)
    }

    /// Only the beginnings of XML 1.0, appendix F, show an encoding. Other zeros are forbidden characters.
    @Test(
        arguments: [
            ([0xFE, 0xFF, 0, 0x3C], wide, 0), ([0xFF, 0xFE, 0x3C, 0], wide, 0), ([0, 0x3C, 0, 0x61], wide, 0),
            ([0x3C, 0, 0x61, 0], wide, 1), ([0, 0, 0xFE, 0xFF], wide, 0), ([0, 0, 0, 0x3C], wide, 0),
            ([0x3C, 0, 0, 0], wide, 1),
            ([0xFE, 0xFF], wide, 0), ([0, 0x3C], wide, 0), ([0], zero, 0), ([0, 0], zero, 0),
            ([0, 0, 0, 0x61], zero, 0),
            ([0, 0x61], zero, 0), ([0, 0, 0x3C], zero, 0), ([0x20, 0, 0x3C], zero, 1), ([0xFE], .invalidUTF8, 0),
            ([0xFF, 0x3C], .invalidUTF8, 0), ([0xFE, 0xFE, 0xFF], .invalidUTF8, 0),
        ] as [([UInt8], XMLParseError.Kind, Int)])
    func firstBytes(_ bytes: [UInt8], _ kind: XMLParseError.Kind, _ offset: Int) {
        for mode in [XMLStreamParser.Mode.stream, .document, Self.fragments] {
            let errors = transcript(bytes, mode).errors
            #expect(errors.map(\.kind) == [kind] && errors.map(\.position.offset) == [offset])
        }
    }

    private static let wide = XMLParseError.Kind.unsupportedEncoding("UTF-16 or UTF-32")
    private static let zero = XMLParseError.Kind.forbiddenCharacter("\0")

    /// The parser waits for the bytes that decide, and for no others.
    @Test func encodingsDoNotDependOnCuts() {
        let alphabet: [UInt8] = [0, 0x3C, 0xFE, 0xFF, 0x20, 0x61]
        for number in 0..<1296 {
            let bytes = [number / 216, number / 36 % 6, number / 6 % 6, number % 6].map { alphabet[$0] }
            for mode in [XMLStreamParser.Mode.stream, .document, Self.fragments] {
                #expect(transcript(bytes, mode, chunks: [1, 2, 3]).lines.count <= 2, "\(bytes)")
            }
        }
    }

    // MARK: Storage

    /// Runs of text of all lengths, equal, or different in one byte.
    @Test func runsOfAllLengths() throws {
        for length in 1...40 {
            let run = String(repeating: " ", count: length - 1) + "x"
            for position in 0..<length {
                var other = Array(run.utf8)
                other[position] = UInt8(ascii: "y")
                let text = "<a>\(run)<b/>\(String(decoding: other, as: UTF8.self))<b/>\(run)<b/>\(run)</a>"
                #expect(try Element(parsing: text).xmlString() == text)
            }
        }
    }

    /// A large tree keeps the buffers in which the parser collected it; the next one begins with small buffers.
    @Test func largeTreesAmongSmallOnes() throws {
        let large = "<l>" + String(repeating: "<b c='d'>text</b>", count: 20_000) + "</l>"
        let largeDump = "<l>" + String(repeating: "<b c='d'>text</>", count: 20_000) + "</>"
        for chunk in [1000, 100_000] {
            let found = output(
                Array("<s/>\(large)<s/><s/>\(large)".utf8), Self.fragments, chunk: chunk, limits: .document)
            let dumps = found.lines.map { String($0.split(separator: " ", maxSplits: 1)[1]) }
            #expect(dumps == ["<s></>", largeDump, "<s></>", "<s></>", largeDump])
        }
        // A tree outlives its parser, and copies outlive the tree.
        let copy = try Element(parsing: large).firstChild?.copy()
        #expect(copy?.xmlString() == "<b c='d'>text</b>")
    }

    /// The parser keeps input after an event as bytes, and reads it when the caller takes events.
    @Test func inputWaitsUntilEventsAreTaken() throws {
        var parser = XMLStreamParser(mode: Self.fragments)
        let text = String(repeating: "<a b='c'>text</a>\n", count: 10_000)
        parser.feed(text)
        parser.feed(text)
        parser.finish()
        let readBefore = parser.tokenizer.base.offset
        #expect(readBefore <= Tokenizer.sliceLength)
        var (count, last) = (0, SourcePosition.start)
        while case .element(_, let position)? = try parser.next() { (count, last) = (count + 1, position) }
        #expect(count == 20_000)
        #expect(last == SourcePosition(line: 20_000, column: 1, offset: 2 * text.utf8.count - 18))
        let read = parser.tokenizer.base.offset
        #expect(read == 2 * text.utf8.count)
    }
}
