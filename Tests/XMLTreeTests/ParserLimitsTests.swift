// Every limit: the parser delivers a stanza just within it, and rejects one just beyond it.

import Testing

@testable import XMLTree

@Suite struct ParserLimitsTests {
    /// Expects that a stanza passes under `good` and is rejected under `bad`, and that the stream continues after it.
    private func expect(
        _ content: String, within good: ParserLimits, beyond bad: ParserLimits, _ limit: XMLParseError.Limit,
        _ maximum: Int
    ) {
        let text = header + "<ok/>" + content + "<ok/></stream:stream>"
        let place = place(of: content, in: text)
        let name = content.dropFirst().prefix { !" />".contains($0) }
        for chunk in [1, 7, 1000, 5000, .max] {
            #expect(transcript(text, .stream, chunk: chunk, limits: good).lines.last == "end")
            let lines = transcript(text, .stream, chunk: chunk, limits: bad).lines
            #expect(lines.count == 5 && lines.last == "end")
            let isNamed = limit == .nameLength || lines[2] == "rejected \(limit) \(place) \(name)"
            #expect(isNamed && lines[2].hasPrefix("rejected \(limit) \(place) "), "\(lines)")
        }
    }

    @Test func bytesOfAStanza() {
        let long = String(repeating: "x>", count: 5000)
        for stanza in [
            "<m>\(long)</m>", "<m a='\(long)'/>", "<m><![CDATA[\(long)]]></m>",
            "<m>" + String(repeating: "<a/>", count: 3000) + "</m>",
        ] {
            let count = stanza.utf8.count
            expect(
                stanza, within: ParserLimits(bytes: count), beyond: ParserLimits(bytes: count - 1), .bytes, count - 1)
        }
        // The header counts separately, and white space between stanzas does not count.
        let spaces = String(repeating: " \n", count: 10_000)
        let text = header + spaces + "<a/>" + spaces + "</stream:stream>" + spaces
        for chunk in [1, 100, .max] {
            #expect(transcript(text, .stream, chunk: chunk, limits: ParserLimits(bytes: 200)).lines.count == 3)
        }
    }

    /// A stanza beyond a limit that also ends too early: the limit is the first mistake in the input.
    @Test func inputThatEndsInASkippedStanza() {
        let limits = ParserLimits(bytes: 100, depth: 3)
        for (stanza, limit, maximum) in [
            ("<a><b><c><d>", XMLParseError.Limit.depth, 3), ("<a><b><c><d/></c>", .depth, 3),
            ("<a>" + String(repeating: "x", count: 200), .bytes, 100),
        ] {
            for chunk in [1, 7, .max] {
                let lines = transcript("<ok/>" + stanza, .fragments(in: .empty), chunk: chunk, limits: limits).lines
                #expect(lines.count == 2)
                #expect(lines.last == "error \(XMLParseError.Kind.limit(limit, maximum: maximum)) at 1:6@5")
            }
        }
    }

    /// The parser refuses an endless token of any kind as soon as it is too long.
    @Test func endlessTokens() throws {
        for beginning in [
            "<m", "<m ", "<m a='", "<m a='>", "<m>", "<m>&", "<m><![CDATA[", "<m><a b='<", "<", "</", "<m></",
            "<m a=''",
        ] {
            for filler in ["x", "> ", "a='' ", "'\""] {
                let limits = ParserLimits(bytes: 5_000, skippedBytes: 7_500)
                var parser = XMLStreamParser(mode: .stream, limits: limits)
                parser.feed(header)
                _ = try parser.next()
                parser.feed(beginning)
                var fed = 0
                var error: XMLParseError?
                while fed < 15_000, error == nil {
                    parser.feed(filler)
                    fed += filler.utf8.count
                    do { _ = try parser.next() } catch let thrown { error = thrown }
                }
                #expect(error != nil && fed < 8_500, "\(beginning) \(filler)")
            }
        }
        for beginning in ["<a><!-- ", "<a><?x ", "<!DOCTYPE a [ ", "<?xml ", "<!-- ", "<a/><!-- "] {
            var parser = XMLStreamParser(mode: .document, limits: ParserLimits(bytes: 20_000))
            parser.feed(beginning)
            for _ in 0..<30 { parser.feed(String(repeating: " ", count: 1000)) }
            #expect(throws: XMLParseError.self) { while try parser.next() != nil {} }
        }
    }

