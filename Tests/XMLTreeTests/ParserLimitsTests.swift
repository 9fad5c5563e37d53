// Every limit: what is just within it passes, what is just beyond it is an error where it begins.

import Testing

@testable import XMLTree

@Suite struct ParserLimitsTests {
    /// Expects that stream content passes under `good` and fails under `bad`, at the first `<m`.
    private func expect(
        _ content: String, within good: ParserLimits, beyond bad: ParserLimits, _ limit: XMLParseError.Limit,
        _ maximum: Int, at construct: String = "<m"
    ) {
        let text = header + "<ok/>" + content + "</stream:stream>"
        let place = place(of: construct, in: text)
        for chunk in [1, 7, 1000, 5000, .max] {
            #expect(transcript(text, .stream, chunk: chunk, limits: good).lines.last == "end")
            let lines = transcript(text, .stream, chunk: chunk, limits: bad).lines
            #expect(lines.count == 3)
            #expect(lines.last == "error \(XMLParseError.Kind.limit(limit, maximum: maximum)) at \(place)")
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
        // The header counts for itself, and white space between stanzas not at all.
        let spaces = String(repeating: " \n", count: 10_000)
        let text = header + spaces + "<a/>" + spaces + "</stream:stream>" + spaces
        for chunk in [1, 100, .max] {
            #expect(transcript(text, .stream, chunk: chunk, limits: ParserLimits(bytes: 200)).lines.count == 3)
        }
    }

    /// What never ends is refused as soon as it is too long, whatever it is.
    @Test func endlessTokens() throws {
        for beginning in [
            "<m", "<m ", "<m a='", "<m a='>", "<m>", "<m>&", "<m><![CDATA[", "<m><a b='<", "<", "</", "<m></",
            "<m a=''",
        ] {
            for filler in ["x", "> ", "a='' ", "'\""] {
                var parser = XMLStreamParser(mode: .stream, limits: ParserLimits(bytes: 20_000))
                parser.feed(header)
                _ = try parser.next()
                parser.feed(beginning)
                var fed = 0
                var error: XMLParseError?
                while fed < 60_000, error == nil {
                    parser.feed(filler)
                    fed += filler.utf8.count
                    do { _ = try parser.next() } catch let thrown { error = thrown }
                }
                #expect(error != nil && fed < 21_000, "\(beginning) \(filler)")
            }
        }
        for beginning in ["<a><!-- ", "<a><?x ", "<!DOCTYPE a [ ", "<?xml ", "<!-- ", "<a/><!-- "] {
            var parser = XMLStreamParser(mode: .document, limits: ParserLimits(bytes: 20_000))
            parser.feed(beginning)
            for _ in 0..<30 { parser.feed(String(repeating: " ", count: 1000)) }
            #expect(throws: XMLParseError.self) { while try parser.next() != nil {} }
        }
    }

    /// What is too long is refused whether it comes whole or in pieces, and the same follows.
    @Test func bytesHoweverTheInputIsCut() {
        let fragments = """
            <!-- a comment of some bytes -->\n<a/><?pi of some bytes ?> <?xml version='1.0' encoding='UTF-8'?>
            <b>text of some bytes</b> &#32;<!-- another comment -->\n<c/>
            """
        // White space does not count, however it is written.
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
            #expect(tellings.count > 2)
            #expect(!transcript(text, mode, chunk: 1).lines.contains { $0.hasPrefix("error") })
        }
    }

    /// A token beyond a limit is told as such whether it comes whole or in pieces, also if something else is wrong with
    /// it.
    @Test(arguments: [
        ("<m><ok/>", "</abcdefgh>"), ("<m>", "</abcdefg h>"), ("<m>text", "&abcdefgh;</m>"),
        ("<m>text", "&abcdefgh </m>"),
        ("<m>", "&#123456789;</m>"), ("<m>", "&#x00123456789;</m>"), ("<m>", "&#123456789 </m>"),
        ("", "<m a='' b='' c='' d/>"), ("", "<m a='' a='' c=''></m>"), ("", "<m a b='' c='' d=''></m>"),
        ("", "<m abcdefghijklm='' b='' c='' d=''/>"), ("", "<m a='' b='' c='' abcdefghijklm=''/>"),
        ("<m><n><o>", "<abcdefghijklmnop/></o></n></m>"), ("<m><n><o>", "<p a='' b='' c=''/></o></n></m>"),
    ])
    func tokensHoweverTheInputIsCut(_ before: String, _ token: String) throws {
        let text = before + token + "\n<k/>"
        let limits = ParserLimits(depth: 3, attributes: 2, nameLength: 5)
        let place = place(of: token, in: text)
        for mode in [XMLStreamParser.Mode.fragments(in: .empty), .document] {
            let whole = transcript(text, mode, limits: limits).lines
            let error = try #require(whole.first)
            #expect(error.hasPrefix("error limit(") && error.hasSuffix(" at \(place)"), "\(error)")
            #expect(error.contains("nameLength") || error.contains("attributes"))
            #expect(whole.count == (mode == .document ? 1 : 2))
            for chunk in 1...text.utf8.count {
                #expect(transcript(text, mode, chunk: chunk, limits: limits).lines == whole, "chunks of \(chunk)")
            }
        }
    }

