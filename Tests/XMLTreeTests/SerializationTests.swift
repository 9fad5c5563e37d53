// Serializing trees as XML: escaping, declarations, layout; and elements that leave their trees with their prefixes in
// scope (rule 4.3).

import Testing

@testable import XMLTree

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

    // MARK: Ways out of a tree

    /// Sources, each with its context. Parsing a source in the context and writing it there returns the same text.
    private static let sources: [(String, NamespaceContext)] = [
        ("<a/>", .empty), ("<a xmlns=''/>", .clientStream), ("<a>\n <b/>\n</a>", .empty),
        ("<a xmlns='u'><b/><c xmlns=''><d xmlns='u'/></c><e/></a>", .empty),
        ("<message type='chat'><body>x</body><x xmlns='jabber:x:oob'><url/></x></message>", .clientStream),
        (
            "<stream:error><text xmlns='urn:ietf:params:xml:ns:xmpp-streams' xml:lang='en'/></stream:error>",
            .clientStream
        ),
        ("<p:a xmlns:p='u'><p:b p:k='1'/><p:c xmlns:p='v'/><p:d/></p:a>", .empty),
        ("<a xmlns:p='u' xmlns:unused='v'><b xmlns:p='u2' p:k='1'/></a>", .empty),
        ("<a xmlns='u'>x<p:b xmlns:p='v'><c xmlns=''/>y</p:b>z</a>", .empty),
        (
            "<iq xmlns:a='urn:a' a:k='1'><q xmlns:b='urn:b' xmlns:s='urn:t'><r b:k='2'/></q></iq>",
            NamespaceContext(
                defaultNamespace: "jabber:client", prefixes: ["stream": XMLNamespace.stream, "s": "urn:s"])
        ),
        // Declarations that only values and text use.
        (
            "<iq xmlns:xsi='urn:xsi' xmlns:out='urn:out'><v xmlns:xsd='urn:xsd' xsi:type='xsd:string' k='out:x'>"
                + "<w xmlns:z='urn:z'>z:1</w></v></iq>", .clientStream
        ),
        // The default namespace of a tag with a prefix applies to its content alone, such as a qualified name in text.
        ("<iq><p:v xmlns:p='urn:p' xmlns='urn:d' type='thing'/></iq>", .empty),
        (
            "<iq><p:v xmlns='urn:d' xmlns:p='urn:p'>thing<w/><p:x xmlns='urn:e'><y/></p:x><w xmlns=''/></p:v></iq>",
            .empty
        ),
        ("<iq><p:v xmlns:p='urn:p' xmlns='urn:d'><p:x xmlns=''>thing</p:x></p:v></iq>", .empty),
        ("<iq><xml:v xmlns='urn:d'/></iq>", .empty),
        ("<iq><xmlns xmlns='urn:d' xmlns:p='urn:p'><p:v xmlns='urn:e'/></xmlns></iq>", .empty),
        // Composed and decomposed characters are different prefixes (rule 1.1).
        ("<a xmlns:\u{E9}='urn:1'><e\u{301}:b xmlns:e\u{301}='urn:2' \u{E9}:k='1' e\u{301}:k='2'/></a>", .empty),
    ]

    /// An element is the same, is written the same and has the same prefixes in scope, whichever way it leaves its
    /// tree.
    @Test(arguments: sources) func waysOutOfATree(_ source: String, _ context: NamespaceContext) throws {
        let root = try Element(parsing: source, in: context)
        #expect(root.xmlString(in: context) == source && root.thaw().xmlString(in: context) == source)
        func check(_ element: Element, _ find: (MutableElement) -> MutableElement?) throws {
            let thawed = try #require(find(root.thaw()))
            let (scope, xml, dump) = (element.namespacesInScope, element.xmlString(), element.copy().dump)
            let added = MutableElement("a", namespace: .empty).add(element)
            for (way, copy) in [
                ("copy", element.copy()), ("thaw", element.thaw().freeze()), ("freeze", thawed.freeze()),
                ("copy of thawed", thawed.copy().freeze()), ("remove", thawed.remove().freeze()),
                ("copy of removed", thawed.copy().freeze()), ("add", added.freeze()),
                ("add and remove", added.remove().freeze()),
            ] {
                #expect(copy == element && copy.isRoot, "\(way): \(copy)")
                #expect(copy.namespacesInScope == scope, "\(way): \(copy.namespacesInScope)")
                // The tree around an added element declares the prefixes that were in scope.
                if way.hasPrefix("add") { continue }
                #expect(copy.dump == dump && copy.xmlString() == xml, "\(way): \(copy)")
                #expect(copy.xmlString(in: context) == element.xmlString(in: context), "\(way)")
            }
            #expect(element.shallowCopy().namespacesInScope == scope && thawed.shallowCopy().namespacesInScope == scope)
            for (prefix, namespace) in scope.prefixes { #expect(added.namespace(forPrefix: prefix) == namespace) }
            #expect(element.namespace(forPrefix: "") == nil && scope.prefixes.allSatisfy { !$0.key.isEmpty })
            for child in element.children { try check(child) { find($0)?.children[child.childIndex] } }
        }
        try check(root) { $0 }
    }

    @Test func prefixesInScope() throws {
        let (source, context) = Self.sources[9]
        let iq = try Element(parsing: source, in: context)
        let q = try #require(iq.firstChild)
        for (prefix, inIQ, inQ) in [
            ("a", "urn:a", "urn:a"), ("b", nil, "urn:b"), ("s", "urn:s", "urn:t"),
            ("xml", XMLNamespace.xml, XMLNamespace.xml),
            ("xmlns", nil, nil), ("stream", XMLNamespace.stream, XMLNamespace.stream),
        ] {
            #expect(iq.namespace(forPrefix: prefix) == inIQ && q.namespace(forPrefix: prefix) == inQ, "\(prefix)")
        }
        #expect(
            q.namespacesInScope.prefixes == ["stream": XMLNamespace.stream, "s": "urn:t", "a": "urn:a", "b": "urn:b"])
        #expect(q.namespacesInScope.defaultNamespace == "jabber:client")
        let r = try #require(q.firstChild)
        #expect(r["b:k"] == "2" && r.copy()["{urn:b}k"] == "2")
    }

    @Test func shallowCopies() throws {
        let a = try Element(parsing: "<p:a xmlns:p='u' k='1'>x<b/>y</p:a>")
        for copy in [a.shallowCopy().xmlString(), a.thaw().shallowCopy().xmlString()] {
            #expect(copy == "<p:a xmlns:p='u' k='1'/>")
        }
        for copy in [a.shallowCopy(withText: true).xmlString(), a.thaw().shallowCopy(withText: true).xmlString()] {
            #expect(copy == "<p:a xmlns:p='u' k='1'>xy</p:a>")
        }
        #expect(a.firstChild?.shallowCopy().isRoot == true)
    }

    // MARK: Declarations

    @Test func declarationsDependOnTheSurroundings() throws {
        let stanza = try Element(stanza: "<message><body/><stream:x stream:k='1'/></message>")
        let (body, x) = (Array(stanza.children)[0], Array(stanza.children)[1])
        let stream = "<stream:x xmlns:stream='\(XMLNamespace.stream)' stream:k='1'/>"
        let other = NamespaceContext(defaultNamespace: "jabber:server", prefixes: ["stream": "urn:other"])
        let declared = try Element(parsing: "<a xmlns:p='u'><b xmlns:p='u' p:k='1'/></a>")
        for (element, context, xml) in [
            (stanza, NamespaceContext.empty, "<message xmlns='jabber:client'><body/>\(stream)</message>"),
            // A part is written with the declarations that it uses.
            (body, .empty, "<body xmlns='jabber:client'/>"), (body, .clientStream, "<body/>"), (x, .empty, stream),
            // It declares its prefix again in a context that binds it otherwise.
            (x, other, stream), (body, other, "<body xmlns='jabber:client'/>"),
            // The serializer omits a redundant declaration.
            (declared, .empty, "<a xmlns:p='u'><b p:k='1'/></a>"),
            (declared, NamespaceContext(prefixes: ["p": "u"]), "<a><b p:k='1'/></a>"),
        ] {
            #expect(element.xmlString(in: context) == xml)
        }
    }

    /// Trees that bind a prefix otherwise than their names do.
    @Test func prefixesAreReplaced() throws {
        let tree = MutableElement("p:a", namespace: "u", attributes: ["p:k": "1"]) {
            MutableElement("b", namespace: .empty)
        }
        try tree.declarePrefix("p", as: "v")
        try tree.declarePrefix("ns1", as: "w")
        let twice = MutableElement("a")
        try twice.declarePrefix("p", as: "u")
        twice["p:k"] = "1"
        try twice.declarePrefix("p", as: "v")
        twice["{v}k"] = "2"
        // A prefix that the element uses is not bound anew in its tag.
        let child = MutableElement("a", namespace: .uri("u"), attributes: ["{v}k": "1"])
        let parent = MutableElement("a", namespace: .uri("u"))
        for element in [parent, child] {
            try element.declarePrefix("ns1", as: "u")
            try element.setPrefix("ns1")
            try element.declarePrefix("ns1", as: nil)
        }
        parent.add(child)
        let xml = MutableElement("a", namespace: .uri(XMLNamespace.xml)) { MutableElement("b", namespace: .empty) }
        for (element, text) in [
            (tree, "<ns2:a xmlns:p='v' xmlns:ns1='w' xmlns:ns2='u' ns2:k='1'><b/></ns2:a>"),
            (twice, "<a xmlns:p='v' xmlns:ns1='u' ns1:k='1' p:k='2'/>"),
            (parent, "<ns1:a xmlns:ns1='u'><ns1:a xmlns:ns2='v' ns2:k='1'/></ns1:a>"), (xml, "<xml:a><b/></xml:a>"),
        ] {
            #expect(element.xmlString() == text)
            #expect(try Element(parsing: text) == element.freeze())
        }
        // The name of a tag without a prefix has its namespace, whatever the tag declared before.
        let renamed = try Element(parsing: "<p:v xmlns:p='urn:p' xmlns='urn:d'><w/></p:v>").thaw()
        #expect(renamed.xmlString(in: NamespaceContext(defaultNamespace: "urn:d")) == "<p:v xmlns:p='urn:p'><w/></p:v>")
        renamed.setNamespace(.uri("urn:e"))
        #expect(renamed.xmlString() == "<v xmlns='urn:e' xmlns:p='urn:p'><w xmlns='urn:d'/></v>")
    }

    @Test func intoABuffer() throws {
        var output = Array("before ".utf8)
        try Element(parsing: "<a>é</a>").write(to: &output)
        MutableElement("b").write(to: &output)
        #expect(output == Array("before <a>é</a><b/>".utf8))
        #expect(MutableElement("b").xmlBytes() == Array("<b/>".utf8) && "\(MutableElement("b"))" == "<b/>")
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
        // Pretty printing does not change text that is already laid out.
        for text in [source, expected] { #expect(try Element(parsing: text).xmlString(format: .pretty) == expected) }
    }
}
