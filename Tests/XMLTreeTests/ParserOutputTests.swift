// The whole output of inputs in each mode, and of the same inputs truncated and damaged. Each case is cut, renewed and
// reset in all ways (ParserTestSupport.swift).

import Foundation
import TestSupport
import Testing

@testable import XMLTree

@Suite struct ParserOutputTests {
    private static let fragmentsOfClients = XMLStreamParser.Mode.fragments(in: .clientStream)

    // MARK: Streams

    /// A whole stream with all kinds of markup.
    private static let streamText = """
        \u{FEFF}<?xml version='1.0' encoding='UTF-8'?>\r
        ¦\(header)\r\n \r\n¦<message to='a>b' x="'">h\u{E9}llo \u{1F600}<![CDATA[<]]>]]<![CDATA[\u{20AC}]]></message>
        ¦<iq\ttype='get'\n><q xmlns='urn:q'/>tail&amp;\r\n</iq>¦<m>&#x20AC;&lt;</m >   \n¦<p:p xmlns:p="urn:p"/></stream:stream> \n
        """

    static let wholeStreams = [
        ParserCase(
            streamText,
            .start(
                "<{\(XMLNamespace.stream)}stream:stream declare {jabber:client} declare {\(XMLNamespace.stream)}stream"
                    + " version='1.0'></>"),
            "<{jabber:client}message to='a>b' x='''>h\u{E9}llo \u{1F600}<]]\u{20AC}</>",
            "<{jabber:client}iq type='get'><{urn:q}q></>tail&\n</>", "<{jabber:client}m>\u{20AC}<</>",
            "<{urn:p}p:p declare {urn:p}p></>", .end),
        // Bindings of the root outlive renewal.
        ParserCase(
            "¦<s:s xmlns:s='urn:&amp;&lt;&apos;\"' xmlns='urn:\u{E9}&#10;' xmlns:x='urn:x'>¦<a x:b='1'/>\n¦<s:a/></s:s>",
            .start("<{urn:&<'\"}s:s declare {urn:&<'\"}s declare {urn:\u{E9}\n} declare {urn:x}x></>"),
            "<{urn:\u{E9}\n}a {urn:x}x:b='1'></>", "<{urn:&<'\"}s:a></>", .end),
        // Composed and decomposed characters are different prefixes (rule 1.1).
        ParserCase(
            "¦<s xmlns:\u{E9}='1' xmlns:e\u{301}='2'>¦<a/>¦<\u{E9}:a/>¦<e\u{301}:a/></s>",
            .start("<s declare {1}\u{E9} declare {2}e\u{301}></>"), "<a></>", "<{1}\u{E9}:a></>", "<{2}e\u{301}:a></>",
            .end),
        ParserCase("¦<s a='b'/>", .start("<s a='b'></>"), .end),
        // The parser does not take text in the tag of the root, or in a document type, for a document type.
        ParserCase("<s ¦<!DOCTYPE a>", .error(.lessThanInTag)),
        ParserCase("<s a='¦<!DOCTYPE a>'", .error(.lessThanInTag)),
        ParserCase("<s:¦<!D>", .error(.lessThanInTag)),
        ParserCase("<?xml version='1.0'?><s ¦<!DOCTYPE a>", .error(.lessThanInTag)),
        ParserCase("¦<!DOCTYPE <!D>", .error(.restricted(.documentType))),
        ParserCase("¦<!DOCTYPE a SYSTEM '<!DOCTYPE a'>", .error(.restricted(.documentType))),
        ParserCase(
            "<?xml version='1.0'?>\n¦<!DOCTYPE a SYSTEM '<!D' [<!ELEMENT a ANY>]>", .error(.restricted(.documentType))),
        ParserCase("¦<s></s>\n¦<!DOCTYPE a>", .start("<s></>"), .end, .error(.restricted(.documentType))),
    ]