    /// The parser refuses markup that is too long and continues in the same way, whether it comes whole or in pieces.
    @Test func bytesHoweverTheInputIsCut() {
        let fragments = """
            <!-- a comment of some bytes -->\n<a/><?pi of some bytes ?> <?xml version='1.0' encoding='UTF-8'?>
            <b>text of some bytes</b> &#32;<!-- another comment -->\n<c/>
            """
        // White space does not count, whether literal or as references.
        let lines = String(repeating: "\n", count: 70)
        let blanks = "\(lines)&#10;\(lines)&#x20;\(lines)<a/>\(lines)<!-- a comment -->&#10;\(lines)<b/>&#10;"
        let stream = "<?xml version='1.0'?><s:s xmlns:s='u' xmlns='v'  >\n<a>text of some bytes</a>\n<b/></s:s       >"
        let emptyStream = "<?xml version='1.0'?>\n<s:s xmlns:s='u' xmlns='v'/>"
        let document = "<?xml version='1.0'?><!-- a comment --><a>text</a><!-- of some bytes -->"
        for (text, mode) in [
            (fragments, XMLStreamParser.Mode.fragments(in: .clientStream)), (stream, .stream), (emptyStream, .stream),
            (document, .document), (blanks, .fragments(in: .empty)),
        ] {
            var tellings = Set<[String]>()
            for bytes in 1...text.utf8.count {
                let limits = ParserLimits(bytes: bytes)
                let whole = transcript(text, mode, chunk: .max, limits: limits).lines
                for chunk in [1, 2, 7, 30] {
                    #expect(transcript(text, mode, chunk: chunk, limits: limits).lines == whole, "\(bytes) \(chunk)")
                }
                tellings.insert(whole)
            }
            #expect(tellings.count > 1)
            #expect(!transcript(text, mode, chunk: 1).lines.contains { $0.hasPrefix("error") })
        }
    }

    /// The parser reports a mistake before a limit, and reports the same whether a token comes whole or in pieces.
    @Test(arguments: [
        ("<m><ok/>", "</abcdefgh>", "mismatched"), ("<m>", "</abcdefg h>", "mismatched"),
        ("<m>text", "&abcdefghi;</m>", "limit(XMLTree.XMLParseError.Limit.nameLength"),
        ("<m>text", "&abcdefg </m>", "malformed"), ("<m>", "&#123456789;</m>", "forbidden"),
        ("<m>", "&#x00123456789;</m>", "forbidden"), ("<m>", "&#123456789 </m>", "forbidden"),
        ("<m a='' b='' c='' d", "/>", "malformed"), ("<m a ", "b='' c='' d=''></m>", "malformed"),
        ("", "<m a='' a='' c=''></m>", "attributes"), ("", "<m abcdefghijklm='' b='' c='' d=''/>", "nameLength"),
        ("", "<m a='' b='' c='' abcdefghijklm=''/>", "attributes"),
        ("", "<m><n><o><abcdefghijklmnop/></o></n></m>", "nameLength"),
        ("", "<m><n><o><p a='' b='' c=''/></o></n></m>", "attributes"),
        ("", "<m><n><o><p><q></q></p></o></n></m>", "depth"),
    ])
    func tokensHoweverTheInputIsCut(_ before: String, _ token: String, _ reason: String) throws {
        let text = before + token + "\n<k/>"
        let limits = ParserLimits(depth: 3, attributes: 2, nameLength: 5)
        let place = place(of: token, in: text)
        for mode in [XMLStreamParser.Mode.fragments(in: .empty), .document] {
            let whole = transcript(text, mode, limits: limits).lines
            let line = try #require(whole.first)
            let isRejected = line == "rejected \(reason) \(place) m"
            let isError = line.hasPrefix("error \(reason)") && line.hasSuffix(" at \(place)")
            #expect(isRejected || isError || mode == .document)
            #expect(whole.count == (mode == .document ? 1 : 2), "\(whole)")
            for chunk in 1...text.utf8.count {
                #expect(transcript(text, mode, chunk: chunk, limits: limits).lines == whole, "chunks of \(chunk)")
            }
        }
    }

