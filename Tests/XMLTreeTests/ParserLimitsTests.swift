// Every limit, the reports of rejected stanzas, and mistakes close to limits.

import Testing

@testable import XMLTree

@Suite struct ParserLimitsTests {
    private static let fragments = XMLStreamParser.Mode.fragments(in: .empty)

    private static func limits(_ limit: XMLParseError.Limit, _ maximum: Int) -> ParserLimits {
        switch limit {
        case .bytes: ParserLimits(bytes: maximum)
        case .depth: ParserLimits(depth: maximum)
        case .elements: ParserLimits(elements: maximum)
        case .attributes: ParserLimits(attributes: maximum)
        case .nameLength: ParserLimits(nameLength: maximum)
        case .names: ParserLimits(names: maximum)
        case .declarations: ParserLimits(declarations: maximum)
        case .skippedBytes: ParserLimits(skippedBytes: maximum)
        }
    }

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static func attributes(_ count: Int, _ value: String) -> String {
        "<m xmlns='urn:m' xmlns:m='urn:m'" + (3...count).map { " a\($0)='\(value)'" }.joined() + "/>"
    }

    private static let name = repeated("\u{E9}", 49)

    /// Stanzas that reach a limit.
    static let reaching: [(stanza: String, limit: XMLParseError.Limit, maximum: Int)] = [
        ("<m>\(repeated("x>", 5000))</m>", .bytes, 10_007), ("<m a='\(repeated("x>", 5000))'/>", .bytes, 10_009),
        ("<m><![CDATA[\(repeated("x>", 5000))]]></m>", .bytes, 10_019),
        ("<m>\(repeated("<a/>", 3000))</m>", .bytes, 12_007),
        ("\(repeated("<a>", 9))<m/>\(repeated("</a>", 9))", .depth, 10), ("<c><d><e/></d><m/></c>", .elements, 4),
        (attributes(12, ">"), .attributes, 12), (attributes(12, repeated(">", 1000)), .attributes, 12),
        (attributes(202, repeated(">", 100)), .attributes, 202), ("<m\(name)x/>", .nameLength, 100),
        ("<m a\(name)x=''/>", .nameLength, 100), ("<m xmlns='\(name)éé'/>", .nameLength, 102),
        ("<m xmlns:p='\(name)é'/>", .nameLength, 100), ("<m xmlns:\(name)='u'/>", .nameLength, 98),
        ("<m xmlns:p\(name)='u' p\(name):x='1'/>", .nameLength, 101),
        // The header has four names and two declarations.
        ("<x><x a='' b='' c=''/><m a='' d=''/></x>", .names, 6),
        ("<x xmlns:a='u'><y xmlns:b='u'/><y xmlns:b='u'><m xmlns='u'/></y></x>", .declarations, 5),
    ]

    /// The parser delivers the stanza within the limit, and rejects it beyond a smaller one. The stream continues.
    @Test(arguments: reaching)
    func theLimitIsExact(_ stanza: String, _ limit: XMLParseError.Limit, _ maximum: Int) {
        let text = "<ok/>" + stanza + "<ok/></stream:stream>"
        let within = transcript(text, .stream, after: header, limits: Self.limits(limit, maximum))
        #expect(within.lines.count == 5 && within.lines.last == "end" && within.rejected.isEmpty, "\(within)")
        let kind = XMLParseError.Kind.limit(limit, maximum: maximum - 1)
        let ok = ParserCase.Line("<{jabber:client}ok></>")
        ParserCase("¦<ok/>¦\(stanza)¦<ok/></stream:stream>", ok, .rejected(kind), ok, .end)
            .expect(.stream, after: header, limits: Self.limits(limit, maximum - 1))
    }

    @Test func defaults() {
        let stanza = ParserLimits.stanza
        #expect(stanza.bytes == 1 << 20 && stanza.depth == 256 && stanza.elements == 1 << 16)
        #expect(stanza.attributes == 256 && stanza.nameLength == 1024 && stanza.names == 1 << 16)
        #expect(stanza.declarations == 1024 && stanza.skippedBytes == 64 << 20)
        #expect(ParserLimits.document == ParserLimits(bytes: 64 << 20, elements: 1 << 22))
        #expect(XMLStreamParser.Mode.document.defaultLimits == .document)
        #expect(XMLStreamParser.Mode.stream.defaultLimits == .stanza && Self.fragments.defaultLimits == .stanza)
    }