    /// The content of streams.
    static let streams = [
        ParserCase(
            """
            ¦<message to='a&amp;b&#x26;&lt;' xml:lang='en'><body>h&amp;i <![CDATA[<&>]]></body></message>
             ¦<iq xmlns:p='urn:p' p:x='1'><p:q xmlns=''><r/></p:q>tail</iq>
            </stream:stream>

            """,
            "<{jabber:client}message to='a&b&<' {\(XMLNamespace.xml)}xml:lang='en'><{jabber:client}body>h&i <&></></>",
            "<{jabber:client}iq declare {urn:p}p {urn:p}p:x='1'><{urn:p}p:q declare ><r></></>tail</>", .end),
        // Streams refuse this markup.
        ParserCase("<a>¦<!-- x --></a>", .error(.restricted(.comment))),
        ParserCase("¦<!--> x <!-->", .error(.restricted(.comment))),
        ParserCase("<a>¦<?x y<?x?></a>", .error(.restricted(.processingInstruction))),
        ParserCase("<a>¦<?xml version='1.0'?></a>", .error(.restricted(.xmlDeclaration))),
        ParserCase("¦<?xml?>", .error(.restricted(.xmlDeclaration))),
        ParserCase("¦<?xml<", .error(.restricted(.xmlDeclaration))),
        ParserCase("¦<?XmL x?>", .error(.restricted(.xmlDeclaration))),
        ParserCase("¦<?xml-stylesheet href=''?>", .error(.restricted(.processingInstruction))),
        ParserCase("¦<?xml1 y?>", .error(.restricted(.processingInstruction))),
        ParserCase("¦<?xmlé y?>", .error(.restricted(.processingInstruction))),
        ParserCase("¦<!DOCTYPE a>", .error(.restricted(.documentType))),
        // Text between stanzas, and content after the end.
        ParserCase(" \n  ¦text<a/>", .error(.textBetweenElements)),
        ParserCase("¦\u{20AC}\n", .error(.textBetweenElements)),
        ParserCase("¦<a/>¦&amp;<a/>", "<{jabber:client}a></>", .error(.textBetweenElements)),
        ParserCase("¦<a/>\n¦<![CDATA[x]]>", "<{jabber:client}a></>", .error(.textBetweenElements)),
        ParserCase(" ¦&nbsp;", .error(.entityReference("nbsp"))), ParserCase("¦</a>", .error(.mismatchedEndTag)),
        ParserCase("</stream:stream>\n¦<a/>", .end, .error(.contentAfterEnd)),
        ParserCase("</stream:stream>¦x", .end, .error(.contentAfterEnd)),
        // The input ends too early.
        ParserCase("<?xml¦", .error(.unexpectedEnd)), ParserCase("<a>¦", .error(.unexpectedEnd)),
        ParserCase("¦<a/>¦", "<{jabber:client}a></>", .error(.unexpectedEnd)),
        ParserCase("¦<a/><b¦", "<{jabber:client}a></>", .error(.unexpectedEnd)),
        ParserCase("<m><p:x>¦", .error(.unexpectedEnd)),
        // XML that is not well-formed ends the stream beside a fault of namespaces. After it, only markup decides.
        ParserCase("<p:m a='1' ¦a='2'/><ok/>", .error(.duplicateAttribute("a"))),
        ParserCase("<m xmlns:p='u' ¦xmlns:p='v'/>", .error(.duplicateAttribute("xmlns:p"))),
        ParserCase("<a:b:c x='1' ¦x='2'/>", .error(.duplicateAttribute("x"))),
        ParserCase("<m xmlns:p='u' xmlns:q='u' p:a='' q:a='' ¦p:a=''/>", .error(.duplicateAttribute("p:a"))),
        ParserCase("<m>¦</a:b:c></m>", .error(.mismatchedEndTag)), ParserCase("<a:b:¦&c/>", .expected(.name)),
        ParserCase("<p:m>¦<!-- --></p:m>", .error(.restricted(.comment))),
        ParserCase("<p:m><x ¦</p:m>", .error(.lessThanInTag)),
    ]

    @Test(arguments: wholeStreams) func wholeStream(_ example: ParserCase) { example.expect(.stream) }

    @Test(arguments: streams) func stream(_ example: ParserCase) { example.expect(.stream, after: header) }

    // MARK: Mistakes in every mode