    /// Leading zeros of a number do not count as a name, and take no memory. No valid reference exceeds the limit.
    @Test func referencesWithinTheLimits() {
        let zeros = String(repeating: "0", count: 90)
        let text = "<m>&#\(zeros)65;&#x\(zeros)42;&quot;&#1048576;</m>&#\(zeros)10; &#x\(zeros)a;<k/>&#\(zeros)9;"
        for mode in [XMLStreamParser.Mode.fragments(in: .empty), .fragments(in: .clientStream)] {
            let good = ParserLimits(bytes: 250, nameLength: 45)
            let whole = transcript(text, mode, limits: good).lines
            #expect(whole.count == 2)
            #expect(whole.first?.contains("AB") == true, "\(whole)")
            // References between trees do not count as bytes.
            let small = ParserLimits(bytes: 90)
            let alone = transcript("<m/>&#\(zeros)10;", mode, limits: small).lines
            #expect(alone.count == 1)
            for chunk in 1...100 {
                #expect(transcript(text, mode, chunk: chunk, limits: good).lines == whole, "chunks of \(chunk)")
                #expect(transcript("<m/>&#\(zeros)10;", mode, chunk: chunk, limits: small).lines == alone)
            }
        }
    }

    /// The parser reports a name that is too long even at the end of the input.
    @Test(arguments: [("<a>", "x"), ("<a>\n<b/>", " "), ("<a/>", " ")])
    func referencesWithoutEnd(_ before: String, _ filler: String) {
        let limits = ParserLimits(nameLength: 5)
        for length in [0, 100, 299, 300, 388, 700] {
            let text = before + String(repeating: filler, count: length) + "&abcdefgh"
            let expected = "error \(XMLParseError.Kind.limit(.nameLength, maximum: 5)) at \(place(of: "&", in: text))"
            for chunk in [1, 2, 7, 100, 299, 300, 301, 389, .max] {
                let lines = transcript(text, .fragments(in: .empty), chunk: chunk, limits: limits).lines
                #expect(lines.last == expected, "\(length) by \(chunk)")
                #expect(lines.count == (before == "<a/>" ? 2 : 1))
            }
        }
    }