    /// Any number is a valid limit: the largest numbers allow everything, zero and negative ones allow nothing.
    @Test(arguments: [Int.max, .max - 1, 0, -1, .min]) func anyNumberIsALimit(number: Int) {
        let limits = ParserLimits(
            depth: number, elements: number, attributes: number, nameLength: number, names: number,
            declarations: number)
        for text in ["<a b='c'><d xmlns:e='f'/></a>", "<a b='c'></a  >"] {
            let found = transcript(text, .document, limits: limits)
            #expect(found.lines.count == 1 && found.errors.isEmpty == (number > 0), "\(found)")
        }
    }

    @Test func limitsBeyondThirtyTwoBitsAreCapped() {
        // The parser may read one slice more than the limit.
        #expect(ParserLimits(bytes: .max).effectiveBytes + Tokenizer.sliceLength == 1 << 31 - 1)
        ParserCase("¦<a/>", "<a></>").expect(.document, limits: ParserLimits(bytes: .max))
        // The error names the effective limit.
        for bytes in [1, 0, -1] {
            ParserCase("¦<a/>", .error(.limit(.bytes, maximum: 1))).expect(
                .document, limits: ParserLimits(bytes: bytes))
        }
    }

    // MARK: Bytes

    /// White space between stanzas does not count, and comments count in documents only.
    @Test func bytesThatCount() {
        let spaces = Self.repeated(" \n", 10_000)
        let stream = transcript(
            spaces + "<a/>" + spaces + "</stream:stream>" + spaces, .stream, after: header,
            limits: ParserLimits(bytes: 200))
        #expect(stream.lines.count == 3 && stream.errors.isEmpty)
        let document = "<!-- long --><m>text</m>"
        let limits = ParserLimits(bytes: document.utf8.count)
        ParserCase("<!-- long -->¦<m>text</m>", "<m>text</>").expect(.document, limits: limits)
        #expect(transcript(document + " ", .document, limits: limits).errors.map(\.position) == [.start])
        let long = Self.repeated("x", 200)
        let rejected = ParserCase.Line.rejected(.limit(.bytes, maximum: 100))
        ParserCase("¦<a>\(long)</a>\n¦<b/>\n¦<c \(long)='1'/>\n¦<d/>", rejected, "<b></>", rejected, "<d></>")
            .expect(Self.fragments, limits: ParserLimits(bytes: 100))
        ParserCase("¦<a>\n<b/>\n<c/>\n<d/>\n<e/></a>\n¦<g/>\n", .rejected(.limit(.bytes, maximum: 16)), "<g></>")
            .expect(Self.fragments, limits: ParserLimits(bytes: 16))
        // A declaration and a header are bounded, too.
        for (text, mode) in [
            ("¦<?xml version='1.0'?>", Self.fragments), (" ¦<s xmlns='jabber:client'>", .stream),
            ("¦<a><!-- a long comment", .document), ("¦<!DOCTYPE a [ a long document type", .document),
        ] {
            ParserCase(text, .error(.limit(.bytes, maximum: 20))).expect(mode, limits: ParserLimits(bytes: 20))
        }
    }

    /// A stanza is delivered within the limit of bytes, rejected within that of skipped bytes, and an error beyond it.
    @Test(arguments: [
        "<m>xxxxxxxx<b/><![CDATA[y]]></m>", "<m>xx\n<b/>yyyyyyyyyyyyyyyyyyyyy</m>", "<m a='xxxxxxxxxxxxxxxxxx'/>",
        "<m><b a='xxxxxxxxxxxx\n'></b></m>", "<m>\n\n\n\n\n\n<b/></m>", "<m><b></b  ></m    >",
        "<m>&#0000000000000065;</m>",
        "<m>\u{20AC}\u{20AC}\u{20AC}</m>", "<m><b/>\r\n\r\n</m>",
    ])
    func skippingEndsAtItsBound(_ stanza: String) {
        let count = stanza.utf8.count
        for bytes in Array(1...20) + [count - 1, count] {
            for skippedBytes in [0, bytes, bytes + 1, bytes + 2, bytes + 7, count - 1, count, 1000] {
                let limits = ParserLimits(bytes: bytes, skippedBytes: skippedBytes)
                let found = transcript(stanza + "\n<k/>", Self.fragments, limits: limits, chunks: [1, 2, 3, 5, 8])
                let last = max(bytes, skippedBytes)
                let kind = XMLParseError.Kind.limit(
                    count <= last ? .bytes : .skippedBytes, maximum: count <= last ? bytes : last)
                let report = count <= last ? "rejected \(kind) at 1:1@0" : "error \(kind)"
                let isDelivered = count <= bytes
                #expect(isDelivered ? found.rejected.isEmpty : found.lines.first == "1:1@0 \(report)", "\(found)")
                #expect(found.lines.last?.hasSuffix("<k></>") == true || bytes < 4, "\(found)")
            }
        }
    }