    /// Mistakes in an element, each with its place.
    static let mistakes = [
        // Tags.
        ParserCase("<a b='¦<'/>", .error(.lessThanInTag)), ParserCase("<a b=¦c/>", .expected(.quotedValue)),
        ParserCase("<a b ¦c='1'/>", .expected(.equalsSign)), ParserCase("<a b='1'¦c='2'/>", .expected(.whiteSpace)),
        ParserCase("<a><¦1/></a>", .expected(.name)), ParserCase("<¦1a<b>>", .expected(.name)),
        ParserCase("<a¦/ >", .expected(.attributeOrEnd)), ParserCase("<a><b/></a ¦b>", .expected(.endOfEndTag)),
        ParserCase("<a></a ¦'>'", .expected(.endOfEndTag)), ParserCase("<a></a¦\">\"", .expected(.name)),
        ParserCase("<a></¦'a'>", .expected(.name)), ParserCase("<a></¦ 'a'>", .expected(.name)),
        ParserCase("<a></a ¦b='>'>", .expected(.endOfEndTag)), ParserCase("<a><¦<b/></a>", .error(.lessThanInTag)),
        ParserCase("<a ¦<b/>", .error(.lessThanInTag)), ParserCase("<a b='¦<c/>'/>", .error(.lessThanInTag)),
        ParserCase("<a b='>>>¦<'/>", .error(.lessThanInTag)),
        ParserCase("<a b='1' ¦b='2'/>", .error(.duplicateAttribute("b"))),
        ParserCase("<a><b>¦</a>", .error(.mismatchedEndTag)), ParserCase("<a>¦</é></a>", .error(.mismatchedEndTag)),
        // References.
        ParserCase("<a b='¦&c'/>", .error(.incompleteReference)),
        ParserCase("<a>¦&;</a>", .error(.incompleteReference)),
        ParserCase("<a>¦& </a>", .error(.incompleteReference)),
        ParserCase("<a>¦& x;</a>", .error(.incompleteReference)),
        ParserCase("<a>¦&x</a>&y;", .error(.incompleteReference)), ParserCase("<a>¦&#x</a>", .error(.incompleteNumber)),
        ParserCase("<a>¦&#x;</a>", .error(.incompleteNumber)), ParserCase("<a>¦&#12a;</a>", .error(.incompleteNumber)),
        ParserCase("<a>¦&#0;</a>", .error(.forbiddenReference)),
        ParserCase("<a b='¦&#xFFFF;'/>", .error(.forbiddenReference)),
        ParserCase("<a>¦&#x110000;</a>", .error(.forbiddenReference)),
        ParserCase("<a>¦&#xD800;</a>", .error(.forbiddenReference)),
        ParserCase("<a>¦&nbsp;</a>", .error(.entityReference("nbsp"))),
        ParserCase("<a b='\n x¦&nbsp;'/>", .error(.entityReference("nbsp"))),
        // Other markup.
        ParserCase("<a>¦]]></a>", .error(.endOfCharacterData)), ParserCase("<a>¦<!x></a>", .error(.otherMarkup)),
        ParserCase("<a>¦<!-x--></a>", .error(.otherMarkup)),
        ParserCase("<a>¦<!DOCTYPE a></a>", .error(.restricted(.documentType))),
        // Of two mistakes, the first counts.
        ParserCase("<a>¦</b '>' <c", .error(.mismatchedEndTag)),
        ParserCase("<a>¦&amp ' <", .error(.incompleteReference)),
        ParserCase("<a b¦<c d='>'>", .error(.lessThanInTag)), ParserCase("<a b=¦<c>", .error(.lessThanInTag)),
        ParserCase("<a b='1'¦c='<'>", .expected(.whiteSpace)), ParserCase("<a ¦&<b>", .expected(.name)),
        ParserCase("<a>¦&#<b>", .error(.incompleteNumber)), ParserCase("<a>¦&#x<b>", .error(.incompleteNumber)),
        ParserCase("<a>¦&#12<b/></a>", .error(.incompleteNumber)),
        ParserCase("<a>¦&b<c/></a>", .error(.incompleteReference)),
        ParserCase("<a>¦&<!--", .error(.incompleteReference)), ParserCase("<a ¦<!DOCTYPE a>", .error(.lessThanInTag)),
        ParserCase("<¦<!x", .error(.lessThanInTag)), ParserCase("<¦0<1b", .expected(.name)),
    ]