    /// Zeros before a number are no name; the limit of bytes bounds them. No reference that there is has too long a
    /// name.
    @Test func referencesWithinTheLimits() {
        let zeros = String(repeating: "0", count: 90)
        let text = "<m>&#\(zeros)65;&#x\(zeros)42;&quot;&#1048576;</m>&#\(zeros)10; &#x\(zeros)a;<k/>&#\(zeros)9;"
        for mode in [XMLStreamParser.Mode.fragments(in: .empty), .fragments(in: .clientStream)] {
            let good = ParserLimits(bytes: 250, nameLength: 45)
            let whole = transcript(text, mode, limits: good).lines
            #expect(whole.count == 2)
            #expect(whole.first?.contains("AB") == true, "\(whole)")
            // The first of the references between the trees.
            let bad = ParserLimits(bytes: 90)
            let tooLong = transcript("<m/>&#\(zeros)10;", mode, limits: bad).lines
            #expect(tooLong.last == "error \(XMLParseError.Kind.limit(.bytes, maximum: 90)) at 1:5@4")
            for chunk in 1...100 {
                #expect(transcript(text, mode, chunk: chunk, limits: good).lines == whole, "chunks of \(chunk)")
                #expect(transcript("<m/>&#\(zeros)10;", mode, chunk: chunk, limits: bad).lines == tooLong)
            }
        }
    }

    /// A name that is too long is told as such at the input's end, too, where libxml2 may have kept it waiting.
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

    /// Text between trees is told as such, and the same follows, wherever the input is cut.
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
                    "error \(XMLParseError.Kind.limit(.bytes, maximum: 100)) at 1:1@0",
                    "element \(place(of: "<b", in: fragments)) <b></>",
                    "error \(XMLParseError.Kind.limit(.bytes, maximum: 100)) at \(place(of: "<c", in: fragments))",
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
        // The shortest elements do not take many times the memory that the limit of bytes allows.
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

    /// A name without an end is refused as soon as it is too long, not at the limit of bytes.
    @Test func namesWithoutEnd() {
        for opening in ["<", "<a b='c' ", "<a xmlns:", "<p:", "<a></", "<a/></"] {
            var parser = XMLStreamParser(mode: .stream)
            parser.feed(header + opening)
            var fed = 0
            var lines = Transcript()
            while fed < 100_000, !lines.lines.contains(where: { $0.hasPrefix("error") }) {
                parser.feed("xxxxxxxxxx")
                fed += 10
                lines.drain(&parser)
            }
            #expect(lines.lines.last?.hasPrefix("error limit(") == true, "\(opening)")
            #expect(lines.lines.last?.contains("nameLength") == true, "\(opening)")
            #expect(fed <= ParserLimits.defaultNameLength + "xmlns:".utf8.count + 10)
        }
        // Values are no names.
        let value = String(repeating: "x", count: 5000)
        for chunk in [1, 100, .max] {
            let lines = transcript(header + "<a b='\(value)' c=\"\(value)\"/></stream:stream>", .stream, chunk: chunk)
                .lines
            #expect(lines.count == 3 && lines.last == "end")
        }
    }

    @Test func distinctNames() {
        // The header has four.
        let content = "<x><x a='' b='' c=''/><m a='' d=''/></x>"
        expect(content, within: ParserLimits(names: 6), beyond: ParserLimits(names: 5), .names, 5)
    }

