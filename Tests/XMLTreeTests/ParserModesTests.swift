// The three modes on valid input: the events, their time, and their independence of chunks.

import Testing

@testable import XMLTree

@Suite struct ParserModesTests {
    @Test func aStreamIsAHeaderStanzasAndAnEnd() {
        let text = """
            <?xml version='1.0'?>
            \(header)<message to='a&amp;b&#x26;&lt;' xml:lang='en'><body>h&amp;i <![CDATA[<&>]]></body></message>
             <iq xmlns:p='urn:p' p:x='1'><p:q xmlns=''><r/></p:q>tail</iq>
            </stream:stream>

            """
        #expect(
            transcript(text, .stream).lines == [
                "start \(place(of: "<stream", in: text)) <{http://etherx.jabber.org/streams}stream:stream"
                    + " declare {jabber:client} declare {http://etherx.jabber.org/streams}stream version='1.0'></>",
                "element \(place(of: "<message", in: text)) <{jabber:client}message to='a&b&<'"
                    + " {http://www.w3.org/XML/1998/namespace}xml:lang='en'><{jabber:client}body>h&i <&></></>",
                "element \(place(of: "<iq", in: text)) <{jabber:client}iq declare {urn:p}p {urn:p}p:x='1'>"
                    + "<{urn:p}p:q declare ><r></></>tail</>",
                "end",
            ])
    }

    @Test func aDocumentIsOneTree() {
        let text = """
            <?xml version="1.0" encoding="utf-8" standalone="yes"?>
            <!DOCTYPE a SYSTEM "file:///nowhere.dtd" [<!ELEMENT a ANY> <!ENTITY e "x">]>
            <!-- before --><?pi before?>
            <a>one<!-- in -->two<?pi?> <b c=" 1&#10;\n2 "/></a>
            <!-- after -->
            """
        #expect(
            transcript(text, .document).lines == [
                "element \(place(of: "<a>", in: text)) <a>onetwo <b c=' 1\n 2 '></></>"
            ])
    }

    @Test func fragmentsHaveNoRoot() {
        let text = """
            <?xml version='1.0'?>
            <message/> <!-- between --><stream:features/>
            <?xml version="1.0" encoding="UTF-8"?><?pi?>
              <iq xmlns='urn:q'><q/></iq>
            """
        #expect(
            transcript(text, .fragments(in: .clientStream)).lines == [
                "element \(place(of: "<message", in: text)) <{jabber:client}message></>",
                "element \(place(of: "<stream", in: text)) <{http://etherx.jabber.org/streams}stream:features></>",
                "element \(place(of: "<iq", in: text)) <{urn:q}iq><{urn:q}q></></>",
            ])
        #expect(transcript("<a/>", .fragments(in: .empty)).lines == ["element 1:1@0 <a></>"])
        #expect(transcript(" &#32; <a/>", .fragments(in: .empty)).lines == ["element 1:8@7 <a></>"])
        #expect(transcript(" \n", .fragments(in: .empty)).lines == [])
    }

    @Test func aByteOrderMarkIsNotACharacter() {
        for mode in [XMLStreamParser.Mode.document, .fragments(in: .empty)] {
            for chunk in 1...4 {
                #expect(transcript("\u{FEFF}<a/>", mode, chunk: chunk).lines == ["element 1:1@3 <a></>"])
            }
        }
    }

    @Test func aStanzaIsOutWithItsLastByte() throws {
        let stanzas = [
            "<message/>", "<message></message>", "<message a='>'/>", "<message>it's</message >",
            "<m><![CDATA[<']]></m>", "<m>\"</m\n>", "<m>\u{20AC}&gt;]]</m>", "<m a='\u{20AC}'\r/>", "<m> \r</m>",
        ]
        for mode in [XMLStreamParser.Mode.stream, .fragments(in: .clientStream)] {
            var parser = XMLStreamParser(mode: mode)
            if mode == .stream {
                parser.feed(header)
                guard case .streamStart? = try parser.next() else {
                    Issue.record("no header")
                    return
                }
            }
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
        for (text, kind) in [
            ("", XMLParseError.Kind.notOneElement), ("<a/><b/>", .notOneElement), ("<a>", .unexpectedEnd),
        ] {
            #expect(throws: XMLParseError.self) { try Element(parsing: text) }
            do { _ = try Element(parsing: text) } catch { #expect(error.kind == kind) }
        }
    }

    /// Text is decoded already, so only bytes can be in another encoding.
    @Test func textHasNoEncoding() throws {
        let declared = "<?xml version='1.0' encoding='ISO-8859-1'?><a k='é'/>"
        #expect(try Element(parsing: declared).dump == "<a k='é'></>")
        #expect(throws: XMLParseError.self) { try Element(parsing: Array(declared.utf8)) }
        #expect(throws: XMLParseError.self) { try Element(parsing: "<?xml version='1.0' encoding=''latin1?><a/>") }
        for name in ["", "8859", "-1", "ISO 8859", "é", "UTF_8", "a.b-C9_"] {
            let isLegal = ["UTF_8", "a.b-C9_"].contains(name)
            let parsed = try? Element(parsing: "<?xml version='1.0' encoding='\(name)'?><a/>")
            #expect((parsed != nil) == isLegal, "\(name)")
        }
        var parser = XMLStreamParser(mode: .document)
        parser.feed(declared)
        var read = Transcript()
        read.drain(&parser)
        #expect(read.lines == ["element 1:44@43 <a k='é'></>"])
        parser.reset()
        parser.feed(Array(declared.utf8))
        var refused = Transcript()
        refused.drain(&parser)
        #expect(refused.lines == ["error unsupportedEncoding(\"ISO-8859-1\") at 1:31@30"])
    }

    @Test func resetBeginsANewStream() throws {
        var parser = XMLStreamParser(mode: .stream)
        var transcript = Transcript()
        parser.feed(header + "<a/><b>half")
        parser.reset()
        transcript.drain(&parser)
        #expect(transcript.lines == [])
        parser.feed("<?xml version='1.0'?><s:stream xmlns:s='urn:s'><a/></s:stream>")
        transcript.drain(&parser)
        #expect(
            transcript.lines == [
                "start 1:22@21 <{urn:s}s:stream declare {urn:s}s></>", "element 1:48@47 <a></>", "end",
            ])
        parser.feed("<")
        parser.finish()
        parser.reset()
        parser.feed("\0")
        parser.reset()
        parser.feed([0xE2])
        parser.reset()
        parser.feed(header)
        var second = Transcript()
        second.drain(&parser)
        #expect(second.lines.count == 1)
    }
}