    @Test(arguments: mistakes) func mistake(_ example: ParserCase) {
        let (marked, lines) = (example.marked, example.lines)
        ParserCase("¦<ok/>" + marked + "\n", ["<{jabber:client}ok></>"] + lines).expect(.stream, after: header)
        ParserCase(marked, lines).expect(.document)
        // Bad bytes after the mistake do not matter.
        let bytes = Array(example.text.utf8) + [0xFF]
        #expect(transcript(bytes, .document).errors.first?.position.short == places(in: marked)[0])
        // Nor does a document type.
        ParserCase("¦<ok/>\n\(marked)<!DOCTYPE a>\n¦<ok/>", ["<ok></>"] + lines + ["<ok></>"]).expect(
            .fragments(in: .empty))
    }

    // MARK: Documents

    private static let documentText = """
        <!DOCTYPE a [ <!ELEMENT a ANY> <!-- ' --> <?pi > ?> <!ENTITY e 'x>'> ]>\r\n¦<a x='1'><!-- -> --><b/>
        \u{20AC} text that is long enough to be handed over in several pieces, and continues after \
        three hundred bytes of text: so here are some more words, and even more words, until the \
        text is clearly longer than that, wherever it begins.</a>
        <!-- end -->
        """
    private static let documentDump =
        "<a x='1'><b></>\n\u{20AC} text that is long enough to be handed over in several pieces, and continues after "
        + "three hundred bytes of text: so here are some more words, and even more words, until the "
        + "text is clearly longer than that, wherever it begins.</>"

    static let documents = [
        ParserCase(documentText, "\(documentDump)"),
        ParserCase(documentText + "¦<again/>", "\(documentDump)", .error(.contentAfterEnd)),
        ParserCase(
            """
            <?xml version="1.0" encoding="utf-8" standalone="yes"?>
            <!DOCTYPE a SYSTEM "file:///nowhere.dtd" [<!ELEMENT a ANY> <!ENTITY e "x">]>
            <!-- before --><?pi before?>
            ¦<a>one<!-- in -->two<?pi?> <b c=" 1&#10;\n2 "/></a>
            <!-- after -->
            """, "<a>onetwo <b c=' 1\n 2 '></></>"),
        ParserCase("\u{FEFF}¦<a/>", "<a></>"), ParserCase("<a>\u{20AC}<b>¦&e;</b></a>", .error(.entityReference("e"))),
        ParserCase("<?xml version='1.0'¦<?><a/>", .expected(.whiteSpace)),
        ParserCase("<!DOCTYPE¦<x>><a/>", .expected(.whiteSpace)), ParserCase("¦text", .error(.missingRoot)),
        ParserCase("¦&#32;<a/>", .error(.missingRoot)), ParserCase(" ¦<![CDATA[x]]><a/>", .error(.missingRoot)),
        ParserCase("¦<a/>¦<![CDATA[x]]>", "<a></>", .error(.contentAfterEnd)),
        ParserCase("<!DOCTYPE a>¦<!DOCTYPE a><a/>", .error(.restricted(.documentType))),
        ParserCase("<!DOCTYPE a []¦x><a/>", .error(.missingTagEnd)),
        ParserCase("<!DOCTYPE a ¦<x>", .error(.lessThanInTag)),
        // No declaration of a document type has an effect.
        ParserCase("<!DOCTYPE a [<!ENTITY a '&b;'><!ENTITY b '&a;'>]><a>¦&a;</a>", .error(.entityReference("a"))),
        ParserCase("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a>¦&x;</a>", .error(.entityReference("x"))),
        ParserCase("<!DOCTYPE a [<!ENTITY % x SYSTEM 'file:///x'> %x;]><a>¦&y;</a>", .error(.entityReference("y"))),
        ParserCase("<!DOCTYPE a [<!ATTLIST a b CDATA 'x'>]>¦<a/>", "<a></>"),
        ParserCase(
            "<!DOCTYPE a [<!ENTITY lt 'boo'><!ENTITY amp \"boo\">]>¦<a b='&lt;'>&amp;&lt;</a>", "<a b='<'>&<</>"),
    ]

    @Test(arguments: documents) func document(_ example: ParserCase) { example.expect(.document) }

