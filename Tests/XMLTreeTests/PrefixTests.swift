// Prefixes in scope (rule 4.3): in trees, around them, and in copies.

import Testing

@testable import XMLTree

@Suite struct PrefixTests {
    private static let context = NamespaceContext(
        defaultNamespace: "jabber:client", prefixes: ["stream": XMLNamespace.stream, "s": "urn:s"])

    private func stanza() throws -> Element {
        try Element(
            parsing: "<iq xmlns:a='urn:a' a:k='1'><q xmlns:b='urn:b' xmlns:s='urn:t'><r b:k='2'/></q></iq>",
            in: Self.context)
    }

    @Test func prefixesInScope() throws {
        let iq = try stanza()
        let q = try #require(iq.firstChild)
        #expect(iq.namespace(forPrefix: "a") == "urn:a")
        #expect(iq.namespace(forPrefix: "b") == nil)
        #expect(iq.namespace(forPrefix: "s") == "urn:s")
        #expect(iq.namespace(forPrefix: "xml") == XMLNamespace.xml)
        #expect(iq.namespace(forPrefix: "xmlns") == nil)
        #expect(q.namespace(forPrefix: "s") == "urn:t")
        #expect(q.namespace(forPrefix: "a") == "urn:a")
        #expect(
            q.namespacesInScope.prefixes
                == ["stream": XMLNamespace.stream, "s": "urn:t", "a": "urn:a", "b": "urn:b"])
        #expect(q.namespacesInScope.defaultNamespace == "jabber:client")
    }

    /// An element keeps its prefixes in scope, whichever way it leaves its tree.
    @Test func copiesKeepThePrefixesInScope() throws {
        let iq = try stanza()
        let r = try #require(iq.firstChild?.firstChild)
        let scope = r.namespacesInScope
        #expect(r.copy().namespacesInScope == scope)
        #expect(r.shallowCopy().namespacesInScope == scope)
        #expect(r.thaw().namespacesInScope == scope)
        #expect(r.thaw().freeze().namespacesInScope == scope)
        let thawed = iq.thaw()
        let thawedR = try #require(thawed.firstChild?.firstChild)
        #expect(thawedR.namespacesInScope == scope)
        #expect(thawedR.copy().namespacesInScope == scope)
        #expect(thawedR.shallowCopy().namespacesInScope == scope)
        #expect(thawedR.freeze().namespacesInScope == scope)
        #expect(thawedR.freeze()["{urn:b}k"] == "2")
        thawedR.remove()
        #expect(thawedR.isRoot)
        #expect(thawedR.namespacesInScope == scope)
        #expect(thawed.namespacesInScope == iq.namespacesInScope)
    }

    @Test func addedElementsKeepThePrefixesInScope() throws {
        let r = try #require(try stanza().firstChild?.firstChild)
        let target = MutableElement("message", namespace: "jabber:client")
        let added = target.add(r)
        for (prefix, namespace) in r.namespacesInScope.prefixes {
            #expect(added.namespace(forPrefix: prefix) == namespace)
        }
        #expect(added["b:k"] == "2")
        // The serializer writes the declarations of the stanza, but not those around it.
        #expect(
            target.xmlString(in: .clientStream)
                == "<message><r xmlns:a='urn:a' xmlns:b='urn:b' xmlns:s='urn:t' b:k='2'/></message>")
        // In a tree that binds a prefix otherwise, the added element declares its own binding.
        let other = MutableElement("message", namespace: "jabber:client")
        try other.declarePrefix("stream", as: "urn:mine")
        let inOther = other.add(r)
        #expect(inOther.namespace(forPrefix: "stream") == XMLNamespace.stream)
        #expect(other.namespace(forPrefix: "stream") == "urn:mine")
    }

    @Test func declaringPrefixes() throws {
        let a = MutableElement("a")
        try a.declarePrefix("p", as: "urn:p")
        a["p:k"] = "1"
        #expect(a.xmlString() == "<a xmlns:p='urn:p' p:k='1'/>")
        #expect(a["{urn:p}k"] == "1")
        // Another binding does not change the meaning of the name.
        try a.declarePrefix("p", as: "urn:q")
        #expect(a["{urn:p}k"] == "1")
        #expect(a.namespace(forPrefix: "p") == "urn:q")
        #expect(a.xmlString() == "<a xmlns:p='urn:q' xmlns:ns1='urn:p' ns1:k='1'/>")
        try a.declarePrefix("p", as: nil)
        #expect(a.namespace(forPrefix: "p") == nil)
        #expect(a.xmlString() == "<a xmlns:p='urn:p' p:k='1'/>")
        #expect(throws: XMLTreeError.self) { try a.declarePrefix("xml", as: "u") }
        #expect(throws: XMLTreeError.self) { try a.declarePrefix("xmlns", as: "u") }
        #expect(throws: XMLTreeError.self) { try a.declarePrefix("p", as: XMLNamespace.xml) }
        #expect(throws: XMLTreeError.self) { try a.declarePrefix("p", as: XMLNamespace.xmlns) }
        #expect(throws: XMLTreeError.self) { try a.declarePrefix("p", as: "") }
        #expect(throws: XMLTreeError.self) { try a.declarePrefix("p:q", as: "u") }
        try a.declarePrefix("xml", as: XMLNamespace.xml)
        #expect(a.xmlString() == "<a xmlns:p='urn:p' p:k='1'/>")
    }

    /// The prefixes of an added element leave with it, and other elements do not see them.
    @Test func prefixesGoWithTheElementThatBroughtThem() throws {
        let root = MutableElement("root")
        let other = root.add(MutableElement("other"))
        let surroundings = NamespaceContext(prefixes: ["first": "u"])
        let first = root.add(try Element(parsing: "<x first:k='1'/>", in: surroundings))
        #expect(root.namespacesInScope.prefixes == ["first": "u"])
        for number in 0..<100 {
            let context = NamespaceContext(prefixes: ["p\(number)": "u", "first": "other"])
            let added = root.add(try Element(parsing: "<x p\(number):k='1'/>", in: context))
            #expect(added.namespacesInScope.prefixes == context.prefixes)
            #expect(other.namespace(forPrefix: "p\(number)") == nil)
            #expect(first["first:k"] == "1")
            let removed = added.remove()
            #expect(removed.namespacesInScope.prefixes == context.prefixes)
        }
        #expect(root.namespacesInScope.prefixes == ["first": "u"])
        #expect(root.xmlString(in: surroundings) == "<root><other/><x first:k='1'/></root>")
    }

    /// A copy can remove its own declarations.
    @Test func copiesCanUndeclareTheirPrefixes() throws {
        let a = try Element(parsing: "<a xmlns:p='outer'><b xmlns:p='u' xmlns:q='v'/></a>").thaw()
        let b = try #require(a.firstChild)
        for copy in [b.copy(), b.shallowCopy(), b.freeze().thaw(), b.freeze().copy().thaw()] {
            try copy.declarePrefix("q", as: nil)
            #expect(copy.namespace(forPrefix: "q") == nil)
            try copy.declarePrefix("p", as: nil)
            #expect(copy.namespace(forPrefix: "p") == "outer")
        }
        b.remove()
        try b.declarePrefix("q", as: nil)
        try b.declarePrefix("p", as: nil)
        #expect(b.namespacesInScope.prefixes == ["p": "outer"])
    }

    /// Composed and decomposed characters are different prefixes (rule 1.1).
    @Test func prefixesAreComparedByCodePoints() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let a = try Element(parsing: "<a xmlns:\(composed)='urn:1'><b xmlns:\(decomposed)='urn:2'/></a>")
        let b = try #require(a.firstChild)
        #expect(a.copy().namespace(forPrefix: decomposed) == nil)
        #expect(a.thaw().namespace(forPrefix: decomposed) == nil)
        for copy in [b, b.copy(), b.shallowCopy(), b.thaw().freeze()] {
            #expect(copy.namespacesInScope.prefixes == [composed: "urn:1", decomposed: "urn:2"])
            #expect(copy.namespace(forPrefix: composed) == "urn:1")
            #expect(copy.namespace(forPrefix: decomposed) == "urn:2")
        }
        let context = b.namespacesInScope
        let inside = try Element(parsing: "<\(composed):c \(decomposed):k='1'/>", in: context)
        #expect(inside.namespace == "urn:1")
        #expect(inside["{urn:2}k"] == "1")
        #expect(inside.xmlString(in: context) == "<\(composed):c \(decomposed):k='1'/>")
    }

    /// Renewal keeps both prefixes of a stream that binds them.
    @Test func renewedParsersKeepPrefixesApart() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        var parser = XMLStreamParser(mode: .stream, renewal: Renewal(names: 0, bytes: 0))
        parser.feed(
            "<s xmlns:\(composed)='urn:1' xmlns:\(decomposed)='urn:2'><a/><\(composed):b/><\(decomposed):b/></s>")
        parser.finish()
        var namespaces: [String?] = []
        while let event = try parser.next() {
            if case .element(let element, _) = event { namespaces.append(element.namespace) }
        }
        #expect(namespaces == [nil, "urn:1", "urn:2"])
    }

    @Test func attributesInClarkNotation() throws {
        let a = MutableElement("a")
        a["{urn:n}k"] = "1"
        #expect(a.xmlString() == "<a xmlns:ns1='urn:n' ns1:k='1'/>")
        a["{urn:n}j"] = "2"
        a["{urn:n}k"] = "3"
        a["{http://www.w3.org/XML/1998/namespace}lang"] = "en"
        a["{}plain"] = "4"
        #expect(a.xmlString() == "<a xmlns:ns1='urn:n' ns1:k='3' ns1:j='2' xml:lang='en' plain='4'/>")
        a["{urn:n}k"] = nil
        #expect(a["ns1:k"] == nil)
        // The element takes the first free prefix, whether the tree or its context bound the others.
        let outer = try Element(
            parsing: "<a xmlns:ns1='u1'><b xmlns:ns3='u3'/></a>", in: NamespaceContext(prefixes: ["ns2": "u2"]))
        let inner = try #require(outer.thaw().firstChild)
        for number in 1...6 { try inner[XMLName("{u\(number)}k")] = "" }
        #expect(inner.attributes.map(\.name) == (1...6).map { "ns\($0):k" })
        // A combining mark at the beginning is a separate character, not a part of the brace.
        let b = MutableElement("b")
        b["{\u{301}u}k"] = "1"
        #expect(b.xmlString() == "<b xmlns:ns1='\u{301}u' ns1:k='1'/>")
        #expect(b["{\u{301}u}k"] == "1")
        #expect(b["{u}k"] == nil)
    }

    @Test func prefixesOfElements() throws {
        let error = MutableElement("stream:error", namespace: .uri(XMLNamespace.stream))
        #expect(error.name == "error")
        #expect(error.prefix == "stream")
        #expect(error.xmlString(in: .clientStream) == "<stream:error/>")
        #expect(error.xmlString() == "<stream:error xmlns:stream='http://etherx.jabber.org/streams'/>")
        try error.setPrefix(nil)
        #expect(
            error.xmlString() == "<error xmlns='\(XMLNamespace.stream)' xmlns:stream='\(XMLNamespace.stream)'/>")
        try error.setPrefix("s")
        #expect(error.namespace(forPrefix: "s") == XMLNamespace.stream)
        try error.declarePrefix("t", as: "urn:t")
        #expect(throws: XMLTreeError.self) { try error.setPrefix("t") }
        #expect(throws: XMLTreeError.self) { try error.setPrefix("1") }
        #expect(throws: XMLTreeError.self) { try MutableElement("a").setPrefix("p") }
    }
}