    /// Names that are in no tree count too: libxml2 keeps them in the same dictionary, which grows slow.
    @Test func namesOfOtherMarkup() {
        let limit = XMLParseError.Kind.limit(.names, maximum: 5)
        let limits = ParserLimits(names: 5)
        func targets(_ count: Int) -> String { (0..<count).map { "<?t\($0) <?x?>" }.joined() }
        for chunk in [1, 7, .max] {
            // In a tree the root's name counts too.
            for (before, after, fifth) in [("<a>", "</a>", "<?t4"), ("", "<a/>", "<?t5"), ("<a/>", "", "<?t5")] {
                let good = before + targets(4) + targets(4) + after
                #expect(transcript(good, .document, chunk: chunk, limits: limits).lines.count == 1)
                let bad = before + targets(9) + after
                let lines = transcript(bad, .document, chunk: chunk, limits: limits).lines
                #expect(lines.last == "error \(limit) at \(place(of: fifth + " ", in: bad))")
            }
            let fragment = "<a>\(targets(9))</a>\n<b>\(targets(4))</b>"
            #expect(
                transcript(fragment, .fragments(in: .empty), chunk: chunk, limits: limits).lines == [
                    "error \(limit) at \(place(of: "<?t4 ", in: fragment))",
                    "element \(place(of: "<b", in: fragment)) <b></>",
                ])
        }
        let declarations = [
            "<!ELEMENT x¦ ANY>", "<!ENTITY x¦ 'v'>", "<!ENTITY % x¦ 'v'>", "<!NOTATION x¦ SYSTEM 's'>", "%x¦;",
            "<!ENTITY x¦ SYSTEM 's' NDATA n>", "<!ATTLIST x¦ y CDATA #IMPLIED>",
        ]
        for declaration in declarations {
            let subset = { (0..<$0).map { declaration.replacing("¦", with: String($0)) }.joined() }
            let text = { "<!DOCTYPE a SYSTEM 's' [\(subset($0))]><a/>" }
            #expect(transcript(text(2), .document, limits: limits).lines.count == 1, "\(declaration)")
            let lines = transcript(text(9), .document, limits: limits).lines
            #expect(lines.last?.hasPrefix("error \(limit) at 1:") == true, "\(declaration) \(lines)")
        }
    }

    /// Behind the root of a document, names that stood before it are no more than others.
    @Test func namesBehindTheRoot() {
        for chunk in [1, .max] {
            for text in ["<?p?><a/><?p?>", "<?p?><a/><?a?><?p?><?a?>", "<?p?><a/><?t?><?u?>"] {
                let lines = transcript(text, .document, chunk: chunk, limits: ParserLimits(names: 2)).lines
                #expect(lines == ["element 1:6@5 <a></>"], "\(text)")
            }
            let lines = transcript("<?p?><a/><?t?><?u?><?v?>", .document, chunk: chunk, limits: ParserLimits(names: 2))
                .lines
            #expect(lines.last == "error \(XMLParseError.Kind.limit(.names, maximum: 2)) at 1:20@19")
        }
    }

    /// An attribute of an enumerated type is refused, and before libxml2 has compared many values with each other.
    @Test(arguments: ["(", "NOTATION ("])
    func enumerations(_ opening: String) {
        let most = MarkupScanner.mostAlternatives
        for count in [2, most, most + 1, most + 2, 5 * most] {
            let values = (0..<count).map { "t\($0)" }
            let (first, rest) = (values.prefix(most + 1), values.dropFirst(most + 1))
            let before = "<!DOCTYPE a [<!ELEMENT a (\(values.joined(separator: "|")))>\n"
            let text =
                before + "<!ATTLIST a b \(opening)\(first.joined(separator: "|"))"
                + rest.map { "|\($0)" }.joined() + ") #IMPLIED>]><a/>"
            let error = "error \(XMLParseError.Kind.restricted(.attributeType)) at 2:"
            for chunk in [1, 7, 1000, .max] {
                let lines = transcript(text, .document, chunk: chunk).lines
                #expect(lines.count == 1 && lines[0].hasPrefix(error), "\(count): \(lines)")
                // Behind the '|' that is one too many.
                let bytes = text.utf8.count - (rest.map { "|\($0)" }.joined() + ") #IMPLIED>]><a/>").utf8.count
                #expect(rest.isEmpty || lines[0].hasSuffix("@\(bytes + 1)"), "\(count): \(lines)")
            }
        }
    }

    @Test func declarationsInScope() {
        // The header declares two.
        let content = "<x xmlns:a='u'><y xmlns:b='u'/><y xmlns:b='u'><m xmlns='u'/></y></x>"
        expect(
            content, within: ParserLimits(declarations: 5), beyond: ParserLimits(declarations: 4), .declarations, 4)
    }

    /// Who wants no limits gives the largest numbers; who wants nothing may give any others.
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
        // libxml2 counts with a sign, and a slice more than the limit may be held back.
        #expect(ParserLimits(bytes: .max).effectiveBytes + InputReader.sliceLength == 1 << 31 - 1)
        #expect(transcript("<a/>", .document, limits: ParserLimits(bytes: .max)).lines.count == 1)
        // The limit that is told is the one that counts.
        for bytes in [1, 0, -1] {
            let lines = transcript("<a/>", .document, limits: ParserLimits(bytes: bytes)).lines
            #expect(lines.last?.hasPrefix("error \(XMLParseError.Kind.limit(.bytes, maximum: 1))") == true, "\(lines)")
        }
    }
}