    /// The parser reports text between trees and continues in the same way, wherever the input is cut.
    @Test(arguments: [
        "<a/>x]]>\n<b/>", "<a/>\n&#10;\nx<c/>\n<b/>", "]]>\n<b/>", "<a/>&#10;x\n<b/>", "&#x20;<a/>&#32;\n text\n<b/>",
        "<a/>&#65;\n<b/>", "<a/> &#10;&#65;\n<b/>", "<a/>\n\n&#13;&amp;\n<b/>",
    ])
    func textBetweenTreesHoweverTheInputIsCut(_ text: String) {
        let whole = transcript(text, .fragments(in: .empty), limits: ParserLimits(bytes: 40)).lines
        #expect(whole.contains { $0.hasPrefix("error textBetweenElements") } && whole.last?.hasSuffix("<b></>") == true)
        for chunk in 1...text.utf8.count {
            #expect(
                transcript(text, .fragments(in: .empty), chunk: chunk, limits: ParserLimits(bytes: 40)).lines == whole)
        }
    }

    @Test func bytesOfADocumentOrFragment() {
        let document = "<!-- long -->" + "<m>text</m>"
        let count = document.utf8.count
        #expect(transcript(document, .document, limits: ParserLimits(bytes: count)).lines.count == 1)
        #expect(transcript(document + " ", .document, limits: ParserLimits(bytes: count)).lines.count == 2)
        #expect(ParserLimits.document.bytes == 64 << 20)
        #expect(XMLStreamParser.Mode.document.defaultLimits == .document)
        #expect(XMLStreamParser.Mode.stream.defaultLimits.bytes == 1 << 20)

        let fragments =
            "<a>\(String(repeating: "x", count: 200))</a>\n<b/>\n<c \(String(repeating: "x", count: 200))='1'/>\n<d/>"
        for chunk in [1, 10, .max] {
            #expect(
                transcript(fragments, .fragments(in: .empty), chunk: chunk, limits: ParserLimits(bytes: 100)).lines == [
                    "rejected bytes 1:1@0 a",
                    "element \(place(of: "<b", in: fragments)) <b></>",
                    "rejected bytes \(place(of: "<c", in: fragments)) c",
                    "element \(place(of: "<d", in: fragments)) <d></>",
                ])
        }
    }

    @Test func depth() throws {
        let content = String(repeating: "<a>", count: 9) + "<m/>" + String(repeating: "</a>", count: 9)
        expect(content, within: ParserLimits(depth: 10), beyond: ParserLimits(depth: 9), .depth, 9)
        #expect(ParserLimits.stanza.depth == 256)
        let deep = String(repeating: "<a>", count: 50_000) + String(repeating: "</a>", count: 50_000)
        var parser = XMLStreamParser(mode: .document, limits: ParserLimits(depth: 50_000))
        parser.feed(deep)
        let event = try parser.next()
        #expect(event != nil)
    }

    @Test func elements() {
        let content = "<c><d><e/></d><m/></c>"
        expect(content, within: ParserLimits(elements: 4), beyond: ParserLimits(elements: 3), .elements, 3)
        #expect(ParserLimits.stanza.elements == 1 << 16)
        #expect(ParserLimits.document.elements == 1 << 22)
        // The limit keeps the shortest elements from taking many times the memory that the limit of bytes suggests.
        let many = "<a>" + String(repeating: "<b/>", count: ParserLimits.stanzaElements - 1)
        for (text, isFine) in [(many + "</a>", true), (many + "<m/></a>", false)] {
            let lines = transcript(text, .fragments(in: .empty), chunk: 4096).lines
            #expect(lines.count == 1)
            #expect(lines.first?.hasPrefix("element") == isFine)
        }
    }

    @Test func attributes() {
        for (count, padding) in [(10, 1), (10, 1000), (200, 100)] {
            let tag = (1...count).map { " a\($0)='\(String(repeating: ">", count: padding))'" }.joined()
            expect(
                "<m xmlns='urn:m' xmlns:m='urn:m'\(tag)/>", within: ParserLimits(attributes: count + 2),
                beyond: ParserLimits(attributes: count + 1), .attributes, count + 1)
        }
    }

    @Test func lengthOfNames() {
        let name = String(repeating: "\u{E9}", count: 50)
        for tag in [
            "<m\(name.dropLast())\("x")/>", "<m a\(name.dropLast())x=''/>", "<m xmlns='\(name)'/>",
            "<m xmlns:p='\(name)'/>",
            "<m xmlns:\(name)='u'/>", "<m xmlns:pp\(name.dropLast(2))='u' pp\(name.dropLast(2)):x='1'/>",
        ] {
            expect(tag, within: ParserLimits(nameLength: 100), beyond: ParserLimits(nameLength: 99), .nameLength, 99)
        }
    }

    /// An endless name takes no more memory than the limit of bytes allows. It ends a stream at the limit of skipped
    /// bytes.
    @Test func namesWithoutEnd() {
        for opening in ["<", "<a b='c' ", "<a xmlns:", "<p:", "<a></a", "<a><"] {
            let limits = ParserLimits(bytes: 10_000, skippedBytes: 50_000)
            var parser = XMLStreamParser(mode: .stream, limits: limits)
            parser.feed(header + opening)
            var fed = 0
            var lines = Transcript()
            while fed < 100_000, !lines.lines.contains(where: { $0.hasPrefix("error") }) {
                parser.feed("xxxxxxxxxx")
                fed += 10
                lines.drain(&parser)
                let capacity = parser.inputCapacity
                #expect(capacity < 50_000)
            }
            let error = XMLParseError.Kind.limit(.skippedBytes, maximum: 50_000)
            let place = "1:\(header.utf8.count + 1)@\(header.utf8.count)"
            #expect(lines.lines.last == "error \(error) at \(place)", "\(opening)")
            #expect(fed <= 50_000 + 10)
        }
        // Values do not count as names.
        let value = String(repeating: "x", count: 5000)
        for chunk in [1, 100, .max] {
            let lines = transcript(header + "<a b='\(value)' c=\"\(value)\"/></stream:stream>", .stream, chunk: chunk)
                .lines
            #expect(lines.count == 3 && lines.last == "end")
        }
    }

    @Test func distinctNames() {
        // The header has four names.
        let content = "<x><x a='' b='' c=''/><m a='' d=''/></x>"
        expect(content, within: ParserLimits(names: 6), beyond: ParserLimits(names: 5), .names, 5)
    }

    @Test func declarationsInScope() {
        // The header declares two namespaces.
        let content = "<x xmlns:a='u'><y xmlns:b='u'/><y xmlns:b='u'><m xmlns='u'/></y></x>"
        expect(
            content, within: ParserLimits(declarations: 5), beyond: ParserLimits(declarations: 4), .declarations, 4)
    }

    /// Any number is a valid limit: the largest numbers allow everything, zero and negative ones allow nothing.
    @Test(arguments: [Int.max, .max - 1, 0, -1, .min]) func anyNumberIsALimit(number: Int) {
        let limits = ParserLimits(
            depth: number, elements: number, attributes: number, nameLength: number, names: number,
            declarations: number)
        let isNone = number > 0
        for text in ["<a b='c'><d xmlns:e='f'/></a>", "<a b='c'></a  >"] {
            for chunk in [1, 3, .max] {
                let lines = transcript(text, .document, chunk: chunk, limits: limits).lines
                #expect(lines.count == 1 && lines[0].hasPrefix("error") != isNone, "\(lines)")
            }
        }
    }

    @Test func limitsBeyondThirtyTwoBitsAreCapped() {
        // The parser may read one slice more than the limit.
        #expect(ParserLimits(bytes: .max).effectiveBytes + Tokenizer.sliceLength == 1 << 31 - 1)
        #expect(transcript("<a/>", .document, limits: ParserLimits(bytes: .max)).lines.count == 1)
        // The error names the effective limit.
        for bytes in [1, 0, -1] {
            let lines = transcript("<a/>", .document, limits: ParserLimits(bytes: bytes)).lines
            #expect(lines.last?.hasPrefix("error \(XMLParseError.Kind.limit(.bytes, maximum: 1))") == true, "\(lines)")
        }
    }

    // MARK: Rejected stanzas

    /// The limit of skipped bytes is exact to the byte, even if it does not exceed the limit of bytes.
    @Test(arguments: [
        "<m>xxxxxxxx<b/><![CDATA[y]]></m>\n<k/>", "<m>xx\n<b/>yyyyyyyyyyyyyyyyyyyyy</m>\n<k/>",
        "<m a='xxxxxxxxxxxxxxxxxx'/>\n<k/>", "<m><b a='xxxxxxxxxxxx\n'></b></m>\n<k/>", "<m>\n\n\n\n\n\n<b/></m>\n<k/>",
        "<m><b></b  ></m    >\n<k/>", "<m>&#0000000000000065;</m>\n<k/>", "<a/>\n<m>\u{20AC}\u{20AC}\u{20AC}</m>\n<k/>",
        "<m>xxxx<b></c></m>\n<k/>", "<m>xxxx<b c></m>\n<k/>", "<m><b/>\r\n\r\n</m>\n<k/>",
    ])
    func skippingEndsAtItsBound(_ text: String) {
        var outcomes = Set<[String]>()
        for bytes in 1...20 {
            for skippedBytes in [0, bytes, bytes + 1, bytes + 2, bytes + 7, 1000] {
                let limits = ParserLimits(bytes: bytes, skippedBytes: skippedBytes)
                let whole = transcript(text, .fragments(in: .empty), limits: limits).lines
                for chunk in 1...12 {
                    let lines = transcript(text, .fragments(in: .empty), chunk: chunk, limits: limits).lines
                    #expect(lines == whole, "\(bytes), \(skippedBytes), chunks of \(chunk)")
                }
                outcomes.insert(whole)
            }
        }
        #expect(outcomes.count > 1)
    }

    /// The reported properties of a rejected stanza: those before the limit, and whether its start tag is complete (+).
    @Test(arguments: [
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
        ("<m id='4' to='t' b='\(String(repeating: "x", count: 200))' type='t'/>", "m|d|4||t||-bytes 100"),
        ("<q:m type='t' from='f' b='\(hundredBytes)' xmlns:q='u'><x/></q:m>", "m|||f||t|-bytes 100"),
        ("<m type='t' xmlns='u'>\(hundredBytes)</m>", "m|u||||t|+bytes 100"),
    ])
    func knownPropertiesOfARejectedStanza(_ stanza: String, _ expected: String) throws {
        let limits = ParserLimits(bytes: 100, depth: 3, attributes: 6, nameLength: 20)
        let text = "<ok/>" + stanza + "<ok/>"
        let bytes = Array(text.utf8)
        for chunk in 1...bytes.count {
            var parser = XMLStreamParser(
                mode: .fragments(in: NamespaceContext(defaultNamespace: "d", prefixes: [:])), limits: limits)
            var found: [XMLStreamParser.RejectedStanza] = []
            var elements = 0
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                parser.feed(bytes[start..<min(start + chunk, bytes.count)])
                while let event = try parser.next() {
                    if case .rejected(let stanza) = event { found.append(stanza) } else { elements += 1 }
                }
            }
            #expect(elements == 2 && found.count == 1, "chunks of \(chunk)")
            let one = try #require(found.first)
            #expect(one.position == SourcePosition(line: 1, column: 6, offset: 5))
            let parts: [String?] = [one.name, one.namespace, one.id, one.from, one.to, one.type]
            let shown = parts.map { $0 ?? "" }.joined(separator: "|") + (one.isStartTagComplete ? "|+" : "|-")
            guard case .limit(let limit, let maximum) = one.error.kind else {
                Issue.record("\(one.error)")
                return
            }
            #expect("\(shown)\(limit) \(maximum)" == expected, "chunks of \(chunk)")
            #expect(one.isBeyondLimit && one.error.position == one.position)
        }
    }

    /// The parser does not keep the names of attributes beyond the limit.
    @Test func attributesBeyondTheLimitAreNotKept() throws {
        var parser = XMLStreamParser(mode: .fragments(in: .empty), limits: ParserLimits(attributes: 5))
        parser.feed("<m" + (1...2000).map { " a\($0)=''" }.joined() + "/>")
        guard case .rejected(let stanza)? = try parser.next() else {
            Issue.record("not rejected")
            return
        }
        #expect(stanza.error.kind == .limit(.attributes, maximum: 5))
        let size = parser.dictionarySize
        #expect(size < 20)
    }
}

private let hundredBytes = String(repeating: "x", count: 100)