    /// Correct markup outside of the root, which contains text that looks like its end.
    static let outsideRoot = [
        "<!--> hello -->", "<!---> hello -->", "<!-- > ' ]> -->", "<?pi > ]> ' ?>", "<!DOCTYPE a SYSTEM 'x>y'>",
        "<!DOCTYPE a PUBLIC '-//x' \"x'>y\">", "<!DOCTYPE a [<?pi ]> ?>]>", "<!DOCTYPE a [<!-- ]> -->]>",
        "<!DOCTYPE a [<?pi don't ?>]>", "<!DOCTYPE a [<!-- don't -->\n<!ENTITY b \"'>]>\">\n] >",
        "<!DOCTYPE a [<?pi <!-- ?>]>", "<!DOCTYPE a [<!--> ' -->]>", "<!DOCTYPE a [<!ELEMENT a (b)>]>",
    ]

    /// The parser skips it, however long it is.
    @Test(arguments: outsideRoot) func markupOutsideTheRoot(_ markup: String) {
        let filler = String(repeating: "x", count: 600)
        let long = markup.replacing("'x", with: "'\(filler)").replacing("pi ", with: "pi \(filler) ")
            .replacing("hello", with: filler).replacing("<!-- ", with: "<!-- \(filler) ")
        for markup in [markup, long] {
            ParserCase(markup + "¦<a>text</a>", "<a>text</>").expect(.document)
            if markup.hasPrefix("<!D") { continue }
            ParserCase("¦<a>text</a>\n" + markup, "<a>text</>").expect(.document)
            ParserCase(markup + " ¦<a>text</a>" + markup, "<a>text</>").expect(Self.fragmentsOfEmpty)
        }
    }

    private static let fragmentsOfEmpty = XMLStreamParser.Mode.fragments(in: .empty)

    // MARK: Fragments

    private static let mixed = """
        ¦<message>one</message>¦<iq/> <?xml version='1.0'?>
        <broken ¦<here/>
        ¦<message>two</message>
        <a><b>¦</a>
          <not a='line start'/>
        ¦<presence/> ¦text </stray>
        <!-- fine --> <?fine?>
        <¦x:y/>
        <c>¦&nbsp;</c>
        <d>¦\u{1}</d>
        <?xml version='1.0' encoding='latin1'?>
        ¦<\u{E9}>three</\u{E9}>
        ¦</x>
        <open>¦
        """

    static let fragmentsInClientStreams = [
        ParserCase(
            mixed, "<{jabber:client}message>one</>", "<{jabber:client}iq></>", .error(.lessThanInTag),
            "<{jabber:client}message>two</>", .error(.mismatchedEndTag), "<{jabber:client}presence></>",
            .error(.textBetweenElements), .error(.unboundPrefix("x")), .error(.entityReference("nbsp")),
            .error(.forbiddenCharacter("\u{1}")), "<{jabber:client}\u{E9}>three</>", .error(.mismatchedEndTag),
            .error(.unexpectedEnd)),
        ParserCase(
            """
            <?xml version='1.0'?>
            ¦<message/> <!-- between -->¦<stream:features/>
            <?xml version="1.0" encoding="UTF-8"?><?pi?>
              ¦<iq xmlns='urn:q'><q/></iq>
            """, "<{jabber:client}message></>", "<{\(XMLNamespace.stream)}stream:features></>",
            "<{urn:q}iq><{urn:q}q></></>"),
    ]