    /// The input ends in a stanza beyond a limit: the limit is the first mistake in the input.
    @Test func inputThatEndsInASkippedStanza() {
        for (stanza, kind) in [
            ("<a><b><c><d>", XMLParseError.Kind.limit(.depth, maximum: 3)),
            ("<a><b><c><d/></c>", .limit(.depth, maximum: 3)),
            ("<a>" + Self.repeated("x", 200), .limit(.bytes, maximum: 100)),
        ] {
            ParserCase("¦<ok/>¦\(stanza)", "<ok></>", .error(kind))
                .expect(Self.fragments, limits: ParserLimits(bytes: 100, depth: 3))
        }
        let fault = "<p:m>\(Self.repeated("x", 250))</p:m></stream:stream>"
        ParserCase("¦<¦" + fault.dropFirst(), .rejected(.unboundPrefix("p")), .end)
            .expect(.stream, after: header, limits: ParserLimits(bytes: 200, skippedBytes: 300))
        ParserCase("¦" + fault, .error(.limit(.skippedBytes, maximum: 250)))
            .expect(.stream, after: header, limits: ParserLimits(bytes: 200, skippedBytes: 250))
    }

    // MARK: Mistakes and limits

    /// The parser reports the mistake that comes first, or the limit before it.
    static let tight = [
        ParserCase("<m><ok/>¦</abcdefgh>\n¦<k/>", .error(.mismatchedEndTag), "<k></>"),
        ParserCase("<m>¦</abcdefg h>\n¦<k/>", .error(.mismatchedEndTag), "<k></>"),
        ParserCase("<m>text¦&abcdefghi;</m>\n¦<k/>", .error(.limit(.nameLength, maximum: 5)), "<k></>"),
        ParserCase("<m>text¦&abcdefg </m>\n¦<k/>", .error(.incompleteReference), "<k></>"),
        ParserCase("<m>¦&#123456789;</m>\n¦<k/>", .error(.forbiddenReference), "<k></>"),
        ParserCase("<m>¦&#x00123456789;</m>\n¦<k/>", .error(.forbiddenReference), "<k></>"),
        ParserCase("<m>¦&#123456789 </m>\n¦<k/>", .error(.forbiddenReference), "<k></>"),
        ParserCase("<m a='' b='' c='' d¦/>\n¦<k/>", .expected(.equalsSign), "<k></>"),
        ParserCase("<m a ¦b='' c='' d=''></m>\n¦<k/>", .expected(.equalsSign), "<k></>"),
        ParserCase("¦<m a='' a='' c=''></m>\n¦<k/>", .rejected(.limit(.attributes, maximum: 2)), "<k></>"),
        ParserCase("¦<m abcdefghijklm='' b='' c=''/>\n¦<k/>", .rejected(.limit(.nameLength, maximum: 5)), "<k></>"),
        ParserCase(
            "¦<m a='' b='' c='' abcdefghijklm=''/>\n¦<k/>", .rejected(.limit(.attributes, maximum: 2)), "<k></>"),
        ParserCase(
            "¦<m><n><o><abcdefghijklmnop/></o></n></m>\n¦<k/>", .rejected(.limit(.nameLength, maximum: 5)), "<k></>"),
        ParserCase(
            "¦<m><n><o><p a='' b='' c=''/></o></n></m>\n¦<k/>", .rejected(.limit(.attributes, maximum: 2)), "<k></>"),
        ParserCase("¦<m><n><o><p><q></q></p></o></n></m>\n¦<k/>", .rejected(.limit(.depth, maximum: 3)), "<k></>"),
        // The parser drops leading zeros.
        ParserCase("¦<m>&#0000000065;&#x0042;&quot;</m>&#000010;¦<k/>", "<m>AB\"</>", "<k></>"),
        // After a token that is too long, the parser continues with the fragment in the next line.
        ParserCase("<a abcdefghi=¦>\n¦<b/>", .expected(.quotedValue), "<b></>"),
        ParserCase("¦<a abcdefghi=''>\n<b/>", .error(.limit(.nameLength, maximum: 5))),
        ParserCase("<a abcdefghi\n¦¦<b/>", .error(.lessThanInTag), "<b></>"),
        ParserCase("¦</abcdefghi\n¦<b/>", .error(.mismatchedEndTag), "<b></>"),
        ParserCase("¦&abcdefghi\n¦<b/>", .error(.limit(.nameLength, maximum: 5)), "<b></>"),
    ]

