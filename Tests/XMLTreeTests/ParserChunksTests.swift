// The same input in chunks of every size, truncated at every byte, and damaged at every byte. BadCharactersTests.swift
// tests invalid characters.

import Testing

@testable import XMLTree

@Suite struct ParserChunksTests {
    /// Inputs with all kinds of valid and invalid markup.
    static let inputs: [(mode: XMLStreamParser.Mode, text: String)] = [
        (.stream, stream + "</stream:stream> \n"),
        (.stream, stream + "<a><!-- no --></a>"),
        (.stream, stream + "text"),
        (.stream, stream + "\u{20AC}\n"),
        (.stream, stream + "</stream:stream><more/>"),
        (.stream, stream + "<a b='>>><'/>"),
        (.document, document),
        (.document, document + "<again/>"),
        (.document, "<a>\u{20AC}<b>&e;</b></a>"),
        (.fragments(in: .clientStream), fragments),
    ]

    static let stream = """
        \u{FEFF}<?xml version='1.0' encoding='UTF-8'?>\r
        \(header)\r\n \r\n<message to='a>b' x="'">h\u{E9}llo \u{1F600}<![CDATA[<]]>]]<![CDATA[\u{20AC}]]></message>
        <iq\ttype='get'\n><q xmlns='urn:q'/>tail&amp;\r\n</iq><m>&#x20AC;&lt;</m >   \n<p:p xmlns:p="urn:p"/>
        """

    static let document = """
        <!DOCTYPE a [ <!ELEMENT a ANY> <!-- ' --> <?pi > ?> <!ENTITY e 'x>'> ]>\r\n<a x='1'><!-- -> --><b/>
        \u{20AC} text that is long enough to be handed over in several pieces, and goes on behind \
        three hundred bytes of text: so here come some more words, and even more words, until the \
        text is clearly longer than that, wherever it begins.</a>
        <!-- end -->
        """

    static let fragments = """
        <message>one</message><iq/> <?xml version='1.0'?>
        <broken <here/>
        <message>two</message>
        <a><b></a>
          <not a='line start'/>
        <presence/> text </stray>
        <!-- fine --> <?fine?>
        <x:y/>
        <c>&nbsp;</c>
        <d>\u{1}</d>
        <?xml version='1.0' encoding='latin1'?>
        <\u{E9}>three</\u{E9}>
        </x>
        <open>
        """

    @Test(arguments: inputs.indices)
    func chunksDoNotMatter(_ index: Int) {
        let (mode, text) = Self.inputs[index]
        let bytes = Array(text.utf8)
        let whole = transcript(bytes, mode)
        for chunk in 1...bytes.count {
            let other = transcript(bytes, mode, chunk: chunk)
            #expect(other == whole, "chunks of \(chunk)")
            if other != whole { break }
        }
    }

    @Test func fragmentsGoOnAfterErrors() {
        let text = Self.fragments
        let lines = transcript(text, .fragments(in: .clientStream)).lines
        #expect(
            lines == [
                "element \(place(of: "<message>one", in: text)) <{jabber:client}message>one</>",
                "element \(place(of: "<iq/>", in: text)) <{jabber:client}iq></>",
                "error \(XMLParseError.Kind.lessThanInTag) at \(place(of: "<here", in: text))",
                "element \(place(of: "<message>two", in: text)) <{jabber:client}message>two</>",
                "error mismatchedEndTag at \(place(of: "</a>", in: text))",
                "element \(place(of: "<presence", in: text)) <{jabber:client}presence></>",
                "error textBetweenElements at \(place(of: "text </stray", in: text))",
                "error unboundPrefix(\"x\") at \(place(of: "x:y", in: text))",
                "error entityReference(\"nbsp\") at \(place(of: "&nbsp", in: text))",
                "error forbiddenCharacter(\"\\u{01}\") at \(place(of: "\u{1}", in: text))",
                "element \(place(of: "<\u{E9}", in: text)) <{jabber:client}\u{E9}>three</>",
                "error mismatchedEndTag at \(place(of: "</x>", in: text))",
                "error unexpectedEnd at \(place(of: "\u{FFFF}", in: text))",
            ])
    }

    @Test(arguments: inputs.indices)
    func inputThatIsCutOffIsAnErrorAndLosesNothing(_ index: Int) {
        let (mode, text) = Self.inputs[index]
        let bytes = Array(text.utf8)
        let whole = transcript(bytes, mode).lines.filter { !$0.hasPrefix("error") }
        for length in 0..<bytes.count {
            let lines = transcript(Array(bytes[..<length]), mode, chunk: 7).lines
            let events = lines.filter { !$0.hasPrefix("error") }
            #expect(events == Array(whole.prefix(events.count)), "\(length) bytes")
            if mode == .stream && lines.last != "end" { #expect(lines.last?.hasPrefix("error") == true) }
        }
    }

    /// Replaces every byte by invalid ones. The parser still delivers the elements that were complete before them.
    @Test(arguments: inputs.indices)
    func spoiltInputLosesNothing(_ index: Int) {
        let (mode, text) = Self.inputs[index]
        let bytes = Array(text.utf8)
        for offset in bytes.indices {
            for byte: UInt8 in [0x00, 0x80, 0xC3, 0xFF, 0xF4, 0x1F] {
                var spoilt = bytes
                spoilt[offset] = byte
                let before = transcript(Array(bytes[..<offset]), mode).lines.filter { !$0.hasPrefix("error") }
                let lines = transcript(spoilt, mode, chunk: offset + 1).lines
                #expect(Array(lines.filter { !$0.hasPrefix("error") }.prefix(before.count)) == before)
                // Some bytes fit into a character of several bytes, so that the input is still valid.
                let isError = lines.contains { $0.hasPrefix("error") }
                #expect(
                    isError || String(decoding: spoilt, as: UTF8.self).utf8.elementsEqual(spoilt),
                    "byte \(byte) at \(offset)")
            }
        }
    }
}