    static let fragments = [
        ParserCase("¦<a/>", "<a></>"), ParserCase(" &#32; ¦<a/>", "<a></>"), ParserCase(" \n"),
        ParserCase("\u{FEFF}¦<a/>", "<a></>"),
        // Runs of text, and namespaces that are not URIs.
        ParserCase("¦<a>\n<b/>\n&#120;<c/>\n</a>", "<a>\n<b></>\nx<c></>\n</>"),
        ParserCase("¦<a>1234567<b/>1234567<c/>12345678<d/></a>", "<a>1234567<b></>1234567<c></>12345678<d></></>"),
        ParserCase(
            "¦<a>\n<b/>\n<![CDATA[y]]>&lt;<c/>\n<d/>\nz\r</a>", "<a>\n<b></>\ny<<c></>\n<d></>\nz\n</>"),
        ParserCase(
            "¦<a xmlns='no uri' xmlns:p='::' p:x='1'/>", "<{no uri}a declare {::}p {::}p:x='1'></>"),
        // After an error that shows only at the end of the input, the parser reads the fragments that follow it.
        ParserCase("<a><!--\n<b/> ¦-- \n¦<c/>\n¦<d/>", .error(.hyphensInComment), "<c></>", "<d></>"),
        ParserCase("<a><!--\n<a><!¦--\n<a><!--\n¦", .error(.hyphensInComment), .error(.unexpectedEnd)),
        ParserCase("<a><!--\n<a><!¦--\n¦<b/>\n<a><!--\n¦", .error(.hyphensInComment), "<b></>", .error(.unexpectedEnd)),
        ParserCase("<a><!--\n\u{E9} ¦-- -->\n¦<c/>", .error(.hyphensInComment), "<c></>"),
        ParserCase("<a></a\n¦¦<c/>\n¦<d/>", .error(.lessThanInTag), "<c></>", "<d></>"),
        ParserCase("<a></a\n¦<c¦", .error(.lessThanInTag), .error(.unexpectedEnd)),
        ParserCase("<a>¦&<b/>\n</a>\n¦<c/>", .error(.incompleteReference), "<c></>"),
        ParserCase("<a b=\n¦¦<c/>", .error(.lessThanInTag), "<c></>"),
        ParserCase("<a \n¦¦<c/>", .error(.lessThanInTag), "<c></>"),
        ParserCase("<a b='' b\n¦¦<c/>", .error(.lessThanInTag), "<c></>"),
        ParserCase("<a b='\n¦¦<c/>", .error(.lessThanInTag), "<c></>"),
        ParserCase("<a b='\n¦¦<b/>\n<c¦", .error(.lessThanInTag), "<b></>", .error(.unexpectedEnd)),
        ParserCase("<a b=''\n¦¦<c/>\n¦<d/>", .error(.lessThanInTag), "<c></>", "<d></>"),
        ParserCase("¦<a/>\n<?p¦<x?>", "<a></>", .expected(.whiteSpace)),
        ParserCase("¦<a/>\n<?p¦/", "<a></>", .expected(.whiteSpace)),
        ParserCase("¦<a/>\n<?p¦/?>", "<a></>", .expected(.whiteSpace)),
        // Markup that is so short that the next bytes decide its kind.
        ParserCase("<a>¦<!\n¦<b/>", .error(.otherMarkup), "<b></>"),
        ParserCase("<a>¦<!-\n¦<b/>", .error(.otherMarkup), "<b></>"),
        ParserCase("¦<a/>¦<!\n¦<b/>", "<a></>", .error(.otherMarkup), "<b></>"),
        // Text between fragments.
        ParserCase("¦hello\n¦<a/>", .error(.textBetweenElements), "<a></>"),
        ParserCase("¦x", .error(.textBetweenElements)),
        ParserCase(" \n¦hello\n¦<a/>", .error(.textBetweenElements), "<a></>"),
        ParserCase("¦<![CDATA[x]]>\n¦<a/>", .error(.textBetweenElements), "<a></>"),
        ParserCase("<¦<a/>", .error(.lessThanInTag)), ParserCase("\u{FEFF}¦x", .error(.textBetweenElements)),
        ParserCase("¦<a/>¦x]]>\n¦<b/>", "<a></>", .error(.textBetweenElements), "<b></>"),
        ParserCase("¦&amp;", .error(.textBetweenElements)), ParserCase("¦&<a/>", .error(.incompleteReference)),
        ParserCase("¦<a/>\n&#10;\n¦x<c/>\n¦<b/>", "<a></>", .error(.textBetweenElements), "<b></>"),
        ParserCase("¦]]>\n¦<b/>", .error(.textBetweenElements), "<b></>"),
        ParserCase("¦]]>", .error(.textBetweenElements)),
        ParserCase("¦<a/>&#13;¦x\n¦<b/>", "<a></>", .error(.textBetweenElements), "<b></>"),
        ParserCase("&#x20;¦<a/>&#32;\n ¦text\n¦<b/>", "<a></>", .error(.textBetweenElements), "<b></>"),
        ParserCase("¦<a/> &#10;¦&#65;\n¦<b/>", "<a></>", .error(.textBetweenElements), "<b></>"),
        ParserCase("¦<a/>\n\n&#13;¦&amp;\n¦<b/>", "<a></>", .error(.textBetweenElements), "<b></>"),
        // Places count all bytes of a forbidden character.
        ParserCase(
            "<a>¦\u{FFFF}\u{FFFE}\u{FFFF} </a>\n¦<b/>\n<c>¦\u{FFFF}</c>\n¦<d/>",
            .error(.forbiddenCharacter("\u{FFFF}")),
            "<b></>", .error(.forbiddenCharacter("\u{FFFF}")), "<d></>"),
    ]

