// Serializing trees as XML: escaping, declarations, layout.

import Testing
import XMLTree

@Suite struct SerializationTests {
    @Test func escaping() throws {
        let text = "& < > ' \" \t \n \r \u{E9} \u{1F600} ]]>"
        let element = MutableElement("a", attributes: ["k": text], text: text)
        #expect(
            element.xmlString()
                == "<a k='&amp; &lt; &gt; &apos; &quot; &#9; &#10; &#13; \u{E9} \u{1F600} ]]&gt;'>"
                + "&amp; &lt; &gt; ' \" \t \n &#13; \u{E9} \u{1F600} ]]&gt;</a>")
        let parsed = try Element(parsing: element.xmlString())
        #expect(parsed["k"].map { Array($0.utf8) } == Array(text.utf8))
        #expect(parsed.text.map { Array($0.utf8) } == Array(text.utf8))
        let namespace = MutableElement("a", namespace: "u'&\"<>")
        #expect(try Element(parsing: namespace.xmlString()).namespace == "u'&\"<>")
    }

    /// Sources, each with its context. Parsing a source in the context and writing it there returns the same text.
    private static let kept: [(String, NamespaceContext)] = [
        ("<a/>", .empty),
        ("<a xmlns='u'><b/><c xmlns=''><d xmlns='u'/></c><e/></a>", .empty),
        ("<message type='chat'><body>x</body><x xmlns='jabber:x:oob'><url/></x></message>", .clientStream),
        (
            "<stream:error><text xmlns='urn:ietf:params:xml:ns:xmpp-streams' xml:lang='en'>x</text></stream:error>",
            .clientStream
        ),
        ("<p:a xmlns:p='u'><p:b p:k='1'/><p:c xmlns:p='v'/><p:d/></p:a>", .empty),
        ("<a xmlns:p='u' xmlns:unused='v'><b xmlns:p='u2' p:k='1'/></a>", .empty),
        ("<a xmlns='u'>x<p:b xmlns:p='v'><c xmlns=''/>y</p:b>z</a>", .empty),
        ("<a xmlns=''/>", .clientStream),
        ("<a>\n <b/>\n</a>", .empty),
    ]

    @Test func parsedXMLIsWrittenUnchanged() throws {
        for (source, context) in Self.kept {
            let element = try Element(parsing: source, in: context)
            #expect(element.xmlString(in: context) == source)
            #expect(element.thaw().xmlString(in: context) == source)
            #expect(element.copy().xmlString(in: context) == source)
        }
    }

    @Test func declarationsDependOnTheSurroundings() throws {
        let stanza = try Element(stanza: "<message><body/><stream:x stream:k='1'/></message>")
        #expect(
            stanza.xmlString()
                == "<message xmlns='jabber:client'><body/>"
                + "<stream:x xmlns:stream='\(XMLNamespace.stream)' stream:k='1'/></message>")
        // A part is written with the declarations that it uses.
        let parts = Array(stanza.children)
        #expect(parts[0].xmlString() == "<body xmlns='jabber:client'/>")
        #expect(parts[0].xmlString(in: .clientStream) == "<body/>")
        #expect(parts[1].xmlString() == "<stream:x xmlns:stream='\(XMLNamespace.stream)' stream:k='1'/>")
        // A part declares its prefix again in a context that binds it otherwise.
        let other = NamespaceContext(defaultNamespace: "jabber:server", prefixes: ["stream": "urn:other"])
        #expect(parts[1].xmlString(in: other) == "<stream:x xmlns:stream='\(XMLNamespace.stream)' stream:k='1'/>")
        #expect(parts[0].xmlString(in: other) == "<body xmlns='jabber:client'/>")
        // The serializer omits a redundant declaration.
        let declared = try Element(parsing: "<a xmlns:p='u'><b xmlns:p='u' p:k='1'/></a>")
        #expect(declared.xmlString() == "<a xmlns:p='u'><b p:k='1'/></a>")
        #expect(declared.xmlString(in: NamespaceContext(prefixes: ["p": "u"])) == "<a><b p:k='1'/></a>")
    }

    /// A part keeps the declarations of its own tags, also those that only values and text use, whichever way it leaves
    /// its tree. It has none from around it that no name in it uses, but its bindings stay known.
    @Test func declarationsThatOnlyContentUses() throws {
        let stanza = try Element(
            parsing: "<iq xmlns:xsi='urn:xsi' xmlns:out='urn:out'>"
                + "<v xmlns:xsd='urn:xsd' xsi:type='xsd:string' k='out:x'><w xmlns:z='urn:z'>z:1</w></v></iq>",
            in: .clientStream)
        let part = try #require(stanza.firstChild)
        let removed = try #require(stanza.thaw().firstChild).remove()
        let written = [
            part.xmlString(), part.copy().xmlString(), part.thaw().xmlString(), part.thaw().freeze().xmlString(),
            removed.xmlString(), removed.copy().xmlString(),
        ]
        let text =
            "<v xmlns='jabber:client' xmlns:xsd='urn:xsd' xmlns:xsi='urn:xsi' xsi:type='xsd:string' k='out:x'>"
            + "<w xmlns:z='urn:z'>z:1</w></v>"
        #expect(written == Array(repeating: text, count: written.count))
        for known in [part.copy().namespacesInScope, part.thaw().namespacesInScope, removed.namespacesInScope] {
            #expect(known == part.namespacesInScope && known.prefixes["out"] == "urn:out")
        }
    }

    /// The default namespace of a tag with a prefix applies to its content alone, such as a qualified name in text.
    @Test(arguments: [
        "<p:v xmlns:p='urn:p' xmlns='urn:d' type='thing'/>",
        "<p:v xmlns='urn:d' xmlns:p='urn:p'>thing<w/><p:x xmlns='urn:e'><y/></p:x><w xmlns=''/></p:v>",
        "<p:v xmlns:p='urn:p' xmlns='urn:d'><p:x xmlns=''>thing</p:x></p:v>",
        "<xml:v xmlns='urn:d'/>",
        "<xmlns xmlns='urn:d' xmlns:p='urn:p'><p:v xmlns='urn:e'/></xmlns>",
    ])
    func aDefaultNamespaceThatOnlyContentUses(text: String) throws {
        let stanza = try Element(parsing: "<iq>\(text)</iq>")
        let part = try #require(stanza.firstChild)
        let removed = try #require(stanza.thaw().firstChild).remove()
        let other = MutableElement("a", namespace: .empty)
        other.add(part)
        let moved = try #require(other.freeze().firstChild)
        let written = [
            part.xmlString(), part.copy().xmlString(), part.thaw().xmlString(), part.thaw().freeze().xmlString(),
            removed.xmlString(), removed.copy().xmlString(), removed.freeze().xmlString(), moved.xmlString(),
        ]
        #expect(written == Array(repeating: text, count: written.count))
        #expect(try Element(parsing: text) == part)
        // It is neither a prefix nor an attribute.
        for element in [part, part.copy(), moved] {
            #expect(element.namespace(forPrefix: "") == nil && element.attribute(":type") == nil)
            #expect(element.namespacesInScope.prefixes.allSatisfy { !$0.key.isEmpty })
        }
    }

    /// The name of a tag without a prefix has its namespace, whatever the tag declared before.
    @Test func aNewNameReplacesTheDefaultNamespace() throws {
        let element = try Element(parsing: "<p:v xmlns:p='urn:p' xmlns='urn:d'><w/></p:v>").thaw()
        #expect(element.xmlString(in: NamespaceContext(defaultNamespace: "urn:d")) == "<p:v xmlns:p='urn:p'><w/></p:v>")
        element.setNamespace(.uri("urn:e"))
        #expect(element.xmlString() == "<v xmlns='urn:e' xmlns:p='urn:p'><w xmlns='urn:d'/></v>")
    }

    @Test func aPrefixThatTheTreeBindsOtherwiseIsReplaced() throws {
        // The child's prefix means `u`, but the tree now binds it to `v`.
        let tree = MutableElement("p:a", namespace: "u", attributes: ["p:k": "1"]) {
            MutableElement("b", namespace: .empty)
        }
        try tree.declarePrefix("p", as: "v")
        try tree.declarePrefix("ns1", as: "w")
        let xml = tree.xmlString()
        #expect(xml == "<ns2:a xmlns:p='v' xmlns:ns1='w' xmlns:ns2='u' ns2:k='1'><b/></ns2:a>")
        let parsed = try Element(parsing: xml)
        #expect(parsed == tree.freeze())
        #expect(parsed.namespace(forPrefix: "p") == "v")
    }

    @Test func attributesOfOneSpellingAreDistinguished() throws {
        let element = MutableElement("a")
        try element.declarePrefix("p", as: "u")
        element["p:k"] = "1"
        try element.declarePrefix("p", as: "v")
        element["{v}k"] = "2"
        #expect(element.xmlString() == "<a xmlns:p='v' xmlns:ns1='u' ns1:k='1' p:k='2'/>")
        #expect(try Element(parsing: element.xmlString()) == element.freeze())
    }

    @Test func theNamespaceOfXMLIsOnlyWrittenWithItsPrefix() throws {
        let element = MutableElement("a", namespace: .uri(XMLNamespace.xml)) {
            MutableElement("b", namespace: .empty)
        }
        #expect(element.xmlString() == "<xml:a><b/></xml:a>")
        #expect(MutableElement("xml:a", namespace: .uri(XMLNamespace.xml)).xmlString() == "<xml:a/>")
    }

    @Test func intoABuffer() throws {
        var output = Array("before ".utf8)
        try Element(parsing: "<a>é</a>").write(to: &output)
        MutableElement("b").write(to: &output)
        #expect(output == Array("before <a>é</a><b/>".utf8))
        #expect(MutableElement("b").xmlBytes() == Array("<b/>".utf8))
        #expect("\(MutableElement("b"))" == "<b/>")
    }

    @Test func prettyPrinting() throws {
        let source = """
            <iq type='get'><query xmlns='q'><item/><item><name>x</name></item></query><mixed>a<b/><c><d/></c></mixed>\
            <tail><b/>z</tail><kept xml:space='preserve'><b/></kept><empty/></iq>
            """
        let expected = """
            <iq type='get'>
              <query xmlns='q'>
                <item/>
                <item>
                  <name>x</name>
                </item>
              </query>
              <mixed>a<b/><c><d/></c></mixed>
              <tail><b/>z</tail>
              <kept xml:space='preserve'><b/></kept>
              <empty/>
            </iq>
            """
        let element = try Element(parsing: source)
        #expect(element.xmlString(format: .pretty) == expected)
        // Pretty printing does not change text that is already laid out.
        #expect(try Element(parsing: expected).xmlString(format: .pretty) == expected)
    }

    @Test func aPrefixThatTheElementUsesIsNotBoundAnewInItsTag() throws {
        let child = MutableElement("a", namespace: .uri("u"), attributes: ["{v}k": "1"])
        let parent = MutableElement("a", namespace: .uri("u"))
        for element in [parent, child] {
            try element.declarePrefix("ns1", as: "u")
            try element.setPrefix("ns1")
            try element.declarePrefix("ns1", as: nil)
        }
        parent.add(child)
        let xml = parent.xmlString()
        #expect(xml == "<ns1:a xmlns:ns1='u'><ns1:a xmlns:ns2='v' ns2:k='1'/></ns1:a>")
        #expect(try Element(parsing: xml) == parent.freeze())
    }
}