    @Test(arguments: tight) func mistakeOrLimit(_ example: ParserCase) {
        let limits = ParserLimits(depth: 3, attributes: 2, nameLength: 5)
        example.expect(Self.fragments, limits: limits)
        #expect(transcript(example.text, .document, limits: limits).errors.count == 1)
    }

    /// The parser reports a mistake that shows within the limit of bytes. Beyond the limit, it looks only at markup.
    @Test(arguments: [
        ("<m>text ¦]]> and more text</m>", 11), ("<m b ¦c=''>and more text</m>", 6),
        ("<m><!-- ¦-- and more text--></m>", 0), ("<m>¦&#0;</m>", 7), ("<m>text¦</o></m>", 11),
        ("<m b=''¦c=''>text</m>", 8),
    ])
    func mistakesAtTheLimit(_ marked: String, _ shows: Int) throws {
        let text = ParserCase(marked).text
        for bytes in 1..<text.utf8.count {
            let found = transcript(text, Self.fragments, limits: ParserLimits(bytes: bytes))
            let first = try #require(found.lines.first)
            let expected = bytes < shows ? "1:1@0 rejected " : "\(places(in: marked)[0]) error "
            #expect(first.hasPrefix(expected), "\(bytes) bytes: \(first)")
        }
    }

    /// The parser reports a name that is too long even at the end of the input.
    @Test(arguments: [("<a>", "x"), ("<a>\n<b/>", " "), ("<a/>", " ")])
    func referencesWithoutEnd(_ before: String, _ filler: String) {
        for length in [0, 100, 299, 300, 388, 700] {
            let text = before + Self.repeated(filler, length) + "&abcdefgh"
            let found = transcript(text, Self.fragments, limits: ParserLimits(nameLength: 5))
            #expect(found.errors.map(\.kind) == [.limit(.nameLength, maximum: 5)])
            #expect(found.errors.first?.position.offset == text.utf8.count - 9)
        }
    }