    @Test(arguments: fragments) func fragment(_ example: ParserCase) {
        example.expect(Self.fragmentsOfEmpty)
        _ = transcript(example.text, .document)
    }

    @Test(arguments: fragmentsInClientStreams) func fragmentInAClientStream(_ example: ParserCase) {
        example.expect(Self.fragmentsOfClients)
    }

    /// All markup without an end belongs to the incomplete fragment.
    @Test(arguments: [
        "<a><![CDATA[\n<b/>\n", "<a><![CDATA[\n<b/>\n<c/>\n", "<a><!--\n<c/>\n<d/>", "<a><?x\n<c/>\n<d/>",
        "<!--\n<c/>\n",
        "<a>\n<c/>\n<d/>", "<a>x\n<b/> ]]\n<c/>", "<a", "<a>&x", "<a b='\n", "<a></a\n", "<?x",
        "<!-- \n<b/>\n<c",
        "<?p?", "<?p ?", "<?xml version='1.0'?", "<?xml version='1.0' ?", "<?xml version='1.0' encoding='utf-8'?",
        "<?xml version='1.0' encoding='utf-8' standalone='no'?",
        "<?xml version='1.0' encoding='utf-8' standalone='no' ?",
    ])
    func inputWithoutEnd(_ text: String) {
        let example = ParserCase(text + "¦", .error(.unexpectedEnd))
        for mode in [XMLStreamParser.Mode.document, Self.fragmentsOfEmpty, Self.fragmentsOfClients] {
            example.expect(mode)
        }
        if text.hasPrefix("<?xml") { example.expect(.stream) }
    }

    /// The parser reports an invalid context only if the context is invalid.
    @Test func aValidContextIsNeverBlamed() {
        for unit in ["<a><!--\n", "<a><![CDATA[\n", "<a><?x\n", "<a>&\n", "<p:b/>\n", "<b></c>\n", "x\n", "<a b='\n"] {
            for end in ["", "<", "<a", "<a>", "--", "-->", "]]>", "?>"] {
                let text = String(repeating: unit, count: 5) + end
                for mode in [Self.fragmentsOfEmpty, Self.fragmentsOfClients] {
                    let errors = transcript(text, mode, chunks: [1, 5]).errors
                    #expect(
                        !errors.contains { $0.kind == .invalidContext } && errors.count <= 7, "\(text.debugDescription)"
                    )
                }
            }
        }
    }

    // MARK: The same inputs, damaged

    /// The parser delivers the elements that are complete before the end of truncated input, or before wrong bytes.
    @Test(arguments: [
        (wholeStreams[0], XMLStreamParser.Mode.stream), (documents[0], .document),
        (fragmentsInClientStreams[0], fragmentsOfClients),
    ])
    func damagedInputLosesNothing(_ example: ParserCase, _ mode: XMLStreamParser.Mode) {
        let bytes = Array(example.text.utf8)
        let whole = output(bytes, mode).events
        for offset in bytes.indices {
            let before = output(Array(bytes[..<offset]), mode, chunk: 7)
            #expect(before.events == Array(whole.prefix(before.events.count)), "\(offset) bytes")
            #expect(mode.isFragments || before.events.last == whole.last || !before.errors.isEmpty, "\(offset) bytes")
            for byte: UInt8 in [0x00, 0x80, 0xC3, 0xFF, 0xF4, 0x1F] {
                var damaged = bytes
                damaged[offset] = byte
                let found = output(damaged, mode, chunk: offset + 1)
                #expect(found.events.starts(with: before.events))
                // Some bytes fit into a character of several bytes, so that the input is still valid.
                let isValid = String(decoding: damaged, as: UTF8.self).utf8.elementsEqual(damaged)
                #expect(!found.errors.isEmpty || isValid, "byte \(byte) at \(offset)")
            }
        }
    }
}