    /// The error is the bad character if it is within the limit of names, otherwise the limit.
    @Test(arguments: [1, 33, 34, 35, 36, 60], ["\u{83}", "<", "\u{FFFE}", "(", ">"])
    func longNamesOfInstructions(length: Int, culprit: String) {
        for bad in [Array(culprit.utf8), [0x83], [0xE2, 0x82]] {
            let bytes =
                Array("<?\(Self.repeated("n", length))".utf8) + bad + Array("\(Self.repeated("m", 40))?>\n<a/>".utf8)
            for mode in [XMLStreamParser.Mode.stream, .document, Self.fragments] {
                let found = transcript(bytes, mode, limits: ParserLimits(nameLength: 34))
                let isEnd = bad == [UInt8(ascii: "<")] || bad == [UInt8(ascii: ">")]
                let isLimit = found.errors.first?.kind == .limit(.nameLength, maximum: 34)
                #expect(
                    !found.errors.isEmpty && (mode == .stream || isLimit == (length >= (isEnd ? 35 : 34))), "\(found)")
            }
        }
    }

    // MARK: Rejected stanzas

    private static let hundred = repeated("x", 100)

    /// The reported properties of a rejected stanza: those before the limit, and whether its start tag is complete (+).
    static let beyondLimits = [
        // The stanza's own tag is within the limits; its content exceeds one.
        ("<p:m xmlns:p='u' id='1' from='f' to='t' type='get'><x><y><z/></y></x></p:m>", "m|u|1|f|t|get|+depth 3"),
        ("<m to='a' type='result' id='2'><x a='' b='' c='' d='' e='' f='' g=''/></m>", "m|d|2||a|result|+attributes 6"),
        ("<m xmlns='' type='x'><abcdefghijklmnopqrstu/></m>", "m|||||x|+nameLength 20"),
        // The stanza's own tag exceeds a limit.
        ("<p:m id='3' a='' b='' c='' xmlns:p='u' to='t' type='set'/>", "m|u|3||t||-attributes 6"),
        ("<p:m id='3' a='' b='' c='' d='' e='' xmlns:p='u' type='set'></p:m>", "m||3||||-attributes 6"),
        ("<m type='t' xmlns='abcdefghijklmnopqrstuvwxyz'/>", "m|abcdefghijklmnopqrstuvwxyz||||t|+nameLength 20"),
        ("<m to='x&amp;y' abcdefghijklmnopqrstu='' type='t'/>", "m|d|||x&y|t|+nameLength 20"),
        ("<abcdefghijklmnopqrst\u{E9} type='t'/>", "abcdefghijklmnopqrst|d||||t|+nameLength 20"),
        ("<m abcdefghijklmnopqrstu='' a='' b='' c='' d='' e='' from='f'/>", "m|d|||||-nameLength 20"),
        // The stanza exceeds the limit of bytes: the parser reports only the properties before the limit.
        ("<m id='4' to='t' b='\(hundred)\(hundred)' type='t'/>", "m|d|4||t||-bytes 100"),
        ("<q:m type='t' from='f' b='\(hundred)' xmlns:q='u'><x/></q:m>", "m|||f||t|-bytes 100"),
        ("<m type='t' xmlns='u'>\(hundred)</m>", "m|u||||t|+bytes 100"),
    ]

    @Test(arguments: beyondLimits) func knownProperties(_ stanza: String, _ expected: String) throws {
        let limits = ParserLimits(bytes: 100, depth: 3, attributes: 6, nameLength: 20)
        let mode = XMLStreamParser.Mode.fragments(in: NamespaceContext(defaultNamespace: "d", prefixes: [:]))
        let found = transcript("<ok/>" + stanza + "<ok/>", mode, limits: limits)
        let one = try #require(found.rejected.first)
        guard case .limit(let limit, let maximum) = one.error.kind else { throw one.error }
        #expect(one.summary + (one.isStartTagComplete ? "|+" : "|-") + "\(limit) \(maximum)" == expected)
        #expect(found.lines.count == 3 && found.rejected.count == 1 && one.isBeyondLimit)
        #expect(one.position == SourcePosition(line: 1, column: 6, offset: 5) && one.error.position == one.position)
    }

    /// The same for stanzas of a stream that break Namespaces in XML 1.0.
    @Test(arguments: [
        ("<message id='1' from='f' to='t' type='chat'><p:x/></message>", "message|jabber:client|1|f|t|chat"),
        ("<iq p:a='' type='get' id='&#50;'/>", "iq|jabber:client|2|||get"),
        ("<message id='3' xmlns:p=''/>", "message|jabber:client|3|||"),
        ("<presence :id='x' id='4' xml:id='y' from='f'/>", "presence|jabber:client|4|f||"),
        ("<m xmlns='urn:m' id='5' p:id='6'/>", "m|urn:m|5|||"),
        // The name of the stanza itself is not known.
        ("<p:message id='7'/>", "message||7|||"), ("<:message id='8'/>", ":message||8|||"),
        ("<message: id='9'/>", "message:||9|||"), ("<stream:message:x/>", "stream:message:x|||||"),
        // An element of the stream that is not a stanza.
        ("<stream:features><p:x/></stream:features>", "features|http://etherx.jabber.org/streams||||"),
    ])
    func knownPropertiesOfFaults(_ stanza: String, _ expected: String) throws {
        let found = transcript(stanza, .stream, after: header).rejected
        let one = try #require(found.first)
        #expect(found.count == 1 && one.summary == expected && one.isStartTagComplete && !one.isBeyondLimit)
    }
}

extension XMLStreamParser.RejectedStanza {
    fileprivate var summary: String { [name, namespace, id, from, to, type].map { $0 ?? "" }.joined(separator: "|") }
}
